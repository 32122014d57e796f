/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as people read them. The texts are never released. */
#ifndef XALLOC_LAUNCH_NUMBERS_H
#define XALLOC_LAUNCH_NUMBERS_H

#include <stdint.h>

char *number_grouped(uint64_t number); /* 1,234,567 */
char *number_rounded(uint64_t bytes);  /* 1.2 MiB; under 1024: 12 bytes */

#endif
