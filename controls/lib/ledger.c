/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "controls/lib/ledger.h"

#include <stdlib.h>
#include <unistd.h>

#define ENTRIES 8192

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void __libc_free(void *block);

struct entry {
	const void *block; /* NULL: none */
	size_t bytes;
	int phase;
};

int ledger_phase;
struct ledger ledger[LEDGER_PHASES];

static struct entry entry[ENTRIES];
static const void *newest; /* the block of the latest call */

static struct entry *find(const void *block)
{
	for (struct entry *e = entry; e < entry + ENTRIES; e++)
		if (e->block == block)
			return e;
	_exit(9); /* not allocated here, or no entry is left */
}

static void *note(void *block, size_t bytes, unsigned long *function)
{
	struct ledger *l = &ledger[ledger_phase];

	if (!block) {
		l->failed++;
		return NULL;
	}
	*find(NULL) = (struct entry){ block, bytes, ledger_phase };
	newest = block;
	l->calls++;
	l->bytes += bytes;
	l->live_calls++;
	l->live_bytes += bytes;
	++*function;
	return block;
}

static void forget(const void *block)
{
	struct entry *e = find(block);
	struct ledger *l = &ledger[e->phase];

	l->live_calls--;
	l->live_bytes -= e->bytes;
	l->temporary += block == newest;
	e->block = NULL;
}

void *malloc(size_t bytes)
{
	return note(__libc_malloc(bytes), bytes, &ledger[ledger_phase].by_malloc);
}

void *calloc(size_t n, size_t bytes)
{
	return note(__libc_calloc(n, bytes), n * bytes, &ledger[ledger_phase].by_calloc);
}

void *realloc(void *old, size_t bytes)
{
	if (old && bytes)
		forget(old);
	if (old && !bytes) {
		free(old);
		return NULL;
	}
	return note(__libc_realloc(old, bytes), bytes, &ledger[ledger_phase].by_realloc);
}

void free(void *block)
{
	if (!block)
		return;
	ledger[ledger_phase].frees++;
	forget(block);
	__libc_free(block);
}
