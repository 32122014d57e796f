/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A rules file, "schema": "xalloc-groups/1": an ordered list of groups, each with patterns that a
 * stack must have all of, any of or none of; and the sets and files that it includes, whose groups
 * follow its own in their order. docs/groups.md is the users' manual.
 */
#ifndef XALLOC_REPORT_RULES_H
#define XALLOC_REPORT_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/err.h"
#include "analyzer/base/strlist.h"
#include "analyzer/report/pattern.h"

enum rule_list { RULE_ALL, RULE_ANY, RULE_NONE, RULE_LISTS };

/* "all", "any", "none". */
const char *rule_list_name(enum rule_list list);

struct rule_patterns {
	uint32_t *pattern; /* positions in rules.pattern */
	size_t count;
};

struct rule {
	char *name;       /* different from all others, and not "other" */
	const char *file; /* as it was named; of a built-in set "built-in NAME" */
	size_t position;  /* groups[position] there */
	bool is_optional; /* no warnings of it, and not shown where nothing belongs there */
	struct rule_patterns list[RULE_LISTS]; /* at least one is not empty */
};

struct rules {
	struct rule *rule;
	size_t rules, rules_room;
	struct pattern *pattern; /* each text once */
	uint32_t patterns, patterns_room;
	struct name_pool *texts;  /* of the patterns, by position */
	struct rules_file *files; /* rules.c's own */
	bool is_below;            /* rules_read_below */
};

/*
 * Reads a file and what it includes. What is wrong is said with the file and the position in it:
 * line and column where it is no JSON, else the place in the object ("groups[2].all[0]"). Release
 * either way.
 */
int rules_read(struct rules *rules, const char *path, struct err *err);
/* The same of files below the working directory alone: a path in `include` that begins with / or
 * leads above it is an error. */
int rules_read_below(struct rules *rules, const char *path, struct err *err);
/* Adds the files that were read, in the order of their reading, by the path of each as `include`
 * and the folder of the file that has it make it. */
void rules_list_files(const struct rules *rules, struct strlist *paths);
/* One group, of that name, whose `all` are these patterns. -1: one is none, err says why. Release
 * either way. */
int rules_init_all(struct rules *rules, const char *name, const char *const *pattern,
		   size_t patterns, struct err *err);
/* One more such group, behind those that are there. */
int rules_add_all(struct rules *rules, const char *name, const char *const *pattern,
		  size_t patterns, struct err *err);
/* No group at all. */
void rules_init(struct rules *rules);
void rules_release(struct rules *rules);

/* Whether a stack can be of that group: "other" is there always. */
bool rules_has_group(const struct rules *rules, const char *name);

#endif
