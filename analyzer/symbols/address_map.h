/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers by address of something in memory: a table that only grows. */
#ifndef XALLOC_SYMBOLS_ADDRESS_MAP_H
#define XALLOC_SYMBOLS_ADDRESS_MAP_H

#include <stdint.h>

#define ADDRESS_MAP_NONE UINT32_MAX

/* All zeros is an empty map. */
struct address_map {
	const void **key; /* NULL: free */
	uint32_t *value;
	uint32_t slots, count;
};

void address_map_release(struct address_map *map);

/* The number of a key, for the caller to set: ADDRESS_MAP_NONE when it is new. Valid until the next
 * call. key: not NULL. */
uint32_t *address_map_make(struct address_map *map, const void *key);

#endif
