/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a chunk of columns expects of addresses (docs/trace-format.md, "Expected addresses"), a
 * second time: the blocks returned so far and what was freed of each size class.
 */
#ifndef XALLOC_VERIFY_STEP_BLOCKS_H
#define XALLOC_VERIFY_STEP_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

struct step_blocks;

struct step_blocks *step_blocks_new(void);
void step_blocks_free(struct step_blocks *blocks);

/* A chunk begins. */
void step_blocks_forget(struct step_blocks *blocks);

/* The address of the block of that age; 0: there is none. */
uint64_t step_blocks_aged(const struct step_blocks *blocks, uint64_t age);
/* It was freed. */
void step_blocks_give_back(struct step_blocks *blocks, uint64_t age);
/* What a call for so many bytes is expected to return; 0: nothing is. */
uint64_t step_blocks_expected(const struct step_blocks *blocks, uint64_t size);
/* What the address that it returned is told by otherwise; 0 where there is nothing. */
uint64_t step_blocks_near(const struct step_blocks *blocks, uint64_t size);
/* A REALLOC left the block where it was. */
void step_blocks_stayed(struct step_blocks *blocks, uint64_t addr, uint64_t size);
/* It returned that. */
void step_blocks_returned(struct step_blocks *blocks, uint64_t addr, uint64_t size);

#endif
