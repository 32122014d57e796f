/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/check_place.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"

/* How long the last component of a path is. */
static size_t last_length(const char *path, size_t used)
{
	size_t length = 0;

	while (length < used && path[used - length - 1] != '/')
		length++;
	return length;
}

/* The path without "//", "." and, where something stands before it, "..". Owned by the caller. */
static char *clean_path(const char *path)
{
	const size_t least = *path == '/';
	char *clean = xmalloc(strlen(path) + 2);
	size_t used = least;

	clean[0] = '/';
	while (*path) {
		const size_t length = strcspn(path, "/"), last = last_length(clean, used);
		const bool is_up = length == 2 && !strncmp(path, "..", 2);

		if (is_up && last && !(last == 2 && !strncmp(clean + used - 2, "..", 2))) {
			used -= last;
			used -= used > least; /* the slash before it */
		} else if (length && !(length == 1 && *path == '.') && !(is_up && least)) {
			if (used > least)
				clean[used++] = '/';
			memcpy(clean + used, path, length);
			used += length;
		}
		path += length;
		path += *path == '/';
	}
	clean[used] = '\0';
	return clean;
}

struct check_place check_place_of_frame(const struct check_frame *frame, const char *root)
{
	struct check_place place = { .line = frame->line };
	char *path, *base;
	size_t length;

	if (!*frame->file || !frame->line)
		return (struct check_place){ .file = NULL };
	path = clean_path(frame->file);
	base = clean_path(root);
	length = strlen(base);
	if (*path != '/') {
		place.is_below_root = strncmp(path, "../", 3) != 0;
	} else if (!strncmp(path, base, length) && (path[length] == '/' || !strcmp(base, "/"))) {
		place.is_below_root = true;
		length += path[length] == '/';
	}
	place.file = xstrdup(path + (place.is_below_root && *path == '/' ? length : 0));
	free(base);
	free(path);
	return place;
}

struct check_place check_place_of(const struct check_stack *stack, const char *root)
{
	struct check_place first = { .file = NULL };

	for (size_t i = 0; i < stack->frames; i++) {
		struct check_place place = check_place_of_frame(&stack->frame[i], root);

		if (place.is_below_root) {
			free(first.file);
			return place;
		}
		if (first.file)
			free(place.file);
		else
			first = place;
	}
	return first;
}
