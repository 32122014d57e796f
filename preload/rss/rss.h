/* SPDX-License-Identifier: Apache-2.0 */
/* xalloc rss. */
#ifndef XALLOC_RSS_RSS_H
#define XALLOC_RSS_RSS_H

/* What `rss --help` prints: 0, or EXIT_USAGE after a line when that fails. */
int rss_help(void);

/* argv[0] is "rss". Ends as the program does, or with a status of message.h. */
int rss_main(int argc, char **argv);

#endif
