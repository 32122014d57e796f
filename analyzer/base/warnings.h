/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A list of one-line texts for the user, in the order of their first appearance, each only once. It
 * stays short: after WARNINGS_MAX texts one line says how many more were left out.
 */
#ifndef XALLOC_BASE_WARNINGS_H
#define XALLOC_BASE_WARNINGS_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define WARNINGS_MAX 100

struct warnings {
	char **text;
	size_t count;
	uint64_t left_out;
};

void warnings_add(struct warnings *warnings, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void warnings_add_args(struct warnings *warnings, const char *fmt, va_list args)
	__attribute__((format(printf, 2, 0)));
void warnings_copy(struct warnings *to, const struct warnings *from);
void warnings_release(struct warnings *warnings);

#endif
