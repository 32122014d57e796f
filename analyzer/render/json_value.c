/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/json_value.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"

#define REPLACEMENT "\xEF\xBF\xBD"

/* Jansson fails only when memory has run out. */
static json_t *check(json_t *value)
{
	if (!value)
		out_of_memory(0);
	return value;
}

/* Bytes of the UTF-8 character at the start of text, 0 when there is none. */
static size_t character_bytes(const char *text)
{
	const size_t left = strnlen(text, 4);

	for (size_t bytes = 1; bytes <= left; bytes++) {
		json_t *value = json_stringn(text, bytes);
		const bool is_valid = value != NULL;

		json_decref(value);
		if (is_valid)
			return bytes;
	}
	return 0;
}

static json_t *repair(const char *text)
{
	char *valid = xmalloc(strlen(text) * strlen(REPLACEMENT) + 1), *to = valid;
	json_t *value;

	while (*text) {
		const size_t bytes = character_bytes(text);

		if (bytes) {
			memcpy(to, text, bytes);
			to += bytes;
			text += bytes;
		} else {
			memcpy(to, REPLACEMENT, strlen(REPLACEMENT));
			to += strlen(REPLACEMENT);
			text++;
		}
	}
	*to = '\0';
	value = check(json_string(valid));
	free(valid);
	return value;
}

json_t *json_value_text(const char *text)
{
	json_t *value = json_string(text ? text : "");

	return value ? value : repair(text);
}

json_t *json_value_hex(uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, number);
	return check(json_string(text));
}

json_t *json_value_count(uint64_t count)
{
	return check(json_integer(count > INT64_MAX ? INT64_MAX : (json_int_t)count));
}

json_t *json_value_texts(char *const *text, size_t count)
{
	json_t *array = check(json_array());

	for (size_t i = 0; i < count; i++)
		json_value_append(array, json_value_text(text[i]));
	return array;
}

char *json_value_dump(const json_t *value, size_t flags)
{
	char *text = json_dumps(value, flags);

	if (!text)
		out_of_memory(0);
	return text;
}

void json_value_set(json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value))
		out_of_memory(0);
}

void json_value_append(json_t *array, json_t *value)
{
	if (json_array_append_new(array, value))
		out_of_memory(0);
}
