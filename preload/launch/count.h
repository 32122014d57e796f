/* SPDX-License-Identifier: Apache-2.0 */
/* How many events a trace holds. */
#ifndef XALLOC_LAUNCH_COUNT_H
#define XALLOC_LAUNCH_COUNT_H

#include <stdint.h>

/* By the chunks' metadata and the live windows alone: nothing is decompressed. Of a damaged file:
 * up to the damage. */
uint64_t count_events(int fd);

#endif
