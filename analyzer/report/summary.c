/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/summary.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "analyzer/base/number.h"
#include "analyzer/symbols/own_allocator.h"
#include "analyzer/trace/trace_clock.h"

static const char *stop_text(uint32_t reason)
{
	switch (reason) {
	case XT_STOP_MAX_SIZE:
		return "the trace reached XALLOC_MAX_SIZE";
	case XT_STOP_NO_SPACE:
		return "there was no more space for the trace";
	case XT_STOP_NO_MEMORY:
		return "the recorder got no more memory";
	case XT_STOP_NO_WAY:
		return "the trace could not be made larger: it was renamed, removed or replaced, "
		       "or the program gave up the right to";
	case XT_STOP_SEALED:
		return "the program allowed itself no system call that makes room for more";
	default:
		return "for a reason that this version does not know";
	}
}

/* Every table must add up to its headline; this is the check, on what is printed. */
static void check_stack_sums(struct summary *summary)
{
	const struct totals *t = summary->totals;

	for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
		const struct shown_sum sum = shown_stacks_sum(summary->stacks, metric);

		if (sum.weight != metric_total(t, metric) ||
		    sum.blocks != metric_total_blocks(t, metric))
			warnings_add(&summary->warnings,
				     "fault in the analyzer: the stacks of %s add up to %s, not "
				     "to %s (blocks: %s, not %s)",
				     metric_name(metric), number_count(sum.weight).text,
				     number_count(metric_total(t, metric)).text,
				     number_count(sum.blocks).text,
				     number_count(metric_total_blocks(t, metric)).text);
	}
}

static void check_sums(struct summary *summary)
{
	const struct totals *t = summary->totals;

	if (t->calls_malloc + t->calls_calloc + t->calls_realloc + t->calls_aligned +
		    t->calls_new !=
	    t->allocation_calls)
		warnings_add(&summary->warnings,
			     "fault in the analyzer: the calls of each function "
			     "do not add up to the allocation calls");
	if (t->freed_blocks + t->realloc_frees + t->unseen_frees + t->leaked_calls +
		    t->suppressed_calls !=
	    t->allocation_calls)
		warnings_add(&summary->warnings,
			     "fault in the analyzer: blocks that ended and blocks that are left "
			     "do not add up to the allocation calls");
}

/* An event without a stamp of its own was some time after the one before it, never before. */
static void find_peak_times(struct summary *summary)
{
	const struct trace_clock clock = trace_clock_of(trace_header(summary->trace));
	const struct totals *t = summary->totals;

	summary->peak_until_ns = UINT64_MAX;
	if (t->peak_time_error_ns == UINT64_MAX)
		return;
	if (t->peak_time_ns > clock.error_ns)
		summary->peak_from_ns = t->peak_time_ns - clock.error_ns;
	if (t->peak_time_ns >= t->duration_ns ||
	    t->peak_time_error_ns > t->duration_ns - t->peak_time_ns)
		summary->peak_until_ns = t->duration_ns;
	else
		summary->peak_until_ns = t->peak_time_ns + t->peak_time_error_ns;
}

static void add_warnings(struct summary *summary)
{
	const struct xt_header *header = trace_header(summary->trace);
	struct warnings *warnings = &summary->warnings;

	check_sums(summary);
	if (trace_has_dropped(summary->trace, TRACE_STAMPS))
		warnings_add(warnings, "times: not available: stamps were dropped");
	if (header->clock == XT_CLOCK_LEFT)
		warnings_add(warnings, "times: the program forbade itself to read the clock: what came "
				       "when is not known, only in which order");
	if (trace_has_dropped(summary->trace, TRACE_ADDRESSES))
		warnings_add(warnings, "which block was which: not available: addresses were "
				       "dropped (no figure here needs them)");
	if (summary->lost_events)
		warnings_add(warnings, "%s missing from the trace",
			     number_of(summary->lost_events, "call").text);
	if (summary->totals->unseen_frees)
		warnings_add(warnings, "%s handed out again before a free of it was seen",
			     number_of(summary->totals->unseen_frees, "block").text);
	if (summary->totals->untracked_calls && !summary->totals->allocation_calls)
		warnings_add(warnings, "recording was paused from beginning to end: no call counts");
	if (header->stop_reason)
		warnings_add(warnings, "recording stopped before the process ended: %s",
			     stop_text(header->stop_reason));
	if (trace_is_live(summary->trace))
		warnings_add(warnings, "the process is still running: this is how far it has come");
	if (header->forked)
		warnings_add(warnings, "this is a forked child: blocks that it inherited from its "
				       "parent are in no figure; frees of them are foreign");
}

