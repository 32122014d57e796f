/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/renamed_rules.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/bit_sets.h"
#include "analyzer/base/mem.h"
#include "analyzer/base/name_pool.h"
#include "analyzer/report/frame_sets.h"

/* The other texts of one kind, and by the number of each the patterns that match the old one. */
struct other_texts {
	struct name_pool *pool;
	uint32_t *set, room;
};

struct renamed_rules {
	const struct rules *rules;
	struct frame_sets *frames;
	struct other_texts other[FRAME_TEXTS];
};

struct renamed_rules *renamed_rules_new(const struct rules *rules)
{
	struct renamed_rules *renamed = xcalloc(1, sizeof(*renamed));

	renamed->rules = rules;
	renamed->frames = frame_sets_new(rules, NULL);
	for (enum frame_text kind = 0; kind < FRAME_TEXTS; kind++)
		renamed->other[kind].pool = name_pool_new();
	return renamed;
}

void renamed_rules_free(struct renamed_rules *renamed)
{
	if (!renamed)
		return;
	for (enum frame_text kind = 0; kind < FRAME_TEXTS; kind++) {
		name_pool_free(renamed->other[kind].pool);
		free(renamed->other[kind].set);
	}
	frame_sets_free(renamed->frames);
	free(renamed);
}

static int add_text(struct renamed_rules *renamed, enum frame_text kind, const char *old,
		    const char *new, struct err *err)
{
	struct other_texts *other = &renamed->other[kind];
	const uint32_t set = frame_sets_match(renamed->frames, kind, old);
	const uint32_t known = name_pool_count(other->pool);
	const uint32_t number = name_pool_add(other->pool, new);

	if (number < known)
		return other->set[number] == set
			       ? 0
			       : err_set(err, "rules: two names have become one, %s", new);
	if (number == other->room) {
		other->room = other->room * 2 + 256;
		other->set = xreallocarray(other->set, other->room, sizeof(*other->set));
	}
	other->set[number] = set;
	return 0;
}

/* What is inlined at an address, too. */
static int add_frames(struct renamed_rules *renamed, const struct frame_name *old,
		      const struct frame_name *new, struct err *err)
{
	for (; old && new; old = old->outer, new = new->outer)
		for (enum frame_text kind = 0; kind < FRAME_TEXTS; kind++) {
			const char *was = frame_text(old, kind), *is = frame_text(new, kind);

			if (!was != !is)
				return err_set(err, "rules: a frame has other texts: %s",
					       new->function);
			if (was && add_text(renamed, kind, was, is, err))
				return -1;
		}
	return old || new ? err_set(err, "rules: an address has other inlined calls") : 0;
}

int renamed_rules_add(struct renamed_rules *renamed, const struct stack_tree *tree,
		      const struct frame_names *old, const struct frame_names *new, struct err *err)
{
	uint8_t *seen = NULL; /* a bit an id */
	uint32_t room = 0;
	int ret = 0;

	for (uint32_t node = 1; !ret && node < tree->count; node++) {
		const uint32_t id = stack_tree_frame(tree, node);

		if (id / 8 >= room) {
			const uint32_t from = room;

			room = id / 4 + 256;
			seen = xrealloc(seen, room);
			memset(seen + from, 0, room - from);
		}
		if (seen[id / 8] >> id % 8 & 1)
			continue;
		seen[id / 8] |= (uint8_t)(1u << id % 8);
		ret = add_frames(renamed, frame_names_get(old, id), frame_names_get(new, id), err);
	}
	free(seen);
	return ret;
}

/* --- the file */

