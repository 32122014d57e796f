/* SPDX-License-Identifier: Apache-2.0 */
/* Reading /proc/PID/smaps. */
#ifndef XALLOC_RSS_SMAPS_H
#define XALLOC_RSS_SMAPS_H

#include "preload/rss/breakdown.h"

/*
 * A breakdown of the file's mappings: 0, or a negative errno (-ESRCH, too, when there is no
 * mapping: the process has let its memory go). What was in it is removed. While the process runs it
 * may map and unmap meanwhile: the kernel gives some pages of text at a time. `stack_bytes`:
 * mapping_classify. *mappings is how many there are.
 */
int smaps_read(struct breakdown *b, const char *path, uint64_t stack_bytes, uint64_t *mappings);

#endif
