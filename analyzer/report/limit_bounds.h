/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the bounds of a budget's limits can decide anything, and can all be kept at once. */
#ifndef XALLOC_REPORT_LIMIT_BOUNDS_H
#define XALLOC_REPORT_LIMIT_BOUNDS_H

#include "analyzer/base/err.h"
#include "analyzer/report/limits.h"

/*
 * The last limit of `limits`: it has a bound, and none that no run can reach; none excludes
 * another, nor one of a limit before it on the same figure. -1 with what is wrong in err, without a
 * place.
 */
int limit_bounds_check(const struct limits *limits, struct err *err);

#endif
