/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/mappings.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/model/depth_cut.h"
#include "analyzer/model/mapping_ranges.h"

struct build {
	struct mappings *mappings;
	uint32_t *stack_of; /* by node: index + 1, 0: none yet */
	size_t room;
	struct peak peak;
};

static struct stack_totals *stack_of(struct build *build, uint32_t node)
{
	struct result *stacks = &build->mappings->stacks;

	if (!build->stack_of[node]) {
		if (stacks->stacks == build->room) {
			build->room = build->room * 2 + 64;
			stacks->stack =
				xreallocarray(stacks->stack, build->room, sizeof(*stacks->stack));
		}
		stacks->stack[stacks->stacks] = (struct stack_totals){ .node = node };
		build->stack_of[node] = (uint32_t)++stacks->stacks;
	}
	return &stacks->stack[build->stack_of[node] - 1];
}

static struct mapping_sum *sum_of(struct build *build, uint32_t flags)
{
	return flags & XT_MAPPINGF_ALLOCATOR ? &build->mappings->allocator
					     : &build->mappings->program;
}

static void gone(void *owner, const struct mapping_range *part)
{
	struct build *build = owner;
	struct mapping_sum *sum = sum_of(build, part->flags);
	const uint64_t bytes = part->end - part->start;
	struct stack_totals *stack;

	sum->unmapped_bytes += bytes;
	sum->live_bytes -= bytes;
	if (sum == &build->mappings->allocator)
		return;
	stack = stack_of(build, part->node);
	peak_remove(&build->peak, stack, bytes);
	stack->live_blocks++; /* the call may have others: blocks are not counted */
}

static void come(void *owner, const struct mapping_range *whole, const struct mapping_call *by)
{
	struct build *build = owner;
	struct mapping_sum *sum = sum_of(build, whole->flags);
	const uint64_t bytes = whole->end - whole->start;
	struct stack_totals *stack;

	(void)by;
	sum->calls++;
	sum->mapped_bytes += bytes;
	sum->live_bytes += bytes;
	if (sum->live_bytes > sum->peak_bytes)
		sum->peak_bytes = sum->live_bytes;
	if (sum == &build->mappings->allocator)
		return;
	stack = stack_of(build, whole->node);
	stack->calls++;
	stack->bytes += bytes;
	peak_add(&build->peak, stack, bytes);
	peak_step(&build->peak, build->mappings->stacks.stack, build->mappings->stacks.stacks);
}

static void unknown(void *owner, uint64_t bytes, const struct mapping_call *by)
{
	struct build *build = owner;

	if (!(by->record.flags & XT_MAPPINGF_ALLOCATOR))
		build->mappings->unknown_bytes += bytes;
}

void mappings_build(struct mappings *mappings, const struct mapping_log *log, uint32_t depth)
{
	struct result *stacks = &mappings->stacks;
	struct build build = { .mappings = mappings };
	const struct mapping_watch watch = { gone, come, unknown, &build };
	struct mapping_ranges ranges = { .count = 0 };

	*mappings = (struct mappings){ .stacks.tree = log->tree };
	build.stack_of = xcalloc(log->tree->count, sizeof(*build.stack_of));
	peak_init(&build.peak);
	mapping_ranges_run(&ranges, log, UINT64_MAX, &watch);
	peak_settle(&build.peak, stacks->stack, stacks->stacks);
	for (size_t i = 0; i < stacks->stacks; i++)
		stacks->stack[i].live_blocks = stacks->stack[i].peak_blocks = 0;
	stacks->stacks = depth_cut_run(log->tree, stacks->stack, stacks->stacks,
				       depth && depth <= XT_DEPTH_MAX ? depth : XT_DEPTH_MAX);
	for (size_t i = 0; i < log->calls; i++) {
		const struct xt_mapping *m = &log->call[i].record;

		mappings->unmap_calls += !m->bytes && !(m->flags & XT_MAPPINGF_ALLOCATOR);
	}
	mapping_ranges_release(&ranges);
	free(build.stack_of);
}

void mappings_release(struct mappings *mappings)
{
	free(mappings->stacks.stack);
	*mappings = (struct mappings){ .unmap_calls = 0 };
}
