/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/suppressions.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/text_file.h"

static int read_line(struct suppressions *to, char *line, uint32_t number, struct err *err)
{
	static const char type[] = "leak:";
	size_t length;

	line += strspn(line, " \t");
	length = strlen(line);
	while (length && strchr(" \t\r\n", line[length - 1]))
		line[--length] = '\0';
	if (!length || *line == '#')
		return 0;
	if (strncmp(line, type, strlen(type)))
		return err_set(err, "%s:%u: %s: not of the form leak:PATTERN", to->path, number,
			       line);
	if (length == strlen(type))
		return err_set(err, "%s:%u: there is no pattern behind leak:", to->path, number);
	to->entry = xreallocarray(to->entry, to->count + 1, sizeof(*to->entry));
	to->entry[to->count++] = (struct suppression){ xstrdup(line + strlen(type)), number };
	return 0;
}

int suppressions_read(struct suppressions *suppressions, const char *path, struct err *err)
{
	uint32_t number = 0;
	char *text, *line, *end;
	size_t bytes;
	int ret = 0;

	*suppressions = (struct suppressions){ .path = xstrdup(path) };
	text = text_file_read(path, &bytes);
	if (!text)
		return err_set(err, "%s: %s", path, strerror(errno));
	for (line = text; !ret && line < text + bytes; line = end + 1) {
		end = line + strcspn(line, "\n");
		number++;
		if (!*end && end < text + bytes)
			ret = err_set(err, "%s:%u: a zero byte", path, number);
		*end = '\0';
		if (!ret)
			ret = read_line(suppressions, line, number, err);
	}
	free(text);
	return ret;
}

void suppressions_release(struct suppressions *suppressions)
{
	for (size_t i = 0; i < suppressions->count; i++)
		free(suppressions->entry[i].pattern);
	free(suppressions->entry);
	free(suppressions->path);
}

/* The piece of the pattern before the next * or its end, found in the text: at its start, at its
 * end, or the first there is. NULL: it is not there. */
static const char *find_piece(const char *text, const char *piece, size_t length, bool at_start,
			      bool at_end)
{
	const size_t left = strlen(text);

	if (length > left)
		return NULL;
	if (at_start)
		return !strncmp(text, piece, length) && (!at_end || length == left) ? text : NULL;
	if (at_end)
		return memcmp(text + left - length, piece, length) ? NULL : text + left - length;
	return memmem(text, left, piece, length);
}

static bool matches(const char *pattern, const char *text)
{
	bool at_start = *pattern == '^';
	const char *at = text;

	pattern += at_start;
	for (;;) {
		const size_t length = strcspn(pattern, "*");
		const bool at_end = !pattern[length] && length && pattern[length - 1] == '$';

		at = find_piece(at, pattern, length - at_end, at_start, at_end);
		if (!at)
			return false;
		at += length - at_end;
		pattern += length;
		if (!*pattern)
			return true;
		pattern += strspn(pattern, "*");
		at_start = false;
	}
}

size_t suppressions_find(const struct suppressions *suppressions, const char *text)
{
	for (size_t i = 0; i < suppressions->count; i++)
		if (matches(suppressions->entry[i].pattern, text))
			return i;
	return SUPPRESSION_NONE;
}
