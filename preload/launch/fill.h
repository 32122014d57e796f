/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first live window of a process that has ended holds nothing, as a rule, and is a hole in the
 * file, which copies of it need not be. The frames that stand last come there, and the file is cut
 * before their old places.
 */
#ifndef XALLOC_LAUNCH_FILL_H
#define XALLOC_LAUNCH_FILL_H

/* fd: a trace that nobody writes to, locked. It is readable after each step: what was moved stands
 * there twice until the file is cut. Nothing is done with a trace that is large, or has
 * something in a window, or no totals, or is damaged. */
void fill_window(int fd);

#endif
