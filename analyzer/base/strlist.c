/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/base/strlist.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"

void strlist_take(struct strlist *list, char *text)
{
	if (list->count + 1 >= list->capacity) {
		list->capacity = list->capacity ? list->capacity * 2 : 8;
		list->text = xreallocarray(list->text, list->capacity, sizeof(*list->text));
	}
	list->text[list->count++] = text;
	list->text[list->count] = NULL;
}

void strlist_release(struct strlist *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->text[i]);
	free(list->text);
	*list = (struct strlist){ 0 };
}
