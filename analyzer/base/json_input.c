/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/base/json_input.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/text.h"
#include "analyzer/base/text_file.h"

json_t *json_input_parse(const char *text, size_t bytes, const char *name, struct err *err)
{
	json_error_t why;
	json_t *top = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &why);

	if (!top)
		err_set(err, "%s:%d:%d: %s", name, why.line, why.column, why.text);
	return top;
}

json_t *json_input_read(const char *path, struct err *err)
{
	size_t bytes = 0;
	char *text = text_file_read(path, &bytes);
	json_t *top;

	if (!text) {
		err_set(err, "%s: %s", path, strerror(errno));
		return NULL;
	}
	top = json_input_parse(text, bytes, path, err);
	free(text);
	return top;
}

int json_input_error(struct err *err, const struct json_input_place *place, const char *fmt, ...)
{
	struct err why;
	va_list args;

	va_start(args, fmt);
	text_format_line(why.text, sizeof(why.text), fmt, args);
	va_end(args);
	return err_set(err, "%s: %s: %s", place->file, place->text, why.text);
}
