/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/rss/breakdown.h"

#include <stdlib.h>
#include <string.h>

#include "preload/launch/message.h"

#define ROWS_MAX 1000
#define ROWS_FIRST 64
#define OTHERS "others"

const char *row_kind_name(enum row_kind kind)
{
	static const char *const name[ROW_KINDS] = {
		[ROW_HEAP] = "heap",
		[ROW_ARENA] = "arena",
		[ROW_ANONYMOUS] = "anonymous",
		[ROW_STACK] = "stack",
		[ROW_BSS] = "bss",
		[ROW_THREAD_STACK] = "thread-stack",
		[ROW_FILE] = "file",
		[ROW_SHARED] = "shared-memory",
		[ROW_HUGETLB] = "hugetlb",
		[ROW_VDSO] = "vdso",
		[ROW_RESERVED] = "reserved",
		[ROW_OTHER] = "other",
	};

	return name[kind];
}

const char *row_field_key(enum row_field field)
{
#define ROW_FIELD_KEY(id, smaps, json) [FIELD_##id] = (json),
	static const char *const key[ROW_FIELD_COUNT] = { ROW_FIELDS(ROW_FIELD_KEY) };
#undef ROW_FIELD_KEY

	return key[field];
}

static struct row *find(const struct breakdown *b, enum row_kind kind, const char *name)
{
	/* those of a file follow each other */
	for (size_t i = b->count; i-- > 0;)
		if (b->rows[i].kind == kind &&
		    (b->rows[i].name == name || strcmp(b->rows[i].name, name) == 0))
			return &b->rows[i];
	return NULL;
}

static struct row *append(struct breakdown *b, enum row_kind kind, const char *name)
{
	struct row *row;

	if (b->count == b->room) {
		b->room = b->room ? 2 * b->room : ROWS_FIRST;
		b->rows = realloc(b->rows, b->room * sizeof(*b->rows));
		if (!b->rows)
			refuse(EXIT_REFUSED, "out of memory");
	}
	row = &b->rows[b->count++];
	memset(row, 0, sizeof(*row));
	row->kind = kind;
	row->name = name;
	return row;
}

void breakdown_add(struct breakdown *b, enum row_kind kind, const char *name,
		   const uint64_t field[ROW_FIELD_COUNT])
{
	struct row *row = find(b, kind, name);

	if (!row && b->count >= ROWS_MAX) {
		name = OTHERS;
		row = find(b, kind, name);
	}
	if (!row)
		row = append(b, kind, name);
	row->mappings++;
	for (int i = 0; i < ROW_FIELD_COUNT; i++)
		row->field[i] += field[i];
}

uint64_t breakdown_sum(const struct breakdown *b, enum row_field field)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < b->count; i++)
		sum += b->rows[i].field[field];
	return sum;
}

static int compare(const void *a, const void *b)
{
	const struct row *const x = a, *const y = b;
	const uint64_t rss = x->field[FIELD_RSS], other = y->field[FIELD_RSS];

	if (rss != other)
		return rss < other ? 1 : -1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return strcmp(x->name, y->name);
}

void breakdown_sort(struct breakdown *b)
{
	if (b->count)
		qsort(b->rows, b->count, sizeof(*b->rows), compare);
}

void breakdown_clear(struct breakdown *b)
{
	b->count = 0;
}

void breakdown_copy(struct breakdown *to, const struct breakdown *from)
{
	breakdown_release(to);
	if (!from->count)
		return;
	to->rows = memory_new(from->count, sizeof(*to->rows));
	memcpy(to->rows, from->rows, from->count * sizeof(*to->rows));
	to->count = to->room = from->count;
}

void breakdown_release(struct breakdown *b)
{
	free(b->rows);
	memset(b, 0, sizeof(*b));
}
