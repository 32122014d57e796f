/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/verified.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/cmd/analysis.h"
#include "analyzer/model/replay.h"
#include "analyzer/symbols/symbolizer.h"
#include "analyzer/trace/trace.h"
#include "analyzer/verify/verify.h"

/* What the report says, handed to verify stack by stack. */
struct claim_source {
	const struct trace *trace;
	const struct result *result;
	struct symbolizer *symbols;
	size_t at; /* of the stacks */
	uint32_t *frame;
	uint32_t capacity;
};

static bool next_stack(void *owner, struct verify_stack *stack)
{
	struct claim_source *source = owner;
	const struct stack_tree *tree = source->result->tree;
	const struct stack_totals *totals;
	uint32_t node, depth;

	if (source->at == source->result->stacks)
		return false;
	totals = &source->result->stack[source->at++];
	node = totals->node;
	depth = stack_tree_depth(tree, node);
	if (depth > source->capacity) {
		source->capacity = depth * 2;
		source->frame =
			xreallocarray(source->frame, source->capacity, sizeof(*source->frame));
	}
	for (uint32_t i = depth; i; i--) {
		source->frame[i - 1] = stack_tree_frame(tree, node);
		node = stack_tree_parent(tree, node);
	}
	*stack = (struct verify_stack){ source->frame,
					depth,
					{ .calls = totals->calls,
					  .bytes = totals->bytes,
					  .temporary = totals->temporary,
					  .leaked_bytes = totals->live_bytes,
					  .leaked_blocks = totals->live_blocks,
					  .peak_bytes = totals->peak_bytes,
					  .peak_blocks = totals->peak_blocks } };
	return true;
}

/* The frames of an address, the physical one first. */
static void put_frames(FILE *out, const struct frame_name *frame)
{
	if (frame->outer) {
		put_frames(out, frame->outer);
		putc(';', out);
	}
	fputs(frame->function, out);
}

static char *name_stack(void *owner, const uint32_t *frame, uint32_t depth)
{
	const struct claim_source *source = owner;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		out_of_memory(depth);
	for (uint32_t i = 0; i < depth; i++) {
		if (i)
			putc(';', out);
		put_frames(out,
			   symbolizer_get(source->symbols, frame[i],
					  frame_table_get(trace_frames(source->trace), frame[i])));
	}
	if (!depth)
		fputs("[no stack]", out);
	if (fclose(out))
		out_of_memory(depth);
	return text;
}

static void claim_totals(struct verify_totals *claim, const struct totals *totals)
{
#define TAKE(name) claim->name = totals->name;
	VERIFY_TOTALS(TAKE)
#undef TAKE
}

int verified_read(struct verify_report *report, const char *path, const struct options *options,
		  struct err *err)
{
	struct symbolizer_options how;
	struct verify_claim claim = { .next = next_stack, .name = name_stack };
	struct claim_source source = { .at = 0 };
	struct warnings names = { 0 };
	struct trace *trace;
	struct result result;
	int ret;

	if (trace_open(&trace, path, err))
		return -1;
	replay_with_progress(trace, &result, NULL);
	source.trace = trace;
	how = analysis_symbols(options, trace);
	source.result = &result;
	source.symbols = symbolizer_new(trace_modules(trace), trace_jit_names(trace), &how, &names);
	claim.owner = &source;
	claim_totals(&claim.totals, &result.totals);
	ret = verify_run(report, path, &claim, err);
	symbolizer_free(source.symbols);
	warnings_release(&names);
	free(source.frame);
	result_release(&result);
	trace_close(trace);
	return ret;
}
