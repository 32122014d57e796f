/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The five metrics by name, and where each is found among the figures. */
#ifndef XALLOC_REPORT_METRIC_H
#define XALLOC_REPORT_METRIC_H

#include <stdint.h>

#include "analyzer/model/result.h"

/* "peak", "calls", "bytes", "leaked", "temporary": the names that users give. */
const char *metric_name(enum metric metric);
/* "bytes" or "calls". */
const char *metric_unit(enum metric metric);
/* The same, and "byte" or "call" of 1. */
const char *metric_unit_of(enum metric metric, uint64_t count);
/* The metric of that name, METRIC_COUNT when there is none. */
enum metric metric_find(const char *name);

/* The metric of one stack, and its headline: the sum over all stacks. */
uint64_t metric_weight(const struct stack_totals *stack, enum metric metric);
uint64_t metric_total(const struct totals *totals, enum metric metric);

/* The blocks that belong to METRIC_PEAK and METRIC_LEAKED; 0 for the others, which count calls. */
uint64_t metric_blocks(const struct stack_totals *stack, enum metric metric);
uint64_t metric_total_blocks(const struct totals *totals, enum metric metric);

#endif
