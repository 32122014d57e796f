/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/address_map.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"

#define FIRST_SLOTS 256u

/* The slot of a key, or the free one where it belongs. */
static uint32_t find_slot(const struct address_map *map, const void *key)
{
	uint32_t at = (uint32_t)(((uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15)) >> 32);

	for (at &= map->slots - 1; map->key[at] && map->key[at] != key;)
		at = (at + 1) & (map->slots - 1);
	return at;
}

static void grow(struct address_map *map)
{
	const struct address_map old = *map;

	map->slots = old.slots ? old.slots * 2 : FIRST_SLOTS;
	map->key = xcalloc(map->slots, sizeof(*map->key));
	map->value = xcalloc(map->slots, sizeof(*map->value));
	for (uint32_t i = 0; i < old.slots; i++) {
		uint32_t at;

		if (!old.key[i])
			continue;
		at = find_slot(map, old.key[i]);
		map->key[at] = old.key[i];
		map->value[at] = old.value[i];
	}
	free(old.key);
	free(old.value);
}

void address_map_release(struct address_map *map)
{
	free(map->key);
	free(map->value);
	*map = (struct address_map){ .key = NULL };
}

uint32_t *address_map_make(struct address_map *map, const void *key)
{
	uint32_t at;

	if (map->count >= map->slots / 2)
		grow(map);
	at = find_slot(map, key);
	if (!map->key[at]) {
		map->key[at] = key;
		map->value[at] = ADDRESS_MAP_NONE;
		map->count++;
	}
	return &map->value[at];
}
