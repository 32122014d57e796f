/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values for JSON out of figures and of text that nobody has checked. Each returns a new reference,
 * never NULL. */
#ifndef XALLOC_RENDER_JSON_VALUE_H
#define XALLOC_RENDER_JSON_VALUE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* A string; bytes that are not UTF-8 become U+FFFD. NULL gives "". */
json_t *json_value_text(const char *text);
/* "0x1f" */
json_t *json_value_hex(uint64_t value);
/* An integer; above 2^63 - 1, which JSON readers do not take, that number. */
json_t *json_value_count(uint64_t count);
json_t *json_value_texts(char *const *text, size_t count);

/* The text of a value in jansson's flags; owned by the caller, free(). */
char *json_value_dump(const json_t *value, size_t flags);

/* object[key] = value, taking the reference. */
void json_value_set(json_t *object, const char *key, json_t *value);
void json_value_append(json_t *array, json_t *value);

#endif
