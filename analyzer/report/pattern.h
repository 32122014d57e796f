/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One pattern of a rules file: [leaf:|root:][file:|module:|full:]WHAT, in that order.
 *
 * leaf: and root: look at the innermost or outermost shown frame only. WHAT is matched against the
 * frame's function name without arguments (base/name_parts.h), or what the second prefix says: the
 * path of the source file, the path of the module, the whole demangled text.
 *
 * WHAT is a POSIX extended regular expression between slashes, found anywhere, or plain text: a
 * run of whole components, which are separated by `::` in names and `/` in paths; after full: it
 * is found anywhere. Plain text cannot end with a slash when it begins with one.
 *
 * Or it is a list of texts after a prefix, and matches what is one of them, all of it.
 */
#ifndef XALLOC_REPORT_PATTERN_H
#define XALLOC_REPORT_PATTERN_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/err.h"

enum pattern_end { PATTERN_ANYWHERE, PATTERN_LEAF, PATTERN_ROOT };
enum pattern_subject { PATTERN_NAME, PATTERN_FULL, PATTERN_FILE, PATTERN_MODULE };

struct pattern {
	char *text;       /* as it was written; of is_whole: how many there are */
	const char *what; /* of text, behind the prefixes */
	enum pattern_end end;
	enum pattern_subject subject;
	bool is_regex;
	regex_t regex;
	bool is_whole;
	char **whole; /* of is_whole: in the order of strcmp */
	size_t wholes;
};

/* Returns -1 and says what is wrong with the text, without naming it; nothing is to be released
 * then. */
int pattern_init(struct pattern *pattern, const char *text, struct err *err);
/* One of these texts, of which there may be none; prefix: as above, and not that of names, which
 * full: has whole. */
int pattern_init_whole(struct pattern *pattern, const char *prefix, const char *const *texts,
		       size_t count, struct err *err);
void pattern_release(struct pattern *pattern);

/* Whether it matches what its `subject` says of one frame. */
bool pattern_matches(const struct pattern *pattern, const char *subject);

#endif
