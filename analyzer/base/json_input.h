/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON that people write by hand, in files of text_file.h: no key twice in one object, and what is
 * wrong is said with its place. */
#ifndef XALLOC_BASE_JSON_INPUT_H
#define XALLOC_BASE_JSON_INPUT_H

#include <jansson.h>
#include <stddef.h>

#include "analyzer/base/err.h"

/* The whole of a file, or of a text that is called name. A new reference; NULL: it is not there,
 * too large or no JSON, and err says so, with line and column. */
json_t *json_input_read(const char *path, struct err *err);
json_t *json_input_parse(const char *text, size_t bytes, const char *name, struct err *err);

/* A place in a file. */
struct json_input_place {
	const char *file; /* as it was named */
	char text[96];    /* "limits[2].max" */
};

/* "FILE: PLACE: what is wrong"; returns -1. */
int json_input_error(struct err *err, const struct json_input_place *place, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
