/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/growth_copies.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "preload/trace/format.h"

static struct growth_copies_latest *latest_of(struct growth_copies *c, uint32_t thread)
{
	const uint32_t index = thread_table_index(&c->threads, thread);

	if (index >= c->room) {
		const uint32_t room = index + index / 2 + 16;

		c->latest = xreallocarray(c->latest, room, sizeof(*c->latest));
		memset(c->latest + c->room, 0, (room - c->room) * sizeof(*c->latest));
		c->room = room;
	}
	return &c->latest[index];
}

/* A step from one block to a larger one. */
static uint64_t *note_step(struct growth_copies *c, const struct selected_block *new,
			   bool old_was_grown)
{
	uint64_t *figure = stack_figure_table_at(&c->stacks, new->stack)->figure;
	const struct block mark = { 1, 0, 0 };
	struct block old;

	figure[GROWTH_COPIES_SERIES] += !old_was_grown;
	live_set_put(&c->grown, new->addr, &mark, &old);
	return figure;
}

static void taken(void *owner, struct selected_block *block)
{
	struct growth_copies *c = owner;
	struct block mark;

	block->note[0] = live_set_get(&c->grown, block->addr, &mark);
	if (block->note[0])
		live_set_remove(&c->grown, block->addr);
}

static void note_realloc(struct growth_copies *c, const struct selected_block *new,
			 const struct selected_block *old)
{
	uint64_t *figure;

	if (new->size <= old->size) {
		figure = stack_figure_table_at(&c->stacks, new->stack)->figure;
		figure[GROWTH_COPIES_OTHER]++;
		return;
	}
	figure = note_step(c, new, old->note[0]);
	if (new->addr == old->addr) {
		figure[GROWTH_COPIES_IN_PLACE]++;
		return;
	}
	figure[GROWTH_COPIES_MOVED]++;
	figure[GROWTH_COPIES_MOVED_BYTES] += old->size;
	figure[GROWTH_COPIES_COPIED] += old->size;
}

static void begun(void *owner, const struct selected_block *block, const struct event *event)
{
	struct growth_copies *c = owner;
	struct growth_copies_latest *latest = latest_of(c, block->thread);

	latest->block = *block;
	latest->is_open = event->op != XT_OP_REALLOC && !block->is_early;
	if (c->has_old && !block->is_early && event->op == XT_OP_REALLOC &&
	    event->old_addr == c->old.addr)
		note_realloc(c, block, &c->old);
	c->has_old = false;
}

static void ended(void *owner, const struct selected_block *block, const struct event *event,
		  enum selection_end how)
{
	struct growth_copies *c = owner;
	struct growth_copies_latest *latest;
	uint64_t *figure;

	c->has_old = how == SELECTION_REALLOCATED;
	c->old = *block;
	latest = latest_of(c, block->thread);
	if (latest->block.addr == block->addr)
		latest->is_open = false;
	if (how != SELECTION_FREED || event->thread != block->thread || block->is_early ||
	    !latest->is_open || latest->block.stack != block->stack ||
	    latest->block.size <= block->size)
		return;
	latest->is_open = false;
	figure = note_step(c, &latest->block, block->note[0]);
	figure[GROWTH_COPIES_REPLACED]++;
	figure[GROWTH_COPIES_REPLACED_BYTES] += block->size;
	figure[GROWTH_COPIES_COPIED] += block->size;
}

void growth_copies_init(struct growth_copies *c)
{
	*c = (struct growth_copies){
		.view = { .begun = begun, .taken = taken, .ended = ended, .owner = c }
	};
	thread_table_init(&c->threads);
	live_set_init(&c->grown);
}

void growth_copies_release(struct growth_copies *c)
{
	stack_figure_table_release(&c->stacks);
	thread_table_release(&c->threads);
	live_set_release(&c->grown);
	free(c->latest);
}
