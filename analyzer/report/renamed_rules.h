/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rules of a file for the same stacks under other names: each pattern becomes the list of the
 * other names, files or modules of all frames that it matches, so that every stack belongs to the
 * group it belonged to, and no pattern is told; those of `any` and of `none` are one list of a
 * kind. Names of groups, their order, and which are optional (built-in ones are) stay; comments go,
 * and includes are no longer needed.
 */
#ifndef XALLOC_REPORT_RENAMED_RULES_H
#define XALLOC_REPORT_RENAMED_RULES_H

#include "analyzer/base/err.h"
#include "analyzer/report/frame_names.h"
#include "analyzer/report/rules.h"
#include "analyzer/trace/stack_tree.h"

struct renamed_rules;

/* The rules are borrowed. */
struct renamed_rules *renamed_rules_new(const struct rules *rules);
void renamed_rules_free(struct renamed_rules *renamed); /* NULL is fine */

/* Notes the frames of a tree, whose ids mean the same under both names. -1 with a line in err: they
 * are not the same frames, or two texts of which a pattern matches one have the same other text. */
int renamed_rules_add(struct renamed_rules *renamed, const struct stack_tree *tree,
		      const struct frame_names *old, const struct frame_names *new,
		      struct err *err);

/* The whole rules file. Owned by the caller. */
char *renamed_rules_text(const struct renamed_rules *renamed);

#endif
