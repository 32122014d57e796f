/* SPDX-License-Identifier: Apache-2.0 */
/* Where the result is to be. */
#ifndef XALLOC_RSS_RSS_PLACE_H
#define XALLOC_RSS_RSS_PLACE_H

#include "preload/rss/rss_result.h"

/* The absolute path of `out`. Ends with EXIT_REFUSED when no result can be written there: no such
 * directory, or a file is there that is no result of ours. */
char *rss_place(const char *out);

/* Writes the result, whole or not at all: 0, or -1 after a line that says why. */
int rss_save(const struct rss_result *result, const char *path);

#endif
