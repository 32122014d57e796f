/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/base/brackets.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"

bool brackets_is_identifier(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

size_t brackets_operator_bytes(const char *name, size_t at)
{
	/* a sign stands before those that begin it */
	static const char *const signs[] = {
		" new[]", " delete[]", " new", " delete", " co_await", "\"\" ", "\"\"", "<=>",
		"<<=",    ">>=",       "->*",  "()",      "[]",        "<<",    ">>",   "<=",
		">=",     "->",        "&&",   "||",      "++",        "--",    "==",   "!=",
		"+=",     "-=",        "*=",   "/=",      "%=",        "^=",    "&=",   "|=",
		"<",      ">",         "+",    "-",       "*",         "/",     "%",    "^",
		"&",      "|",         "~",    "!",       "=",         ",",
	};
	const size_t word = strlen("operator");

	if (strncmp(name + at, "operator", word) || brackets_is_identifier(name[at + word]) ||
	    (at && brackets_is_identifier(name[at - 1])))
		return 0;
	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
		const size_t bytes = strlen(signs[i]);

		if (!strncmp(name + at + word, signs[i], bytes) &&
		    (signs[i][0] != ' ' || !brackets_is_identifier(name[at + word + bytes])))
			return word + bytes;
	}
	return word;
}

static char opener_of(char closer)
{
	return closer == ')' ? '(' : closer == ']' ? '[' : closer == '}' ? '{' : 0;
}

size_t *brackets_match(const char *name, size_t length)
{
	size_t *match = xcalloc(length + 1, sizeof(*match));
	size_t *open = xcalloc(length + 1, sizeof(*open)), count = 0;
	/* how many of each are open: a closer without an opener must not search them all */
	size_t opened[256] = { 0 };

	for (size_t i = 0; i < length; i++) {
		const size_t skipped = brackets_operator_bytes(name, i);
		const char opener = opener_of(name[i]);

		if (skipped) {
			i += skipped - 1;
		} else if (name[i] == '(' || name[i] == '<' || name[i] == '[' || name[i] == '{') {
			opened[(unsigned char)name[i]]++;
			open[count++] = i;
		} else if (name[i] == '>') {
			if (count && name[open[count - 1]] == '<' && name[i - 1] != '-') {
				match[open[--count]] = i;
				opened['<']--;
			}
		} else if (opener && opened[(unsigned char)opener]) {
			while (name[open[--count]] != opener)
				opened[(unsigned char)name[open[count]]]--;
			opened[(unsigned char)opener]--;
			match[open[count]] = i;
		}
	}
	free(open);
	return match;
}
