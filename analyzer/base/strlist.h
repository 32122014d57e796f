/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A growing list of strings that it owns. All zeros is an empty list; text[count] is NULL once one
 * was added. */
#ifndef XALLOC_BASE_STRLIST_H
#define XALLOC_BASE_STRLIST_H

#include <stddef.h>

struct strlist {
	char **text;
	size_t count, capacity;
};

/* Takes ownership of text, which came from malloc. */
void strlist_take(struct strlist *list, char *text);
void strlist_release(struct strlist *list);

#endif
