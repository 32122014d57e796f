/* SPDX-License-Identifier: Apache-2.0 */
/* The environment that a program is started with: the caller's, but for what is ours. */
#ifndef XALLOC_LAUNCH_VARIABLES_H
#define XALLOC_LAUNCH_VARIABLES_H

/* To be recorded: LD_PRELOAD has `library`, then what was there; XALLOC_OUT is `pattern`. A session
 * that we are part of ends here: the program is the first of its own. */
char **variables_recorded(const char *library, const char *pattern);

/* Not to be recorded: LD_PRELOAD is what was there without a libxalloc.so, or not set. */
char **variables_native(void);

#endif
