/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/base/name_pool.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/seed.h"

#define FIRST_ROOM 1024u

struct name_pool {
	char **text; /* by number */
	uint32_t count;
	uint32_t *slot; /* open addressing: number + 1, 0 is free; twice as many as text has room
			   for */
	uint32_t slots;
	uint64_t seed;
};

static uint64_t hash_text(uint64_t seed, const char *text)
{
	uint64_t hash = seed;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return seed_hash(seed, hash) >> 32;
}

/* The slot that holds the text, or the free one where it belongs. */
static uint32_t *find_slot(const struct name_pool *pool, const char *text)
{
	uint32_t at = (uint32_t)hash_text(pool->seed, text) & (pool->slots - 1);

	while (pool->slot[at] && strcmp(pool->text[pool->slot[at] - 1], text))
		at = (at + 1) & (pool->slots - 1);
	return &pool->slot[at];
}

static void set_room(struct name_pool *pool, uint32_t room)
{
	pool->text = xreallocarray(pool->text, room, sizeof(*pool->text));
	free(pool->slot);
	pool->slots = room * 2;
	pool->slot = xcalloc(pool->slots, sizeof(*pool->slot));
	for (uint32_t i = 0; i < pool->count; i++)
		*find_slot(pool, pool->text[i]) = i + 1;
}

struct name_pool *name_pool_new(void)
{
	struct name_pool *pool = xcalloc(1, sizeof(*pool));

	pool->seed = seed_make();
	set_room(pool, FIRST_ROOM);
	return pool;
}

void name_pool_free(struct name_pool *pool)
{
	if (!pool)
		return;
	for (uint32_t i = 0; i < pool->count; i++)
		free(pool->text[i]);
	free(pool->text);
	free(pool->slot);
	free(pool);
}

uint32_t name_pool_add(struct name_pool *pool, const char *text)
{
	uint32_t *slot;

	if (pool->count * 2 == pool->slots)
		set_room(pool, pool->slots);
	slot = find_slot(pool, text);
	if (!*slot) {
		pool->text[pool->count++] = xstrdup(text);
		*slot = pool->count;
	}
	return *slot - 1;
}

const char *name_pool_text(const struct name_pool *pool, uint32_t name)
{
	return pool->text[name];
}

uint32_t name_pool_count(const struct name_pool *pool)
{
	return pool->count;
}
