/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures that people write: times and ranges of sizes. Each returns false when the text is none,
 * and when it does not fit. */
#ifndef XALLOC_BASE_QUANTITY_H
#define XALLOC_BASE_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

/* "1500000", "1.5s", "20ms", "3us" or "3µs", "7ns": nanoseconds, what is below one is left out. */
bool quantity_time(const char *text, uint64_t *ns);
/* "48", "48-64", "1K-", "-4M": bytes, both ends are in it; K, M and G are powers of 1024. */
bool quantity_range(const char *text, uint64_t *least, uint64_t *most);

#endif
