/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/thread_pairs.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/seed.h"

static struct thread_sum *sum_of(struct thread_pairs *p, uint32_t number)
{
	const uint32_t index = thread_table_index(&p->table, number);

	if (index >= p->room) {
		p->room = index + index / 2 + 16;
		p->thread = xreallocarray(p->thread, p->room, sizeof(*p->thread));
	}
	if (index >= p->threads) {
		p->thread[index] = (struct thread_sum){ .number = number };
		p->threads = index + 1;
	}
	return &p->thread[index];
}

/* Where a pair is, or belongs. */
static uint32_t *slot_of(const struct thread_pairs *p, uint32_t giver, uint32_t taker)
{
	const uint64_t hash = seed_hash(p->table.seed, (uint64_t)giver << 32 | taker);
	size_t at = hash & (p->slots - 1);

	while (p->slot[at] &&
	       (p->pair[p->slot[at] - 1].giver != giver || p->pair[p->slot[at] - 1].taker != taker))
		at = (at + 1) & (p->slots - 1);
	return &p->slot[at];
}

static void grow(struct thread_pairs *p)
{
	p->slots = p->slots ? p->slots * 2 : 64;
	free(p->slot);
	p->slot = xcalloc(p->slots, sizeof(*p->slot));
	for (size_t i = 0; i < p->pairs; i++)
		*slot_of(p, p->pair[i].giver, p->pair[i].taker) = (uint32_t)i + 1;
}

static struct thread_pair *pair_of(struct thread_pairs *p, uint32_t giver, uint32_t taker)
{
	uint32_t *slot;

	if (2 * p->pairs >= p->slots)
		grow(p);
	slot = slot_of(p, giver, taker);
	if (!*slot) {
		if (p->pairs == p->pair_room) {
			p->pair_room = p->pair_room * 2 + 16;
			p->pair = xreallocarray(p->pair, p->pair_room, sizeof(*p->pair));
		}
		p->pair[p->pairs] = (struct thread_pair){ .giver = giver, .taker = taker };
		*slot = (uint32_t)++p->pairs;
	}
	return &p->pair[*slot - 1];
}

static void begun(void *owner, const struct selected_block *block, const struct event *event)
{
	struct thread_sum *sum;

	(void)event;
	if (block->is_early)
		return;
	sum = sum_of(owner, block->thread);
	sum->calls++;
	sum->bytes += block->size;
	sum->live_blocks++;
	sum->live_bytes += block->size;
}

static void ended(void *owner, const struct selected_block *block, const struct event *event,
		  enum selection_end how)
{
	struct thread_pairs *p = owner;
	struct thread_sum *sum;
	struct thread_pair *pair;

	if (block->is_early || how == SELECTION_UNSEEN) /* nobody knows whose free it was */
		return;
	sum = sum_of(p, block->thread);
	sum->live_blocks--;
	sum->live_bytes -= block->size;
	if (event->thread == block->thread) {
		sum->own_blocks++;
		sum->own_bytes += block->size;
		return;
	}
	sum->lent_blocks++;
	sum->lent_bytes += block->size;
	sum = sum_of(p, event->thread);
	sum->taken_blocks++;
	sum->taken_bytes += block->size;
	pair = pair_of(p, block->thread, event->thread);
	pair->blocks++;
	pair->bytes += block->size;
}

void thread_pairs_init(struct thread_pairs *p)
{
	*p = (struct thread_pairs){ .view = { .begun = begun, .ended = ended, .owner = p } };
	thread_table_init(&p->table);
}

static int compare_threads(const void *left, const void *right)
{
	const struct thread_sum *a = left, *b = right;

	return a->number < b->number ? -1 : a->number > b->number;
}

static int compare_pairs(const void *left, const void *right)
{
	const struct thread_pair *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	if (a->giver != b->giver)
		return a->giver < b->giver ? -1 : 1;
	return a->taker < b->taker ? -1 : a->taker > b->taker;
}

void thread_pairs_finish(struct thread_pairs *p)
{
	if (p->threads)
		qsort(p->thread, p->threads, sizeof(*p->thread), compare_threads);
	if (p->pairs)
		qsort(p->pair, p->pairs, sizeof(*p->pair), compare_pairs);
}

void thread_pairs_release(struct thread_pairs *p)
{
	free(p->thread);
	free(p->pair);
	free(p->slot);
	thread_table_release(&p->table);
}