static json_t *checked(json_t *value)
{
	if (!value)
		out_of_memory(0);
	return value;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool has_any(const uint64_t *words, const struct rule_patterns *patterns)
{
	for (size_t i = 0; i < patterns->count; i++)
		if (bit_set_has(words, patterns->pattern[i]))
			return true;
	return false;
}

/* {"leaf:file:": [TEXT, ...]}: what one of these patterns matches, which look at the same end and
 * kind of text. */
static json_t *pattern_value(const struct renamed_rules *renamed,
			     const struct rule_patterns *patterns)
{
	static const char *const ends[] = {
		[PATTERN_ANYWHERE] = "", [PATTERN_LEAF] = "leaf:", [PATTERN_ROOT] = "root:"
	};
	static const char *const subjects[] = { [FRAME_TEXT_NAME] = "full:",
						[FRAME_TEXT_FILE] = "file:",
						[FRAME_TEXT_MODULE] = "module:" };
	const struct pattern *pattern = &renamed->rules->pattern[patterns->pattern[0]];
	const struct other_texts *other = &renamed->other[frame_text_of(pattern->subject)];
	const struct bit_sets *sets = frame_sets_sets(renamed->frames);
	const uint32_t texts = name_pool_count(other->pool);
	const char **text = xcalloc(texts + 1, sizeof(*text));
	json_t *list = checked(json_array()), *value = checked(json_object());
	char *key =
		xasprintf("%s%s", ends[pattern->end], subjects[frame_text_of(pattern->subject)]);
	size_t count = 0;

	for (uint32_t i = 0; i < texts; i++)
		if (has_any(bit_sets_get(sets, other->set[i]), patterns))
			text[count++] = name_pool_text(other->pool, i);
	qsort(text, count, sizeof(*text), compare);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, checked(json_string(text[i])));
	json_object_set_new(value, key, list);
	free(key);
	free(text);
	return value;
}

/* Each by itself: a stack must have all of them. */
static json_t *all_value(const struct renamed_rules *renamed, const struct rule_patterns *from)
{
	json_t *value = checked(json_array());

	for (size_t i = 0; i < from->count; i++) {
		const struct rule_patterns one = { &from->pattern[i], 1 };

		json_array_append_new(value, pattern_value(renamed, &one));
	}
	return value;
}

/* Those of a kind together: which of them it was need not be told. */
static json_t *any_value(const struct renamed_rules *renamed, const struct rule_patterns *from)
{
	json_t *value = checked(json_array());
	uint32_t *left = xcalloc(from->count + 1, sizeof(*left)), *alike;
	size_t lefts = from->count;

	memcpy(left, from->pattern, from->count * sizeof(*left));
	alike = xcalloc(from->count + 1, sizeof(*alike));
	while (lefts) {
		const struct pattern *first = &renamed->rules->pattern[left[0]];
		struct rule_patterns some = { alike, 0 };
		const size_t count = lefts;

		lefts = 0;
		for (size_t i = 0; i < count; i++) {
			const struct pattern *one = &renamed->rules->pattern[left[i]];

			if (one->end == first->end &&
			    frame_text_of(one->subject) == frame_text_of(first->subject))
				alike[some.count++] = left[i];
			else
				left[lefts++] = left[i];
		}
		json_array_append_new(value, pattern_value(renamed, &some));
	}
	free(alike);
	free(left);
	return value;
}

static json_t *group_value(const struct renamed_rules *renamed, const struct rule *rule)
{
	json_t *value = checked(json_object());

	json_object_set_new(value, "name", checked(json_string(rule->name)));
	for (enum rule_list list = 0; list < RULE_LISTS; list++)
		if (rule->list[list].count)
			json_object_set_new(value, rule_list_name(list),
					    list == RULE_ALL
						    ? all_value(renamed, &rule->list[list])
						    : any_value(renamed, &rule->list[list]));
	if (rule->is_optional)
		json_object_set_new(value, "optional", json_true());
	return value;
}

char *renamed_rules_text(const struct renamed_rules *renamed)
{
	json_t *top = checked(json_object()), *groups = checked(json_array());
	char *text, *lines;

	json_object_set_new(top, "schema", checked(json_string("xalloc-groups/1")));
	json_object_set_new(top, "groups", groups);
	for (size_t i = 0; i < renamed->rules->rules; i++)
		json_array_append_new(groups, group_value(renamed, &renamed->rules->rule[i]));
	text = json_dumps(top, JSON_INDENT(1));
	json_decref(top);
	if (!text)
		out_of_memory(0);
	lines = xasprintf("%s\n", text);
	free(text);
	return lines;
}
