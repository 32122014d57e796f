/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static void fill(struct err *err, const char *fmt, va_list args)
{
	err->code = errno;
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	/* A path may hold a line break: what we say stays one line. */
	for (char *at = err->text; *at; at++) {
		if (*at == '\n' || *at == '\r')
			*at = ' ';
	}
}

int err_set(struct err *err, const char *fmt, ...)
{
	va_list args;

	if (!err)
		return -1;
	va_start(args, fmt);
	fill(err, fmt, args);
	va_end(args);
	err->has_offset = false;
	err->offset = 0;
	return -1;
}

int err_set_at(struct err *err, uint64_t offset, const char *fmt, ...)
{
	va_list args;

	if (!err)
		return -1;
	va_start(args, fmt);
	fill(err, fmt, args);
	va_end(args);
	err->has_offset = true;
	err->offset = offset;
	return -1;
}
