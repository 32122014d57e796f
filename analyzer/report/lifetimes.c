/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/lifetimes.h"

#include "analyzer/base/number.h"

static void opened(void *owner, const struct selection *selection)
{
	struct lifetimes *l = owner;

	l->selection = selection;
}

static void begun(void *owner, const struct selected_block *block, const struct event *event)
{
	struct lifetimes *l = owner;
	const uint64_t calls = l->selection->all_calls;
	const struct block birth = { l->selection->all_bytes, (uint32_t)calls,
				     (uint32_t)(calls >> 32) };
	struct stack_figures *stack;
	struct block old;

	(void)event;
	if (block->is_early)
		return;
	live_set_put(&l->births, block->addr, &birth, &old);
	stack = stack_figure_table_at(&l->stacks, block->stack);
	stack->figure[LIFETIME_LIVE]++;
	stack->figure[LIFETIME_GIVEN] += block->size;
	l->live.blocks++;
	l->live.bytes += block->size;
}

static void note(struct lifetime_class *classes, uint64_t life, uint64_t size)
{
	struct lifetime_class *class = &classes[number_class(life)];

	class->blocks++;
	class->bytes += size;
}

static void taken(void *owner, struct selected_block *block)
{
	struct lifetimes *l = owner;
	struct block birth;

	if (block->is_early || !live_set_get(&l->births, block->addr, &birth))
		return;
	live_set_remove(&l->births, block->addr);
	block->note[0] = birth.stack | (uint64_t)birth.thread << 32;
	block->note[1] = birth.size;
}

static void ended(void *owner, const struct selected_block *block, const struct event *event,
		  enum selection_end how)
{
	struct lifetimes *l = owner;
	struct stack_figures *stack;
	uint64_t calls, bytes, *sum;

	(void)event;
	(void)how;
	if (block->is_early)
		return;
	calls = l->selection->all_calls - block->note[0];
	bytes = l->selection->all_bytes - block->note[1];
	note(l->by_calls, calls, block->size);
	note(l->by_bytes, bytes, block->size);
	stack = stack_figure_table_at(&l->stacks, block->stack);
	stack->figure[LIFETIME_LIVE]--;
	stack->figure[LIFETIME_ENDED]++;
	stack->figure[LIFETIME_CALLS] += calls;
	sum = &stack->figure[LIFETIME_BYTES];
	if (__builtin_add_overflow(*sum, bytes, sum))
		*sum = UINT64_MAX;
	l->live.blocks--;
	l->live.bytes -= block->size;
	l->ended.blocks++;
	l->ended.bytes += block->size;
}

void lifetimes_init(struct lifetimes *l)
{
	*l = (struct lifetimes){ .view = { .opened = opened,
					   .begun = begun,
					   .taken = taken,
					   .ended = ended,
					   .owner = l } };
	live_set_init(&l->births);
}

void lifetimes_release(struct lifetimes *l)
{
	live_set_release(&l->births);
	stack_figure_table_release(&l->stacks);
}
