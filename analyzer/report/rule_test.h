/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether stacks fit the rules of a file, made for asking very often: one test a word of a set. */
#ifndef XALLOC_REPORT_RULE_TEST_H
#define XALLOC_REPORT_RULE_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/report/rules.h"

struct rule_mask {
	uint32_t word; /* of a set of patterns: base/bit_sets.h */
	uint64_t bits;
};

/* The patterns of one rule, as the words of a set that have some of them. */
struct rule_test {
	struct rule_mask first; /* of `all`, at hand: most stacks fail there; no bits: none */
	struct rule_mask *mask; /* of all three lists, one after the other */
	size_t end[RULE_LISTS]; /* of each in mask */
};

/* One for each rule, in their order; owned by the caller, see rule_tests_free. */
struct rule_test *rule_tests_new(const struct rules *rules);
void rule_tests_free(struct rule_test *tests, size_t rules);

bool rule_test_fits_rest(const struct rule_test *test, const uint64_t *words);

/* words: the patterns that match some frame of the stack. */
static inline bool rule_test_fits(const struct rule_test *test, const uint64_t *words)
{
	return (words[test->first.word] & test->first.bits) == test->first.bits &&
	       rule_test_fits_rest(test, words);
}

/* Only its `all`. */
bool rule_test_has_all(const struct rule_test *test, const uint64_t *words);

#endif
