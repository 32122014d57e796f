/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sets of groups that every rules file can include by name. */
#ifndef XALLOC_REPORT_BUILTIN_RULES_H
#define XALLOC_REPORT_BUILTIN_RULES_H

struct builtin_rules {
	const char *name;
	const char *json; /* a whole rules file */
};

/* An entry without a name ends the list. */
extern const struct builtin_rules builtin_rules[];

#endif