static void add_stack_warnings(struct summary *summary)
{
	check_stack_sums(summary);
	if (shown_stacks_truncated_calls(summary->stacks))
		warnings_add(&summary->warnings, "%s of %s: the stack could not be walked to its root",
			     number_count(shown_stacks_truncated_calls(summary->stacks)).text,
			     number_of(summary->totals->allocation_calls, "allocation call").text);
}

/* What the program allocates past every malloc that could be the recorder's. */
static void add_unseen(struct summary *summary, const char *sysroot)
{
	const struct module_map *modules = trace_modules(summary->trace);
	const char *exe = trace_exe(summary->trace);
	const struct module *main_module = NULL;
	struct own_allocator own;

	for (size_t i = 0; i < module_map_count(modules); i++)
		if (module_map_get(modules, i)->is_main)
			main_module = module_map_get(modules, i);
	if (!exe || !*exe)
		return;
	own = own_allocator_find(sysroot, exe, main_module);
	if (own.local)
		warnings_add(&summary->warnings,
			     "1 of 2 allocators visible: %s has a malloc of its own that nobody "
			     "else can call (%s): calls of it are not in the trace",
			     exe, own.local);
	if (own.called)
		warnings_add(&summary->warnings,
			     "%s calls %s and its like, which are not recorded: only malloc and "
			     "the functions of its kind are",
			     exe, own.called);
}

static void build_figures(struct summary *summary, const struct trace *trace,
			  struct result *result, const struct xt_header *next,
			  const struct symbolizer_options *options,
			  const struct suppressions *suppressions)
{
	*summary = (struct summary){ .trace = trace,
				     .totals = &result->totals,
				     .told = &result->told };
	process_end_find(&summary->end, trace, next);
	find_peak_times(summary);
	summary->lost_events = trace_lost_events(trace);
	summary->is_damaged = trace_is_damaged(trace);
	summary->is_complete = trace_is_complete(trace);
	summary->names = frame_names_new(trace, options);
	if (suppressions) {
		suppressed_find(&summary->suppressed, suppressions, result, summary->names);
		suppressed_take_all(&summary->suppressed, result);
		warnings_copy(&summary->warnings, &summary->suppressed.warnings);
	}
	mappings_build(&summary->mappings, trace_mappings(trace), trace_header(trace)->depth);
}

void summary_build_figures(struct summary *summary, const struct trace *trace,
			   struct result *result, const struct xt_header *next,
			   const struct symbolizer_options *options,
			   const struct suppressions *suppressions)
{
	build_figures(summary, trace, result, next, options, suppressions);
	add_warnings(summary);
	add_unseen(summary, options->search.sysroot);
	warnings_copy(&summary->warnings, trace_warnings(trace));
}

void summary_build(struct summary *summary, const struct trace *trace, struct result *result,
		   const struct xt_header *next, const struct symbolizer_options *options,
		   const struct summary_view *view)
{
	build_figures(summary, trace, result, next, options, view->suppressions);
	summary->filtered = view->filtered;
	summary->stacks = shown_stacks_new(summary->names, result, view->folds_std);
	summary->mapping_stacks =
		shown_stacks_new(summary->names, &summary->mappings.stacks, view->folds_std);
	summary->mapping_list =
		shown_stacks_list(summary->mapping_stacks, METRIC_BYTES, view->top);
	/* The list is limited: what bears on the figures comes first, missing names last. */
	add_warnings(summary);
	add_stack_warnings(summary);
	add_unseen(summary, options->search.sysroot);
	warnings_copy(&summary->warnings, trace_warnings(trace));
	warnings_copy(&summary->warnings, frame_names_warnings(summary->names));
	for (enum metric metric = 0; metric < METRIC_COUNT; metric++)
		if (metric != METRIC_BYTES)
			summary->list[metric] = shown_stacks_list(summary->stacks, metric,
								  view->top);
}

void summary_release(struct summary *summary)
{
	for (enum metric metric = 0; metric < METRIC_COUNT; metric++)
		free(summary->list[metric].stack);
	free(summary->mapping_list.stack);
	shown_stacks_free(summary->mapping_stacks);
	mappings_release(&summary->mappings);
	shown_stacks_free(summary->stacks);
	suppressed_release(&summary->suppressed);
	frame_names_free(summary->names);
	warnings_release(&summary->warnings);
	process_end_release(&summary->end);
}

struct leaks_left summary_left(const struct summary *summary)
{
	return (struct leaks_left){ summary->totals->leaked_bytes, summary->totals->leaked_calls };
}
