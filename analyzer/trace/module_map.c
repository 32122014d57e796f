/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/module_map.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"

struct unload {
	uint32_t index, epoch;
};

struct range {
	uint64_t start, end_so_far; /* the greatest end of this and all ranges before it */
	const struct module *module;
};

struct module_map {
	struct module *module; /* sealed: in the order of index */
	size_t count, capacity;
	struct unload *unload;
	size_t unloads, unload_capacity;
	struct range *range; /* in the order of start */
};

struct module_map *module_map_new(void)
{
	return xcalloc(1, sizeof(struct module_map));
}

static void module_release(struct module *module)
{
	free(module->segment);
	free(module->build_id);
	free(module->path);
}

void module_map_free(struct module_map *map)
{
	if (!map)
		return;
	for (size_t i = 0; i < map->count; i++)
		module_release(&map->module[i]);
	free(map->module);
	free(map->unload);
	free(map->range);
	free(map);
}

void module_map_add(struct module_map *map, const struct module *module)
{
	if (map->count == map->capacity) {
		map->capacity = map->capacity ? map->capacity * 2 : 16;
		map->module = xreallocarray(map->module, map->capacity, sizeof(*map->module));
	}
	map->module[map->count] = *module;
	map->module[map->count].unload_epoch = UINT32_MAX;
	map->count++;
}

void module_map_unload(struct module_map *map, uint32_t index, uint32_t epoch)
{
	if (map->unloads == map->unload_capacity) {
		map->unload_capacity = map->unload_capacity ? map->unload_capacity * 2 : 16;
		map->unload = xreallocarray(map->unload, map->unload_capacity,
					    sizeof(*map->unload));
	}
	map->unload[map->unloads++] = (struct unload){ index, epoch };
}

static int by_index(const void *a, const void *b)
{
	const struct module *x = a, *y = b;

	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return x->first_epoch < y->first_epoch ? -1 : x->first_epoch > y->first_epoch;
}

static int by_start(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->module->index < y->module->index ? -1 : 1;
}

static int index_of(const void *key, const void *element)
{
	const uint32_t index = *(const uint32_t *)key;
	const struct module *module = element;

	return index < module->index ? -1 : index > module->index;
}

static void drop_equal(struct module_map *map)
{
	size_t kept = 0;

	for (size_t i = 0; i < map->count; i++) {
		if (kept && map->module[kept - 1].index == map->module[i].index)
			module_release(&map->module[i]);
		else
			map->module[kept++] = map->module[i];
	}
	map->count = kept;
}

void module_map_seal(struct module_map *map)
{
	uint64_t end = 0;

	if (!map->count)
		return;
	qsort(map->module, map->count, sizeof(*map->module), by_index);
	drop_equal(map);
	for (size_t i = 0; i < map->unloads; i++) {
		struct module *module = bsearch(&map->unload[i].index, map->module, map->count,
						sizeof(*map->module), index_of);

		if (module && map->unload[i].epoch < module->unload_epoch)
			module->unload_epoch = map->unload[i].epoch;
	}
	map->range = xcalloc(map->count, sizeof(*map->range));
	for (size_t i = 0; i < map->count; i++)
		map->range[i] = (struct range){ map->module[i].map_start, 0, &map->module[i] };
	qsort(map->range, map->count, sizeof(*map->range), by_start);
	for (size_t i = 0; i < map->count; i++) {
		if (map->range[i].module->map_end > end)
			end = map->range[i].module->map_end;
		map->range[i].end_so_far = end;
	}
}

size_t module_map_count(const struct module_map *map)
{
	return map->count;
}

const struct module *module_map_get(const struct module_map *map, size_t i)
{
	if (i >= map->count)
		BUG("module %zu of %zu", i, map->count);
	return &map->module[i];
}

const struct module *module_map_find(const struct module_map *map, uint32_t epoch, uint64_t pc)
{
	const struct module *found = NULL;
	size_t low = 0, high = map->range ? map->count : 0;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (map->range[middle].start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low && map->range[low - 1].end_so_far > pc; low--) {
		const struct module *module = map->range[low - 1].module;

		if (pc >= module->map_end || epoch < module->first_epoch ||
		    epoch >= module->unload_epoch)
			continue;
		if (!found || module->first_epoch > found->first_epoch)
			found = module;
	}
	return found;
}
