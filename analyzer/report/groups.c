/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/groups.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/report/frame_sets.h"
#include "analyzer/report/rule_test.h"
#include "analyzer/report/rule_use.h"
#include "analyzer/report/startup.h"
#include "analyzer/trace/stack_tree.h"

/* What is known of a node of the result's tree. */
struct node_state {
	uint32_t set;   /* patterns that match frames of it that are shown, leaf: apart */
	bool is_needed; /* it is a stack of the result, or a caller in one */
	enum startup_state startup;
};

#define NOT_KNOWN UINT32_MAX

/* The work of groups_build. */
struct sorting {
	const struct rules *rules;
	struct rule_test *tests;
	const struct stack_tree *tree;
	const struct frame_names *names;
	struct frame_sets *frames;
	struct bit_sets *sets;
	struct node_state *state;
	uint32_t *verdict; /* by set: the group of stacks that have it, or NOT_KNOWN */
	uint32_t verdicts;
};

const char *group_name(const struct group *group)
{
	return group->rule ? group->rule->name : "other";
}

/* The child of the root above a node. */
static uint32_t find_outermost(const struct stack_tree *tree, uint32_t node)
{
	while (stack_tree_parent(tree, node))
		node = stack_tree_parent(tree, node);
	return node;
}

/* A node has its caller's patterns and its frame's; start-up frames that are not shown are left
 * out as in shown_stacks.c. */
static void match_node(struct sorting *s, uint32_t node)
{
	const uint32_t id = stack_tree_frame(s->tree, node);
	const struct frame_name *frame = frame_name_physical(frame_names_get(s->names, id));
	const struct frame_set *own = frame_sets_get(s->frames, id);
	struct node_state *state = &s->state[node];
	uint32_t parent = stack_tree_parent(s->tree, node);
	enum startup_drop drop;

	state->startup = startup_step(s->state[parent].startup, frame, &drop);
	if (drop == STARTUP_DROP_ALL)
		parent = 0;
	else if (drop == STARTUP_DROP_LIBC)
		parent = find_outermost(s->tree, parent);
	state->set = bit_sets_union(s->sets, s->state[parent].set, own->anywhere);
	if (!parent)
		state->set = bit_sets_union(s->sets, state->set, own->root);
}

static void match_nodes(struct sorting *s, const struct result *result)
{
	s->state = xcalloc(s->tree->count, sizeof(*s->state));
	for (size_t i = 0; i < result->stacks; i++)
		s->state[result->stack[i].node].is_needed = true;
	for (uint32_t node = s->tree->count; node-- > 1;)
		if (s->state[node].is_needed)
			s->state[stack_tree_parent(s->tree, node)].is_needed = true;
	s->state[0].startup = STARTUP_ROOT;
	for (uint32_t node = 1; node < s->tree->count; node++)
		if (s->state[node].is_needed)
			match_node(s, node);
}

/* All patterns that match a stack. */
static uint32_t find_stack_set(struct sorting *s, uint32_t node)
{
	uint32_t leaf = 0;

	if (node)
		leaf = frame_sets_get(s->frames, stack_tree_frame(s->tree, node))->leaf;
	return bit_sets_union(s->sets, s->state[node].set, leaf);
}

/* The first rule that a set fits, or the number behind the last. */
static uint32_t find_rule(const struct sorting *s, uint32_t set)
{
	const uint64_t *words = bit_sets_get(s->sets, set);
	uint32_t rule = 0;

	while (rule < s->rules->rules && !rule_test_fits(&s->tests[rule], words))
		rule++;
	return rule;
}

static uint32_t find_verdict(struct sorting *s, uint32_t set)
{
	if (set >= s->verdicts) {
		const uint32_t from = s->verdicts;

		s->verdicts = bit_sets_count(s->sets) * 2;
		s->verdict = xreallocarray(s->verdict, s->verdicts, sizeof(*s->verdict));
		memset(s->verdict + from, 0xFF, (s->verdicts - from) * sizeof(*s->verdict));
	}
	if (s->verdict[set] == NOT_KNOWN)
		s->verdict[set] = find_rule(s, set);
	return s->verdict[set];
}

/* --- suppressions */

static void suppress(struct groups *g, const struct suppressions *suppressions,
		     const struct result *result)
{
	suppressed_find(&g->suppressed, suppressions, result, g->names);
	for (size_t i = 0; i < result->stacks; i++) {
		const struct stack_totals *stack = &result->stack[i];
		struct group *group = &g->group[g->group_of[i]];

		if (!suppressed_has(&g->suppressed, stack))
			continue;
		group->sum.live_bytes -= stack->live_bytes;
		group->sum.live_blocks -= stack->live_blocks;
	}
	warnings_copy(&g->warnings, &g->suppressed.warnings);
}

/* --- all together */

static void check_sums(const struct groups *g)
{
	struct stack_totals sum = { .live_bytes = g->suppressed.sum.bytes,
				    .live_blocks = g->suppressed.sum.blocks };

	for (size_t i = 0; i < g->count; i++)
		stack_totals_add(&sum, &g->group[i].sum);
	for (enum metric metric = 0; metric < METRIC_COUNT; metric++)
		if (metric_weight(&sum, metric) != metric_total(g->totals, metric) ||
		    metric_blocks(&sum, metric) != metric_total_blocks(g->totals, metric))
			BUG("groups do not add up to the %s", metric_name(metric));
}

