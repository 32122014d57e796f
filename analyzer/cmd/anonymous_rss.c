/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/text.h"
#include "analyzer/cmd/anonymous.h"
#include "analyzer/render/json_value.h"
#include "analyzer/trace/anonymous_records.h"

static bool is_one_of(const char *key, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(list[i], key))
			return true;
	return false;
}

/* The same as of a module of a trace. */
static char *other_build_id(const struct pseudonyms *pseudonyms, const char *digits)
{
	const size_t size = strlen(digits) / 2;
	uint8_t *bytes = xcalloc(size + 1, 1), *other = xcalloc(size + 1, 1);
	char *text;

	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)strtoul((const char[]){ digits[2 * i], digits[2 * i + 1], 0 },
					    NULL, 16);
	pseudonym_bytes(pseudonyms, bytes, size, other);
	text = text_hex(other, size);
	free(bytes);
	free(other);
	return text;
}

/* What is not known to be everybody's is replaced. */
static char *other_text(const struct pseudonyms *pseudonyms, const char *key, const char *text)
{
	static const char *const everybody[] = { "schema", "kind",          "what", "source",
						 "exit",   "exit_snapshot", "base" };
	static const char *const paths[] = { "path", "cwd", "exe", "name" };

	if (is_one_of(key, everybody, sizeof(everybody) / sizeof(*everybody)))
		return xstrdup(text);
	if (!strcmp(key, "name") && *text == '[') /* [heap] and the like */
		return xstrdup(text);
	if (!strcmp(key, "argument"))
		return pseudonym_name(pseudonyms, 'a', text);
	if (is_one_of(key, paths, sizeof(paths) / sizeof(*paths)))
		return pseudonym_path(pseudonyms, text);
	if (!strcmp(key, "build_id"))
		return other_build_id(pseudonyms, text);
	return anonymous_value(pseudonyms, key, text);
}

static json_t *replace(const struct pseudonyms *pseudonyms, const char *key, const json_t *value);

static json_t *replace_list(const struct pseudonyms *pseudonyms, const char *key,
			    const json_t *list)
{
	json_t *other = json_array();

	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *of = key;

		if (!strcmp(key, "argv"))
			of = i ? "argument" : "path";
		json_value_append(other, replace(pseudonyms, of, json_array_get(list, i)));
	}
	return other;
}

static json_t *replace(const struct pseudonyms *pseudonyms, const char *key, const json_t *value)
{
	json_t *other;
	char *text;

	if (json_is_array(value))
		return replace_list(pseudonyms, key, value);
	if (json_is_object(value)) {
		other = json_object();
		for (void *at = json_object_iter((json_t *)value); at;
		     at = json_object_iter_next((json_t *)value, at))
			json_value_set(other, json_object_iter_key(at),
				       replace(pseudonyms, json_object_iter_key(at),
					       json_object_iter_value(at)));
		return other;
	}
	if (!json_is_string(value))
		return json_incref((json_t *)value);
	text = other_text(pseudonyms, key, json_string_value(value));
	other = json_value_text(text);
	free(text);
	return other;
}

int anonymous_rss(const char *from, const char *to, const struct pseudonyms *pseudonyms,
		  struct err *err)
{
	json_error_t error;
	json_t *root = json_load_file(from, 0, &error), *other;
	int ret = 0;

	if (!root)
		return err_set(err, "%s: line %d, column %d: %s", from, error.line, error.column,
			       error.text);
	other = replace(pseudonyms, "", root);
	if (json_dump_file(other, to, JSON_INDENT(2)))
		ret = err_set(err, "%s: cannot be written: %s", to, strerror(errno));
	json_decref(root);
	json_decref(other);
	return ret;
}
