/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sets of small numbers, each distinct set kept once and called by a number of its own, from 0, the
 * empty set, on. Unions of sets that were united before are found again, so a walk over a tree that
 * hands sets from parents to children costs a few loads a node.
 */
#ifndef XALLOC_BASE_BIT_SETS_H
#define XALLOC_BASE_BIT_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bit_sets;

/* Members are from 0 to bits - 1. */
struct bit_sets *bit_sets_new(uint32_t bits);
void bit_sets_free(struct bit_sets *sets); /* NULL is fine */

/* So many 64-bit words make a set, at least 1; bit i is bit i % 64 of word i / 64. */
size_t bit_sets_words(const struct bit_sets *sets);
uint32_t bit_sets_count(const struct bit_sets *sets);

/* The number of the set of these words, added when it is new. */
uint32_t bit_sets_add(struct bit_sets *sets, const uint64_t *words);
uint32_t bit_sets_union(struct bit_sets *sets, uint32_t a, uint32_t b);
/* The words of a set. Valid until the next add or union. */
const uint64_t *bit_sets_get(const struct bit_sets *sets, uint32_t set);

static inline void bit_set_put(uint64_t *words, uint32_t bit)
{
	words[bit / 64] |= UINT64_C(1) << bit % 64;
}

static inline bool bit_set_has(const uint64_t *words, uint32_t bit)
{
	return words[bit / 64] >> bit % 64 & 1;
}

#endif
