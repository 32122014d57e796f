/* SPDX-License-Identifier: Apache-2.0 */
/* xalloc repeat: the same program recorded several times, and what of it repeats. */
#ifndef XALLOC_LAUNCH_REPEAT_H
#define XALLOC_LAUNCH_REPEAT_H

/* What `repeat --help` prints: 0, or EXIT_USAGE after a line when that fails. */
int repeat_help(void);

/* argv[0] is "repeat". Ends as xalloc-report spread does, or as a run that failed. */
int repeat_main(int argc, char **argv);

#endif
