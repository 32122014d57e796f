/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where in the source a stack is to be shown, for those who look at changes file by file. */
#ifndef XALLOC_REPORT_CHECK_PLACE_H
#define XALLOC_REPORT_CHECK_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/report/check_stacks.h"

struct check_place {
	char *file; /* from the root when it is below that, else as it is; NULL: not known */
	uint32_t line;
	bool is_below_root;
};

/* Of one frame. root: the directory of the sources, an absolute path. Release by free(file). */
struct check_place check_place_of_frame(const struct check_frame *frame, const char *root);
/* The innermost frame with a line that is below the root; else the innermost with a line. */
struct check_place check_place_of(const struct check_stack *stack, const char *root);

#endif
