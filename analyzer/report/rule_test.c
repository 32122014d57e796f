/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/rule_test.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"

/* Adds a pattern to the masks from `from` on, of which there are `count`; returns their number. */
static size_t add_pattern(struct rule_test *test, size_t from, size_t count, uint32_t pattern)
{
	const uint32_t word = pattern / 64;
	size_t at = from;

	while (at < count && test->mask[at].word != word)
		at++;
	if (at == count)
		test->mask[count++] = (struct rule_mask){ word, 0 };
	test->mask[at].bits |= UINT64_C(1) << pattern % 64;
	return count;
}

static void init_test(struct rule_test *test, const struct rule *rule)
{
	size_t patterns = 0, count = 0;

	for (enum rule_list list = 0; list < RULE_LISTS; list++)
		patterns += rule->list[list].count;
	test->mask = xcalloc(patterns, sizeof(*test->mask));
	for (enum rule_list list = 0; list < RULE_LISTS; list++) {
		const size_t from = count;

		for (size_t i = 0; i < rule->list[list].count; i++)
			count = add_pattern(test, from, count, rule->list[list].pattern[i]);
		test->end[list] = count;
	}
	if (test->end[RULE_ALL])
		test->first = test->mask[0];
}

struct rule_test *rule_tests_new(const struct rules *rules)
{
	struct rule_test *tests = xcalloc(rules->rules + 1, sizeof(*tests));

	for (size_t i = 0; i < rules->rules; i++)
		init_test(&tests[i], &rules->rule[i]);
	return tests;
}

void rule_tests_free(struct rule_test *tests, size_t rules)
{
	for (size_t i = 0; tests && i < rules; i++)
		free(tests[i].mask);
	free(tests);
}

bool rule_test_has_all(const struct rule_test *test, const uint64_t *words)
{
	const struct rule_mask *mask = test->mask;

	for (size_t i = 0; i < test->end[RULE_ALL]; i++)
		if ((words[mask[i].word] & mask[i].bits) != mask[i].bits)
			return false;
	return true;
}

static bool has_any(const struct rule_test *test, size_t from, size_t end, const uint64_t *words)
{
	for (size_t i = from; i < end; i++)
		if (words[test->mask[i].word] & test->mask[i].bits)
			return true;
	return false;
}

bool rule_test_fits_rest(const struct rule_test *test, const uint64_t *words)
{
	const size_t any = test->end[RULE_ALL], none = test->end[RULE_ANY];

	return rule_test_has_all(test, words) && (any == none || has_any(test, any, none, words)) &&
	       !has_any(test, none, test->end[RULE_NONE], words);
}
