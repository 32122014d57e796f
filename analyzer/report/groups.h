/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All stacks of a result, each in exactly one group: the first of the rules that it fits, or
 * "other". It fits a rule when each pattern of its `all`, one of its `any` and none of its `none`
 * match some frame that is shown of the stack. Stacks are told apart by addresses here, not by what
 * they are shown as: two that are shown as one may belong to different groups by file or module.
 */
#ifndef XALLOC_REPORT_GROUPS_H
#define XALLOC_REPORT_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/warnings.h"
#include "analyzer/model/replay.h"
#include "analyzer/report/frame_names.h"
#include "analyzer/report/metric.h"
#include "analyzer/report/rules.h"
#include "analyzer/report/shown_stacks.h"
#include "analyzer/report/suppressed.h"

struct group {
	const struct rule *rule; /* NULL: "other" */
	struct stack_totals sum; /* node has no meaning */
	uint64_t stacks;         /* of the result */
};

struct groups {
	const struct rules *rules;
	const struct totals *totals;
	const struct frame_names *names;
	struct group *group; /* one each rule, in their order, and "other", the last */
	size_t count;
	struct suppressed_leaks suppressed;
	struct warnings warnings; /* of rules, suppressions, modules without names */
	uint32_t *group_of;       /* by stack of the result: its group */
	struct frame_sets *frames;
};

/*
 * Of all metrics the groups add up to the totals; but leaked blocks that a suppression takes are in
 * `suppressed` and in no group. Everything is borrowed and must outlive the groups. suppressions
 * may be NULL.
 */
void groups_build(struct groups *groups, const struct rules *rules,
		  const struct suppressions *suppressions, const struct result *result,
		  const struct frame_names *names);
void groups_release(struct groups *groups);

/* What is leaked and not suppressed. */
struct leaks_left groups_left(const struct groups *groups);

const char *group_name(const struct group *group);
/* The group of that name, or NULL. */
const struct group *groups_find(const struct groups *groups, const char *name);

/* Positions of the groups, as the rules have them or, with by_metric, the largest first; "other" is
 * the last one. Owned by the caller. */
size_t *groups_order(const struct groups *groups, bool by_metric, enum metric metric);

/*
 * The stacks of one group, for shown_stacks_list and the like; what is suppressed is not
 * leaked in them. Release by group_stacks_release, before the groups.
 */
struct group_stacks {
	struct result part; /* a copy in which there are only these */
	struct shown_stacks *stacks;
};
void group_stacks_build(struct group_stacks *of, const struct groups *groups,
			const struct group *group, const struct result *result);
void group_stacks_release(struct group_stacks *of);

/* Which pattern of the group's `all` and `any` matches a frame of a stack in it: "all[0] \"f\"".
 * NULL: none. is_leaf, is_root: it is the first or the last one shown. Owned by the caller. */
char *group_match_text(const struct groups *groups, const struct group *group,
		       const struct frame_name *frame, bool is_leaf, bool is_root);

#endif
