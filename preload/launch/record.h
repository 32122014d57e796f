/* SPDX-License-Identifier: Apache-2.0 */
/* xalloc record. */
#ifndef XALLOC_LAUNCH_RECORD_H
#define XALLOC_LAUNCH_RECORD_H

/* What `record --help` prints: 0, or EXIT_USAGE after a line when that fails. */
int record_help(void);

/* argv[0] is "record". Ends as the program that it records does, or with a status of message.h. */
int record_main(int argc, char **argv);

#endif
