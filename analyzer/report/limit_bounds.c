/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/limit_bounds.h"

#include <stdio.h>

#include "analyzer/base/text.h"

static bool has_any(const struct limit *limit)
{
	for (enum limit_bound bound = 0; bound < LIMIT_BOUNDS; bound++)
		if (limit->has[bound])
			return true;
	return false;
}

/* No run has a share of more than all. */
static int check_share(const struct limit *limit, struct err *err)
{
	static const enum limit_bound absolute[] = { LIMIT_EQUAL, LIMIT_MAX, LIMIT_MIN };

	for (size_t i = 0; i < sizeof(absolute) / sizeof(*absolute); i++)
		if (limit->metric->source == LIMIT_RATIO && limit->has[absolute[i]] &&
		    limit->bound[absolute[i]].value > 1)
			return err_set(err, "\"%s\" is above 1, which is 100 %%: no %s is",
				       limit_bound_name(absolute[i]), limit->metric->name);
	return 0;
}

/* Is `low` of the one above `high` of the other? Then nothing is within both. */
static bool is_above(const struct limit *a, enum limit_bound low, const struct limit *b,
		     enum limit_bound high)
{
	return a->has[low] && b->has[high] && a->bound[low].value > b->bound[high].value;
}

/* The two may be the same limit. where: of the second, before its bound's name. */
static int check_order(const struct limit *a, const struct limit *b, const char *where,
		       struct err *err)
{
	static const enum limit_bound pair[][2] = { { LIMIT_MIN, LIMIT_MAX },
						    { LIMIT_EQUAL, LIMIT_MAX },
						    { LIMIT_MIN, LIMIT_EQUAL } };

	for (size_t i = 0; i < sizeof(pair) / sizeof(*pair); i++) {
		if (is_above(a, pair[i][0], b, pair[i][1]))
			return err_set(err, "\"%s\" is above %s\"%s\"",
				       limit_bound_name(pair[i][0]), where,
				       limit_bound_name(pair[i][1]));
		if (is_above(b, pair[i][0], a, pair[i][1]))
			return err_set(err, "\"%s\" is below %s\"%s\"",
				       limit_bound_name(pair[i][1]), where,
				       limit_bound_name(pair[i][0]));
	}
	return 0;
}

static bool is_same_figure(const struct limit *a, const struct limit *b)
{
	const struct limit_part part[] = { limit_part_of(a), limit_part_of(b) };

	return a->metric == b->metric && text_is_same(a->group, b->group) &&
	       text_is_same(a->function, b->function) && limit_part_is_same(&part[0], &part[1]);
}

int limit_bounds_check(const struct limits *limits, struct err *err)
{
	const struct limit *const limit = &limits->limit[limits->count - 1];
	char where[40];

	if (!has_any(limit))
		return err_set(err, "there is none of max, min, equal, max_increase and "
				    "max_decrease");
	if (check_share(limit, err) || check_order(limit, limit, "", err))
		return -1;
	for (size_t i = 0; i + 1 < limits->count; i++) {
		snprintf(where, sizeof(where), "limits[%zu]'s ", i);
		if (is_same_figure(limit, &limits->limit[i]) &&
		    check_order(limit, &limits->limit[i], where, err))
			return -1;
	}
	return 0;
}
