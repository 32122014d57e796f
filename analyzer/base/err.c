/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/base/err.h"

#include <stdarg.h>
#include <stdio.h>

#include "analyzer/base/text.h"

int err_set(struct err *err, const char *fmt, ...)
{
	va_list args;

	if (!err)
		return -1;
	va_start(args, fmt);
	text_format_line(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	return -1;
}
