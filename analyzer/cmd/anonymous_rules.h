/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rules file for traces that were made anonymous: patterns are tried on the names that there
 * were, and what they take is listed by the names that there are (report/renamed_rules.h). */
#ifndef XALLOC_CMD_ANONYMOUS_RULES_H
#define XALLOC_CMD_ANONYMOUS_RULES_H

#include "analyzer/base/err.h"
#include "analyzer/cmd/options.h"

struct anonymous_rules;

/* Reads the file at path. NULL with a line in err. */
struct anonymous_rules *anonymous_rules_open(const char *path, struct err *err);
void anonymous_rules_close(struct anonymous_rules *rules); /* NULL is fine */

/*
 * A trace, named as options want it, and its anonymous copy, whose names are in the bundle beside
 * it. root: an empty folder. -1 with a line in err.
 */
int anonymous_rules_add(struct anonymous_rules *rules, const char *trace, const char *copy,
			const char *root, const struct options *options, struct err *err);

/* Writes the other rules to a new file, reads them again, and finds that each stack of each copy
 * has its group. -1 with a line in err. */
int anonymous_rules_write(const struct anonymous_rules *rules, const char *path, struct err *err);

#endif
