/* SPDX-License-Identifier: Apache-2.0 */
/* Why there is no trace. */
#ifndef XALLOC_SYS_REASON_H
#define XALLOC_SYS_REASON_H

/* Of a negative errno: strerror's words, where it has some that help. */
const char *reason_text(long error);

#endif
