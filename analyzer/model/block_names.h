/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names for blocks whose addresses are dropped. Blocks of one stack, one size and one thread may
 * stand for each other in every figure, but for one thing: whether the block was its thread's
 * latest when it went. So a block that goes is given the name that is shortest to say: the latest
 * of those blocks that were named, or where that is its thread's latest and the block is not, the
 * one before it.
 */
#ifndef XALLOC_MODEL_BLOCK_NAMES_H
#define XALLOC_MODEL_BLOCK_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/live_set.h"

struct block_names;

struct block_names *block_names_new(void);
void block_names_free(struct block_names *names);

/* The block came; it is its thread's latest now. */
void block_names_add(struct block_names *names, const struct block *block, uint64_t name);
/* It went: what it is called. It was added. */
uint64_t block_names_take(struct block_names *names, const struct block *block, bool is_latest);

#endif
