/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of a whole trace that runs are compared by, with the names that `totals` of `summary
 * --json` gives them. */
#ifndef XALLOC_REPORT_TOTAL_FIGURES_H
#define XALLOC_REPORT_TOTAL_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/result.h"

struct total_figure {
	const char *name;
	size_t member; /* of struct totals, a uint64_t */
	bool is_bytes; /* else a count */
};

extern const struct total_figure total_figure[];
extern const size_t total_figures; /* how many there are */

static inline uint64_t total_figure_of(const struct total_figure *figure,
				       const struct totals *totals)
{
	return *(const uint64_t *)(const void *)((const char *)totals + figure->member);
}

#endif
