/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/json_mappings.h"

#include <inttypes.h>
#include <stddef.h>

#include "analyzer/render/json_stacks.h"

static void put_figure(FILE *out, const char *key, uint64_t value)
{
	fprintf(out, "    \"%s\": %" PRIu64 ",\n", key, value < INT64_MAX ? value : INT64_MAX);
}

static void put_stacks(FILE *out, const struct summary *s)
{
	const struct shown_list *list = &s->mapping_list;
	struct json_stacks json;

	json_stacks_init(&json, out, "      ");
	for (size_t i = 0; i < list->count; i++) {
		const struct shown_stack *stack = list->stack[i];
		const struct json_figure figure[] = {
			{ "mapped_bytes", stack->sum.bytes },
			{ "calls", stack->sum.calls },
			{ "unmapped_bytes", stack->sum.bytes - stack->sum.live_bytes },
			{ "live_bytes", stack->sum.live_bytes },
			{ "bytes_at_highest", stack->sum.peak_bytes },
			{ "merged", stack->merged },
		};

		json_stacks_put(&json, figure, sizeof(figure) / sizeof(*figure),
				shown_stacks_walk(s->mapping_stacks, stack, METRIC_BYTES),
				i + 1 == list->count);
	}
	json_stacks_release(&json);
}

void json_mappings_put(FILE *out, const struct summary *s)
{
	const struct mapping_sum *program = &s->mappings.program;
	const struct mapping_sum *allocator = &s->mappings.allocator;

	fputs("  \"mappings\": {\n", out);
	put_figure(out, "calls", program->calls);
	put_figure(out, "mapped_bytes", program->mapped_bytes);
	put_figure(out, "unmap_calls", s->mappings.unmap_calls);
	put_figure(out, "unmapped_bytes", program->unmapped_bytes);
	put_figure(out, "unknown_unmapped_bytes", s->mappings.unknown_bytes);
	put_figure(out, "live_bytes", program->live_bytes);
	put_figure(out, "highest_mapped_bytes", program->peak_bytes);
	put_figure(out, "allocator_calls", allocator->calls);
	put_figure(out, "allocator_mapped_bytes", allocator->mapped_bytes);
	put_figure(out, "allocator_live_bytes", allocator->live_bytes);
	put_figure(out, "allocator_highest_bytes", allocator->peak_bytes);
	fputs("    \"stacks\": [\n", out);
	put_stacks(out, s);
	fputs("    ]\n  },\n", out);
}
