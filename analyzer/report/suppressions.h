/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A suppressions file of LeakSanitizer: lines `leak:PATTERN`, empty lines and lines that begin with
 * # besides. A pattern matches a function, a source file or a module in which it is found; in it *
 * is any text, ^ at its start and $ at its end bind it there. Which one takes a stack is settled as
 * LeakSanitizer does it: by the innermost frame that one of them matches; there the module comes
 * before functions and files, and then the order of the lines counts.
 * https://clang.llvm.org/docs/AddressSanitizer.html#suppressing-memory-leaks
 */
#ifndef XALLOC_REPORT_SUPPRESSIONS_H
#define XALLOC_REPORT_SUPPRESSIONS_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/err.h"

struct suppression {
	char *pattern; /* without "leak:" */
	uint32_t line;
};

struct suppressions {
	char *path;
	struct suppression *entry;
	size_t count;
};

#define SUPPRESSION_NONE SIZE_MAX

/* What cannot be read is said with file and line. Release either way. */
int suppressions_read(struct suppressions *suppressions, const char *path, struct err *err);
void suppressions_release(struct suppressions *suppressions);

/* The position of the first that matches the text; SUPPRESSION_NONE: none does. */
size_t suppressions_find(const struct suppressions *suppressions, const char *text);

#endif
