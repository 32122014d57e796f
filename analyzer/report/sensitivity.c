/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/sensitivity.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"

const char *sensitivity_state_text(enum sensitivity_state state)
{
	static const char *const text[] = {
		[SENSITIVITY_NOTICES] = "notices",
		[SENSITIVITY_BLIND] = "blind",
		[SENSITIVITY_DOES_NOT_GROW] = "does not grow",
		[SENSITIVITY_NO_UPPER] = "no upper limit",
		[SENSITIVITY_BROKEN] = "exceeded by base",
		[SENSITIVITY_NOT_AVAILABLE] = "not available",
	};

	return text[state];
}

static enum sensitivity_state state_of(const struct check_row *base, const struct check_row *more)
{
	if (base->state == CHECK_NOT_AVAILABLE || more->state == CHECK_NOT_AVAILABLE)
		return SENSITIVITY_NOT_AVAILABLE;
	if (base->bound == LIMIT_MIN || base->bound == LIMIT_MAX_DECREASE)
		return SENSITIVITY_NO_UPPER;
	if (base->state == CHECK_EXCEEDED)
		return SENSITIVITY_BROKEN;
	if (more->actual <= base->actual)
		return SENSITIVITY_DOES_NOT_GROW;
	return more->state == CHECK_EXCEEDED ? SENSITIVITY_NOTICES : SENSITIVITY_BLIND;
}

void sensitivity_build(struct sensitivity *s, const struct check *base, const struct check *more,
		       double factor)
{
	*s = (struct sensitivity){ .rows = base->rows, .factor = factor };
	s->row = xcalloc(base->rows + 1, sizeof(*s->row));
	for (size_t i = 0; i < s->rows; i++) {
		struct sensitivity_row *row = &s->row[i];

		*row = (struct sensitivity_row){ .base = &base->row[i], .more = &more->row[i] };
		row->state = state_of(row->base, row->more);
		s->count[row->state]++;
		if (row->base->actual > 0)
			row->ratio = row->more->actual / row->base->actual;
		row->fixed = (factor * row->base->actual - row->more->actual) / (factor - 1);
	}
	if (base->reasons.count || more->reasons.count || s->count[SENSITIVITY_NOT_AVAILABLE])
		s->verdict = CHECK_NOT_COMPARABLE;
	else if (s->count[SENSITIVITY_BROKEN] || s->count[SENSITIVITY_BLIND] ||
		 !s->count[SENSITIVITY_NOTICES])
		s->verdict = CHECK_FAIL;
}

void sensitivity_release(struct sensitivity *s)
{
	free(s->row);
	*s = (struct sensitivity){ .rows = 0 };
}
