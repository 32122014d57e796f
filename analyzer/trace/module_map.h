/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The modules (ELF objects, vDSO) of the recorded process: which one owned an address, and when. An
 * address of a trace is a pair (epoch, pc), since a module can go and another take its place.
 */
#ifndef XALLOC_TRACE_MODULE_MAP_H
#define XALLOC_TRACE_MODULE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/trace/format.h"

struct module {
	uint32_t index;
	uint32_t first_epoch;
	uint32_t unload_epoch; /* UINT32_MAX: never; module_map_seal sets it */
	uint64_t map_start, map_end;
	uint64_t load_bias; /* run-time address minus link-time address */
	uint64_t entry;     /* e_entry, link-time; 0: none */
	struct xt_segment *segment;
	uint32_t segments;
	uint8_t *build_id; /* NULL: none */
	uint32_t build_id_bytes;
	char *path; /* never NULL; empty when not known */
	bool is_main;
};

struct module_map;

struct module_map *module_map_new(void);
void module_map_free(struct module_map *map);

/* Takes what module points to. Of several modules with one index module_map_seal keeps that with
 * the least first_epoch. */
void module_map_add(struct module_map *map, const struct module *module);
/* May come before its module. */
void module_map_unload(struct module_map *map, uint32_t index, uint32_t epoch);
/* To be called once, after the last add and unload and before the first get or find. */
void module_map_seal(struct module_map *map);

size_t module_map_count(const struct module_map *map);
/* i from 0 to count - 1, in the order of struct module's index. */
const struct module *module_map_get(const struct module_map *map, size_t i);
/* The owner of pc at that epoch, or NULL. */
const struct module *module_map_find(const struct module_map *map, uint32_t epoch, uint64_t pc);

#endif
