/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of a replay as JSON objects, with the keys of docs/json.md: each returns a new
 * reference. */
#ifndef XALLOC_RENDER_JSON_TOTALS_H
#define XALLOC_RENDER_JSON_TOTALS_H

#include <jansson.h>
#include <stdbool.h>

#include "analyzer/report/metric.h"

/* has_times: else the times are null. */
json_t *json_totals_build(const struct totals *totals, bool has_times);
/* The allocation calls of each function. */
json_t *json_totals_functions(const struct totals *totals);

#endif
