/* SPDX-License-Identifier: Apache-2.0 */
/* What the recorder asks of the kernel. */
#ifndef XALLOC_LAUNCH_KERNEL_H
#define XALLOC_LAUNCH_KERNEL_H

/* One line when the kernel is older than Linux 5.14; recording is tried all the same. */
void kernel_check(void);

#endif
