/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/rule_use.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"

void rule_use_init(struct rule_use *use, const struct rules *rules, const struct rule_test *tests,
		   const struct bit_sets *sets)
{
	*use = (struct rule_use){ .rules = rules, .tests = tests, .sets = sets };
	use->matched = xcalloc(bit_sets_words(sets), sizeof(*use->matched));
	use->is_used = xcalloc(rules->rules + 1, sizeof(*use->is_used));
}

void rule_use_release(struct rule_use *use)
{
	free(use->matched);
	free(use->is_used);
	free(use->is_seen);
	free(use->seen);
}

void rule_use_note(struct rule_use *use, uint32_t set, uint32_t rule)
{
	const uint64_t *words = bit_sets_get(use->sets, set);

	if (set >= use->seen_room) {
		const uint32_t from = use->seen_room;

		use->seen_room = bit_sets_count(use->sets) * 2;
		use->is_seen = xreallocarray(use->is_seen, use->seen_room, sizeof(*use->is_seen));
		memset(use->is_seen + from, 0, (use->seen_room - from) * sizeof(*use->is_seen));
	}
	use->is_used[rule] = true;
	if (use->is_seen[set])
		return;
	use->is_seen[set] = true;
	if (use->seen_count == use->list_room) {
		use->list_room = use->list_room * 2 + 256;
		use->seen = xreallocarray(use->seen, use->list_room, sizeof(*use->seen));
	}
	use->seen[use->seen_count++] = set;
	for (size_t i = 0; i < bit_sets_words(use->sets); i++)
		use->matched[i] |= words[i];
}

/* A rule that took nothing: did earlier ones take all that fits it? */
static bool is_hidden(const struct rule_use *use, const struct rule_test *test)
{
	if (!rule_test_has_all(test, use->matched))
		return false;
	for (uint32_t i = 0; i < use->seen_count; i++)
		if (rule_test_fits(test, bit_sets_get(use->sets, use->seen[i])))
			return true;
	return false;
}

static void warn_of_patterns(const struct rule_use *use, const struct rule *rule,
			     struct warnings *warnings)
{
	for (enum rule_list list = RULE_ALL; list <= RULE_ANY; list++)
		for (size_t i = 0; i < rule->list[list].count; i++) {
			const uint32_t pattern = rule->list[list].pattern[i];

			if (!bit_set_has(use->matched, pattern))
				warnings_add(warnings,
					     "%s: groups[%zu].%s[%zu]: \"%s\" matches no frame",
					     rule->file, rule->position, rule_list_name(list), i,
					     use->rules->pattern[pattern].text);
		}
}

void rule_use_warn(const struct rule_use *use, struct warnings *warnings)
{
	for (size_t i = 0; i < use->rules->rules; i++) {
		const struct rule *rule = &use->rules->rule[i];

		if (rule->is_optional)
			continue;
		if (!use->is_used[i])
			warnings_add(warnings, "%s: groups[%zu]: \"%s\" takes no stack%s",
				     rule->file, rule->position, rule->name,
				     is_hidden(use, &use->tests[i])
					     ? ": earlier groups take all that fit it"
					     : "");
		warn_of_patterns(use, rule, warnings);
	}
}
