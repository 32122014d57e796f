/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/total_figures.h"

const struct total_figure total_figure[] = {
#define FIGURE(name, is_bytes)                                 \
	{                                                      \
#name, offsetof(struct totals, name), is_bytes \
	}
	FIGURE(allocation_calls, false), FIGURE(allocated_bytes, true),
	FIGURE(peak_bytes, true),        FIGURE(peak_blocks, false),
	FIGURE(leaked_bytes, true),      FIGURE(leaked_calls, false),
	FIGURE(temporary_calls, false),  FIGURE(free_calls, false),
	FIGURE(foreign_frees, false),    FIGURE(failed_calls, false),
	FIGURE(threads, false),
};
const size_t total_figures = sizeof(total_figure) / sizeof(*total_figure);
