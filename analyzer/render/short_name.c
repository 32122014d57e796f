/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/short_name.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/brackets.h"
#include "analyzer/base/mem.h"

#define ELLIPSIS "…"
#define WORD_BYTES 8 /* <int>, <char>, (bool): no gain, and some use */

/* Is what stands from name[at] to name[end] to be left out? */
static bool is_dropped(const char *name, size_t at, size_t end, bool is_operator)
{
	const size_t bytes = end - at - 1;

	if (bytes <= WORD_BYTES || (name[at] != '<' && name[at] != '('))
		return false;
	if (name[at] == '<') /* else `<Type as Trait>::function` of Rust */
		return is_operator ||
		       (at && (brackets_is_identifier(name[at - 1]) || name[at - 1] == ':'));
	return strncmp(name + at + 1, "anonymous namespace)", bytes + 1) && name[at + 1] != '*' &&
	       name[at + 1] != '&';
}

char *short_name_build(const char *name)
{
	const size_t length = strlen(name);
	size_t *match, bytes = 0, operator_end = 0;
	char *text;

	if (length <= SHORT_NAME_BYTES)
		return xstrdup(name);
	match = brackets_match(name, length);
	/* What is left out is longer than what is put in its place. */
	text = xmalloc(length + 1);
	for (size_t i = 0; i < length; i++) {
		const size_t sign = brackets_operator_bytes(name, i);

		if (sign) {
			memcpy(text + bytes, name + i, sign);
			bytes += sign;
			i += sign - 1;
			operator_end = i + 1;
			continue;
		}
		text[bytes++] = name[i];
		/* operator<< <char>: with a blank */
		if (name[i] == ' ' && operator_end == i && i)
			operator_end = i + 1;
		if (!match[i] || !is_dropped(name, i, match[i], operator_end == i && i))
			continue;
		memcpy(text + bytes, ELLIPSIS, strlen(ELLIPSIS));
		bytes += strlen(ELLIPSIS);
		i = match[i];
		text[bytes++] = name[i];
	}
	text[bytes] = '\0';
	free(match);
	return text;
}
