/* SPDX-License-Identifier: Apache-2.0 */
/* For a variable of ours in a header: no other object has it, so that it is reached without a look
 * into the global offset table. */
#ifndef XALLOC_SYS_HIDDEN_H
#define XALLOC_SYS_HIDDEN_H

#define HIDDEN __attribute__((visibility("hidden")))

#endif
