/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which rules and patterns of a file are of no use. */
#ifndef XALLOC_REPORT_RULE_USE_H
#define XALLOC_REPORT_RULE_USE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/bit_sets.h"
#include "analyzer/base/warnings.h"
#include "analyzer/report/rule_test.h"
#include "analyzer/report/rules.h"

struct rule_use {
	const struct rules *rules;
	const struct rule_test *tests;
	const struct bit_sets *sets;
	uint64_t *matched; /* patterns that matched any stack */
	bool *is_used;     /* by rule: it took a stack */
	bool *is_seen;     /* by set: it is some stack's */
	uint32_t seen_room;
	uint32_t *seen; /* the sets of stacks, each once */
	uint32_t seen_count, list_room;
};

/* All are borrowed. */
void rule_use_init(struct rule_use *use, const struct rules *rules, const struct rule_test *tests,
		   const struct bit_sets *sets);
void rule_use_release(struct rule_use *use);
/* A stack of that set went to a rule; to none when it is the number behind the last. */
void rule_use_note(struct rule_use *use, uint32_t set, uint32_t rule);
/* Warns of rules that took no stack and of patterns of `all` and `any` that match no frame. Nothing
 * is said of built-in sets, which are for all programs. */
void rule_use_warn(const struct rule_use *use, struct warnings *warnings);

#endif
