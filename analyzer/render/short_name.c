/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/short_name.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"

#define ELLIPSIS "…"
#define WORD_BYTES 8 /* <int>, <char>, (bool): no gain, and some use */

static bool is_identifier(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Bytes of `operator<<` and the like at name[at], 0: there is none. Their signs are no brackets. */
static size_t operator_bytes(const char *name, size_t at)
{
	static const char *const signs[] = { "<=>", "<<=", ">>=", "->*", "()", "<<", ">>", "<=",
					     ">=", "->", "<", ">" };
	const size_t word = strlen("operator");

	if (strncmp(name + at, "operator", word) || (at && is_identifier(name[at - 1])))
		return 0;
	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		if (!strncmp(name + at + word, signs[i], strlen(signs[i])))
			return word + strlen(signs[i]);
	return 0;
}

/*
 * match[i]: the bracket that closes the one at i, 0: i is no bracket that closes. A '<' or '>' may
 * be a sign of less or greater: then it has no partner inside the brackets around it. One pass, for
 * a name may be made to be slow.
 */
static void find_matches(const char *name, size_t length, size_t *match)
{
	size_t *open = xcalloc(length + 1, sizeof(*open)), count = 0;

	for (size_t i = 0; i < length; i++) {
		const size_t skipped = operator_bytes(name, i);
		size_t top = count;

		if (skipped) {
			i += skipped - 1;
		} else if (name[i] == '(' || name[i] == '<') {
			open[count++] = i;
		} else if (name[i] == '>') {
			if (count && name[open[count - 1]] == '<' && name[i - 1] != '-')
				match[open[--count]] = i;
		} else if (name[i] == ')') {
			while (top && name[open[top - 1]] != '(')
				top--;
			if (top) {
				count = top - 1;
				match[open[count]] = i;
			}
		}
	}
	free(open);
}

/* Is what stands from name[at] to name[end] to be left out? */
static bool is_dropped(const char *name, size_t at, size_t end, bool is_operator)
{
	const size_t bytes = end - at - 1;

	if (bytes <= WORD_BYTES)
		return false;
	if (name[at] == '<') /* else `<Type as Trait>::function` of Rust */
		return is_operator || (at && (is_identifier(name[at - 1]) || name[at - 1] == ':'));
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
	match = xcalloc(length + 1, sizeof(*match));
	/* What is left out is longer than what is put in its place. */
	text = xmalloc(length + 1);
	find_matches(name, length, match);
	for (size_t i = 0; i < length; i++) {
		const size_t sign = operator_bytes(name, i);

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
