/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/check_text.h"

#include <stdint.h>
#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"

char *check_text_figure(double value)
{
	const double size = value < 0 ? -value : value;

	if (size < 1e18 && size == (double)(uint64_t)size)
		return xasprintf("%s%s", value < 0 ? "-" : "", number_count((uint64_t)size).text);
	return xasprintf("%.6g", value);
}

char *check_text_bound(const struct check_row *row)
{
	const struct amount *bound = &row->limit->bound[row->bound];
	char *allowed = check_text_figure(row->allowed), *text, *before;

	if (row->bound != LIMIT_MAX_INCREASE && row->bound != LIMIT_MAX_DECREASE) {
		text = xasprintf("%s %s", limit_bound_name(row->bound), allowed);
		free(allowed);
		return text;
	}
	free(allowed);
	before = check_text_figure(row->before);
	if (bound->unit == AMOUNT_PERCENT)
		text = xasprintf("%s %.6g %% of %s", limit_bound_name(row->bound),
				 bound->value * 100, before);
	else
		text = xasprintf("%s %.6g from %s", limit_bound_name(row->bound), bound->value,
				 before);
	free(before);
	return text;
}

char *check_text_row(const struct check_row *row)
{
	char *limit = limit_text(row->limit), *text, *actual, *bound, *margin;

	if (row->state == CHECK_NOT_AVAILABLE) {
		text = xasprintf("%s is not available: %s", limit, row->why);
		free(limit);
		return text;
	}
	actual = check_text_figure(row->actual);
	bound = check_text_bound(row);
	margin = check_text_figure(row->margin < 0 ? -row->margin : row->margin);
	text = xasprintf("%s is %s, %s: %s %s", limit, actual, bound, margin,
			 row->state == CHECK_WITHIN   ? "left"
			 : row->actual > row->allowed ? "too much"
						      : "too little");
	free(limit);
	free(actual);
	free(bound);
	free(margin);
	return text;
}

/* "bytes", "1" of which is a "byte". */
static const char *unit_of(const struct check_stacks *stacks, uint64_t count)
{
	if (stacks->weighs_blocks)
		return count == 1 ? "block" : "blocks";
	return metric_unit_of(stacks->metric, count);
}

char *check_text_stack(const struct check_stacks *stacks, const struct check_stack *stack)
{
	const double change = (double)stack->after - (double)stack->before;
	const uint64_t moved = stack->after > stack->before ? stack->after - stack->before
							    : stack->before - stack->after;
	char *step, *before, *after, *text;

	after = check_text_figure((double)stack->after);
	if (!stacks->has_before) {
		text = xasprintf("%s %s", after, unit_of(stacks, stack->after));
		free(after);
		return text;
	}
	before = check_text_figure((double)stack->before);
	step = check_text_figure(change);
	text = xasprintf("%s%s %s: %s -> %s", change > 0 ? "+" : "", step, unit_of(stacks, moved),
			 before, after);
	free(step);
	free(before);
	free(after);
	return text;
}

char *check_text_position(const struct check_row *row)
{
	return xasprintf("limits[%zu].%s", row->position, limit_bound_name(row->bound));
}