void groups_build(struct groups *groups, const struct rules *rules,
		  const struct suppressions *suppressions, const struct result *result,
		  const struct frame_names *names)
{
	struct sorting s = { .rules = rules, .tree = result->tree, .names = names };
	struct rule_use use;

	*groups = (struct groups){ .rules = rules,
				   .totals = &result->totals,
				   .names = names,
				   .count = rules->rules + 1 };
	groups->group = xcalloc(groups->count, sizeof(*groups->group));
	for (size_t i = 0; i < rules->rules; i++)
		groups->group[i].rule = &rules->rule[i];
	groups->group_of = xcalloc(result->stacks + 1, sizeof(*groups->group_of));
	groups->frames = s.frames = frame_sets_new(rules, names);
	s.sets = frame_sets_sets(s.frames);
	match_nodes(&s, result);
	s.tests = rule_tests_new(rules);
	rule_use_init(&use, rules, s.tests, s.sets);
	for (size_t i = 0; i < result->stacks; i++) {
		const uint32_t set = find_stack_set(&s, result->stack[i].node);
		const uint32_t verdict = find_verdict(&s, set);

		rule_use_note(&use, set, verdict);
		groups->group_of[i] = verdict;
		stack_totals_add(&groups->group[verdict].sum, &result->stack[i]);
		groups->group[verdict].stacks++;
	}
	rule_use_warn(&use, &groups->warnings);
	rule_use_release(&use);
	rule_tests_free(s.tests, rules->rules);
	if (suppressions)
		suppress(groups, suppressions, result);
	warnings_copy(&groups->warnings, frame_names_warnings(names));
	free(s.verdict);
	free(s.state);
	check_sums(groups);
}

void groups_release(struct groups *groups)
{
	frame_sets_free(groups->frames);
	warnings_release(&groups->warnings);
	suppressed_release(&groups->suppressed);
	free(groups->group_of);
	free(groups->group);
}

struct leaks_left groups_left(const struct groups *groups)
{
	const struct suppressed *sum = &groups->suppressed.sum;

	return (struct leaks_left){ groups->totals->leaked_bytes - sum->bytes,
				    groups->totals->leaked_calls - sum->blocks };
}

const struct group *groups_find(const struct groups *groups, const char *name)
{
	for (size_t i = 0; i < groups->count; i++)
		if (!strcmp(group_name(&groups->group[i]), name))
			return &groups->group[i];
	return NULL;
}

struct order_by {
	const struct group *group;
	enum metric metric;
};

static int compare_groups(const void *left, const void *right, void *data)
{
	const struct order_by *by = data;
	const size_t a = *(const size_t *)left, b = *(const size_t *)right;
	const uint64_t a_weight = metric_weight(&by->group[a].sum, by->metric);
	const uint64_t b_weight = metric_weight(&by->group[b].sum, by->metric);

	if (a_weight != b_weight)
		return a_weight > b_weight ? -1 : 1;
	return a < b ? -1 : a > b;
}

size_t *groups_order(const struct groups *groups, bool by_metric, enum metric metric)
{
	struct order_by by = { groups->group, metric };
	size_t *order = xcalloc(groups->count, sizeof(*order));

	for (size_t i = 0; i < groups->count; i++)
		order[i] = i;
	if (by_metric)
		qsort_r(order, groups->count - 1, sizeof(*order), compare_groups, &by);
	return order;
}

void group_stacks_build(struct group_stacks *of, const struct groups *groups,
			const struct group *group, const struct result *result)
{
	const uint32_t which = (uint32_t)(group - groups->group);

	of->part = *result;
	of->part.stack = xcalloc(group->stacks + 1, sizeof(*of->part.stack));
	of->part.stacks = 0;
	for (size_t i = 0; i < result->stacks; i++) {
		struct stack_totals *to = &of->part.stack[of->part.stacks];

		if (groups->group_of[i] != which)
			continue;
		*to = result->stack[i];
		if (groups->suppressed.suppressions && suppressed_has(&groups->suppressed, to))
			to->live_bytes = to->live_blocks = 0;
		of->part.stacks++;
	}
	of->stacks = shown_stacks_new(groups->names, &of->part, false);
}

void group_stacks_release(struct group_stacks *of)
{
	shown_stacks_free(of->stacks);
	free(of->part.stack);
}

char *group_match_text(const struct groups *groups, const struct group *group,
		       const struct frame_name *frame, bool is_leaf, bool is_root)
{
	for (enum rule_list list = RULE_ALL; group->rule && list <= RULE_ANY; list++) {
		const struct rule_patterns *patterns = &group->rule->list[list];

		for (size_t i = 0; i < patterns->count; i++) {
			const uint32_t at = patterns->pattern[i];
			const struct pattern *pattern = &groups->rules->pattern[at];

			if ((pattern->end == PATTERN_LEAF && !is_leaf) ||
			    (pattern->end == PATTERN_ROOT && !is_root))
				continue;
			if (frame_sets_matches(groups->frames, at, frame))
				return xasprintf("%s[%zu] \"%s\"", rule_list_name(list), i,
						 pattern->text);
		}
	}
	return NULL;
}
