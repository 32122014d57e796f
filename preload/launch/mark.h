/* SPDX-License-Identifier: Apache-2.0 */
/* xalloc mark: a phase of a process that runs, told from outside. */
#ifndef XALLOC_LAUNCH_MARK_H
#define XALLOC_LAUNCH_MARK_H

/* What `mark --help` prints: 0, or EXIT_USAGE after a line when that fails. */
int mark_help(void);

/* argv[0] is "mark". The exit status. */
int mark_main(int argc, char **argv);

#endif
