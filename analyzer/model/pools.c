/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/pools.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/model/depth_cut.h"
#include "analyzer/model/live_set.h"
#include "analyzer/model/peak.h"
#include "preload/trace/format.h"

#define UNTRACKED UINT32_MAX /* in place of a block's stack */

struct pool_state {
	struct live_set live;
	struct peak peak;
	size_t stacks, stack_room;
	uint32_t *of_node; /* by node: stack + 1, 0: none */
	uint32_t nodes, text;
};

static uint32_t find(struct pools *pools, uint32_t text)
{
	if (text >= pools->texts) {
		const uint32_t texts = text + text / 2 + 16;

		pools->of_text = xreallocarray(pools->of_text, texts, sizeof(*pools->of_text));
		memset(pools->of_text + pools->texts, 0,
		       (texts - pools->texts) * sizeof(*pools->of_text));
		pools->texts = texts;
	}
	if (!pools->of_text[text]) {
		if (pools->count < POOLS_MAX) {
			const uint32_t count = pools->count + 1;

			pools->state = xreallocarray(pools->state, count, sizeof(*pools->state));
			pools->pool = xreallocarray(pools->pool, count, sizeof(*pools->pool));
			pools->state[count - 1] = (struct pool_state){ .text = text };
			pools->pool[count - 1] = (struct pool){ .allocation_calls = 0 };
			live_set_init(&pools->state[count - 1].live);
			peak_init(&pools->state[count - 1].peak);
			pools->count = count;
		}
		pools->of_text[text] = pools->count;
	}
	return pools->of_text[text] - 1;
}

static uint32_t stack_of(struct pool *pool, struct pool_state *state, uint32_t node)
{
	if (node >= state->nodes) {
		const uint32_t nodes = node + node / 2 + 64;

		state->of_node = xreallocarray(state->of_node, nodes, sizeof(*state->of_node));
		memset(state->of_node + state->nodes, 0,
		       (nodes - state->nodes) * sizeof(*state->of_node));
		state->nodes = nodes;
	}
	if (!state->of_node[node]) {
		if (state->stacks == state->stack_room) {
			state->stack_room = state->stack_room * 2 + 16;
			pool->stack =
				xreallocarray(pool->stack, state->stack_room, sizeof(*pool->stack));
		}
		pool->stack[state->stacks] = (struct stack_totals){ .node = node };
		state->of_node[node] = (uint32_t)++state->stacks;
	}
	return state->of_node[node] - 1;
}

static void give_back(struct pool *pool, struct pool_state *state, uint64_t addr)
{
	struct block block;

	if (!live_set_get(&state->live, addr, &block)) {
		pool->foreign_frees++;
		return;
	}
	if (block.stack != UNTRACKED)
		peak_remove(&state->peak, &pool->stack[block.stack], block.size);
	live_set_remove(&state->live, addr);
}

static void bring(struct pool *pool, struct pool_state *state, const struct event *event)
{
	const bool is_tracked = !(event->flags & EVENT_UNTRACKED);
	const uint32_t index = is_tracked ? stack_of(pool, state, event->node) : UNTRACKED;
	const struct block block = { event->size, index, 0 };
	struct block old;

	if (live_set_put(&state->live, event->addr, &block, &old) && old.stack != UNTRACKED)
		peak_remove(&state->peak, &pool->stack[old.stack], old.size);
	if (!is_tracked)
		return;
	peak_add(&state->peak, &pool->stack[index], event->size);
	pool->stack[index].calls++;
	pool->stack[index].bytes += event->size;
	pool->allocation_calls++;
	pool->allocated_bytes += event->size;
	peak_step(&state->peak, pool->stack, state->stacks);
}

void pools_apply(struct pools *pools, const struct event *event)
{
	const uint32_t number = find(pools, event->text);
	struct pool *pool = &pools->pool[number];
	struct pool_state *state = &pools->state[number];

	if (event->fn == XT_POOL_FREE) {
		pool->free_calls++;
		give_back(pool, state, event->addr);
		return;
	}
	if (event->fn == XT_POOL_REALLOC && event->old_addr) {
		pool->reallocs++;
		give_back(pool, state, event->old_addr);
	}
	bring(pool, state, event);
}

void pools_finish(struct pools *pools, struct stack_tree *tree, uint32_t depth,
		  struct totals *totals, struct told *told)
{
	for (uint32_t i = 0; i < pools->count; i++) {
		struct pool *pool = &pools->pool[i];
		struct pool_state *state = &pools->state[i];

		peak_settle(&state->peak, pool->stack, state->stacks);
		pool->stacks = depth_cut_run(tree, pool->stack, state->stacks, depth);
		pool->name = name_pool_text(told->texts, state->text);
		pool->peak_bytes = state->peak.bytes;
		pool->peak_blocks = state->peak.blocks;
		pool->leaked_bytes = state->peak.live_bytes;
		pool->leaked_blocks = state->peak.live_blocks;
		totals->pool_calls += pool->allocation_calls;
		totals->pool_bytes += pool->allocated_bytes;
		live_set_release(&state->live);
		free(state->of_node);
	}
	free(pools->state);
	free(pools->of_text);
	told->pool = pools->pool;
	told->pools = pools->count;
}
