/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of mappings of a snapshot, for residency.c. */
#ifndef XALLOC_MODEL_RESIDENCY_MAPS_H
#define XALLOC_MODEL_RESIDENCY_MAPS_H

#include <stdint.h>

#include "analyzer/model/residency.h"

/* Fills r->map; its blocks are sorted. */
void residency_maps_read(struct residency *r);
/* The mapping that has addr, or NULL. */
struct residency_map *residency_maps_find(struct residency *r, uint64_t addr);
/* After the blocks: sums up each kind. */
void residency_maps_sum(struct residency *r);

#endif
