/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"
#include "analyzer/base/text.h"
#include "analyzer/render/render_filter.h"
#include "analyzer/render/render_phases.h"
#include "analyzer/render/render_suppressed.h"
#include "analyzer/render/stack_text.h"
#include "analyzer/report/environment.h"

#define HOLES_MIN (1u << 20) /* bytes */

struct text {
	FILE *out;
	const char *bold, *dim, *alarm, *plain; /* escape sequences, empty without colour */
	const struct render_style *style;
};

static void put_clean(const struct text *t, const char *text)
{
	text_put_clean(t->out, text);
}

static void put_label(const struct text *t, const char *label)
{
	fprintf(t->out, "  %-11s", label);
}

/* A process that ended before its second clock reading leaves no times. */
static bool has_times(const struct totals *totals)
{
	return totals->peak_time_error_ns != UINT64_MAX;
}

/* "glibc 2.36, Linux 6.1.0": what is known of it. */
static void put_allocator(const struct text *t, const struct strlist *environment)
{
	const char *allocator = environment_value(environment, "allocator");
	const char *kernel = environment_value(environment, "kernel");

	if (!allocator && !kernel)
		return;
	put_label(t, "allocator");
	put_clean(t, allocator ? allocator : "[not known]");
	if (kernel) {
		fputs(", ", t->out);
		put_clean(t, kernel);
	}
	putc('\n', t->out);
}

static void put_filter(const struct text *t, const struct summary *s)
{
	char *text = render_filter_text(s->filtered, s->totals);

	put_label(t, "filter");
	fputs(t->bold, t->out);
	put_clean(t, text);
	fprintf(t->out, "%s\n", t->plain);
	free(text);
}

/* What a process reserved and could not give back, or a kill left, takes no room. */
static void put_holes(const struct text *t, const struct trace *trace)
{
	const uint64_t bytes = trace_file_bytes(trace), disk_bytes = trace_disk_bytes(trace);

	if (!disk_bytes || bytes < 2 * disk_bytes + HOLES_MIN)
		return;
	put_label(t, "file");
	fprintf(t->out, "%s on the disk; ", number_bytes(disk_bytes).text);
	fprintf(t->out, "its size, %s, is mostly holes\n", number_bytes(bytes).text);
}

static void put_process(const struct text *t, const struct summary *s)
{
	const struct xt_header *header = trace_header(s->trace);
	char *const *argv = trace_argv(s->trace);
	const char *exe = trace_exe(s->trace);

	fputs(t->bold, t->out);
	put_clean(t, trace_path(s->trace));
	fprintf(t->out, "%s\n", t->plain);
	put_label(t, "command");
	if (!trace_argc(s->trace))
		fputs("[not known]", t->out);
	for (size_t i = 0; i < trace_argc(s->trace); i++) {
		fputs(i ? " " : "", t->out);
		put_clean(t, argv[i]);
	}
	putc('\n', t->out);
	put_label(t, "program");
	put_clean(t, exe && *exe ? exe : "[not known]");
	fprintf(t->out, ", pid %u, parent %u\n", header->pid, header->ppid);
	put_allocator(t, trace_environment(s->trace));
	put_label(t, "end");
	fputs(s->end.text, t->out);
	if (!strcmp(s->end.text, "killed"))
		fputs(": no end was recorded, so a deadly signal, or an exit unseen", t->out);
	else if (header->exit_kind == XT_EXIT_UNSEEN)
		fputs(", past libc: it is what xalloc record saw from outside", t->out);
	if (s->end.next) {
		fputs(", went on as the image of ", t->out);
		put_clean(t, s->end.next);
	}
	putc('\n', t->out);
	put_label(t, "trace");
	if (s->is_complete)
		fputs("complete", t->out);
	else
		fprintf(t->out, "%s%s%s", t->alarm, s->is_damaged ? "damaged" : "not complete",
			t->plain);
	fprintf(t->out, ", %s",
		s->totals->events ? number_of(s->totals->events, "event").text : "no events");
	if (has_times(s->totals) && s->totals->events)
		fprintf(t->out, " in %s", number_time(s->totals->duration_ns).text);
	fprintf(t->out, ", %s", number_of(s->totals->threads, "thread").text);
	if (s->lost_events)
		fprintf(t->out, ", %s%s lost%s", t->alarm, number_of(s->lost_events, "call").text,
			t->plain);
	putc('\n', t->out);
	put_holes(t, s->trace);
	if (s->filtered)
		put_filter(t, s);
}

static void put_warnings(const struct text *t, const struct warnings *warnings)
{
	if (warnings->count)
		putc('\n', t->out);
	for (size_t i = 0; i < warnings->count; i++) {
		fprintf(t->out, "%swarning:%s ", t->alarm, t->plain);
		put_clean(t, warnings->text[i]);
		putc('\n', t->out);
	}
}

/* "malloc 12,000, calloc 300": the functions that were called at all. */
static void put_functions(const struct text *t, const struct totals *totals)
{
	const struct {
		const char *name;
		uint64_t calls;
	} row[] = { { "malloc", totals->calls_malloc },
		    { "calloc", totals->calls_calloc },
		    { "realloc", totals->calls_realloc },
		    { "aligned", totals->calls_aligned },
		    { "new", totals->calls_new } };
	const char *before = ": ";

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		if (!row[i].calls)
			continue;
		fprintf(t->out, "%s%s %s", before, row[i].name, number_count(row[i].calls).text);
		before = ", ";
	}
	putc('\n', t->out);
}

/* An error of more than a tenth of the run says little as "± error". */
static void put_peak_time(const struct text *t, const struct summary *s)
{
	const struct totals *totals = s->totals;

	if (trace_has_dropped(s->trace, TRACE_STAMPS))
		fputs(" (time: not available: stamps were dropped)", t->out);
	else if (!has_times(totals))
		fputs(", when is not known", t->out);
	else if (totals->peak_time_error_ns <= totals->duration_ns / 10)
		fprintf(t->out, " at %s (± %s)", number_time(totals->peak_time_ns).text,
			number_time(totals->peak_time_error_ns).text);
	else
		fprintf(t->out, " at some time between %s and %s",
			number_time(s->peak_from_ns).text, number_time(s->peak_until_ns).text);
}

static void put_peak(const struct text *t, const struct summary *s)
{
	const struct totals *totals = s->totals;

	put_label(t, s->filtered && s->filtered->rule.has_at ? "live" : "peak");
	if (totals->events)
		fprintf(t->out, "%s%s%s in %s", t->bold, number_bytes(totals->peak_bytes).text,
			t->plain, number_of(totals->peak_blocks, "block").text);
	else
		fputs("no events", t->out);
	if (totals->peak_bytes)
		put_peak_time(t, s);
	putc('\n', t->out);
}

/* With the leaked blocks they add up to the allocation calls; foreign ones are none of these. */
static void put_ends(const struct text *t, const struct totals *totals)
{
	put_label(t, "freed");
	fputs(number_of(totals->freed_blocks, "block").text, t->out);
	if (totals->realloc_frees)
		fprintf(t->out, ", %s replaced by realloc",
			number_of(totals->realloc_frees, "block").text);
	if (totals->unseen_frees)
		fprintf(t->out, ", %s that ended unseen",
			number_of(totals->unseen_frees, "block").text);
	if (totals->foreign_frees)
		fprintf(t->out, "; %s of a block that the trace never saw allocated",
			number_of(totals->foreign_frees, "foreign free").text);
	putc('\n', t->out);
}

/* When the blocks were live that are called leaked. */
static const char *end_text(const struct summary *s)
{
	if (s->filtered && s->filtered->rule.has_to)
		return "live at the end of the range";
	if (trace_header(s->trace)->stop_reason)
		return "live when recording stopped";
	return trace_is_live(s->trace) ? "live now" : "live at the end";
}

static void put_totals(const struct text *t, const struct summary *s)
{
	const struct totals *totals = s->totals;

	putc('\n', t->out);
	put_peak(t, s);
	put_label(t, "calls");
	fprintf(t->out, "%s%s%s", t->bold,
		number_of(totals->allocation_calls, "allocation call").text, t->plain);
	put_functions(t, totals);
	put_label(t, "bytes");
	fprintf(t->out, "%s requested in all\n", number_bytes(totals->allocated_bytes).text);
	put_label(t, "leaked");
	fprintf(t->out, "%s%s%s in %s, %s\n", t->bold, number_bytes(totals->leaked_bytes).text,
		t->plain, number_of(totals->leaked_calls, "block").text, end_text(s));
	put_label(t, "temporary");
	fprintf(t->out, "%s%s%s", t->bold, number_of(totals->temporary_calls, "call").text,
		t->plain);
	if (totals->allocation_calls)
		fprintf(t->out, ", %s of the allocation calls",
			number_percent(totals->temporary_calls, totals->allocation_calls).text);
	putc('\n', t->out);
	put_ends(t, totals);
	put_label(t, "failed");
	fprintf(t->out, "%s\n", number_of(totals->failed_calls, "call").text);
	render_told_lines(t->out, s);
}

static void put_amount(const struct text *t, enum metric metric, uint64_t weight, uint64_t blocks)
{
	if (metric == METRIC_CALLS || metric == METRIC_TEMPORARY)
		fputs(number_of(weight, "call").text, t->out);
	else
		fprintf(t->out, "%s in %s", number_bytes(weight).text,
			number_of(blocks, "block").text);
}

static void put_table(const struct text *t, const struct summary *s, enum metric metric,
		      const char *title, const char *of_when, const char *whole)
{
	const struct shown_list *list = &s->list[metric];
	const uint64_t total = metric_total(s->totals, metric);
	const struct stack_text stack = { t->out, t->style, NULL, NULL };

	fprintf(t->out, "\n%s%s%s%s: ", t->bold, title, of_when, t->plain);
	put_amount(t, metric, total, metric_total_blocks(s->totals, metric));
	if (list->count < list->all)
		fprintf(t->out, "; the largest %s of %s\n", number_count(list->count).text,
			number_of(list->all, "stack").text);
	else
		fprintf(t->out, "; %s\n", number_of(list->all, "stack").text);
	for (size_t i = 0; i < list->count; i++) {
		const struct stack_totals *sum = &list->stack[i]->sum;
		const uint64_t weight = metric_weight(sum, metric);

		fprintf(t->out, "  %zu. ", i + 1);
		put_amount(t, metric, weight, metric_blocks(sum, metric));
		if (total)
			fprintf(t->out, ", %s of %s", number_percent(weight, total).text, whole);
		putc('\n', t->out);
		stack_text_put(&stack, shown_stacks_walk(s->stacks, list->stack[i], metric));
	}
	if (list->count == list->all)
		return;
	fprintf(t->out, "  %sothers (%s): ", t->dim,
		number_of(list->all - list->count, "stack").text);
	put_amount(t, metric, list->rest, list->rest_blocks);
	if (total)
		fprintf(t->out, ", %s of %s", number_percent(list->rest, total).text, whole);
	fprintf(t->out, "%s\n", t->plain);
}

static void render_summary(FILE *out, const struct summary *s, const struct render_style *style)
{
	const struct text t = { .out = out,
				.bold = style->has_color ? "\033[1m" : "",
				.dim = style->has_color ? "\033[2m" : "",
				.alarm = style->has_color ? "\033[1;33m" : "",
				.plain = style->has_color ? "\033[0m" : "",
				.style = style };
	char when[64], *title = xasprintf("Live at %s", render_filter_instant(s->filtered));

	put_process(&t, s);
	put_warnings(&t, &s->warnings);
	put_totals(&t, s);
	put_table(&t, s, METRIC_PEAK, title, "",
		  s->filtered && s->filtered->rule.has_at ? "these bytes" : "the peak's bytes");
	free(title);
	put_table(&t, s, METRIC_CALLS, "Allocation calls", "", "the allocation calls");
	snprintf(when, sizeof(when), " (%s)", end_text(s));
	put_table(&t, s, METRIC_LEAKED, "Leaked", when, "the leaked bytes");
	render_suppressed_text(out, &s->suppressed, summary_left(s), "  ");
	put_table(&t, s, METRIC_TEMPORARY, "Temporary allocations", "", "the temporary calls");
}

const struct renderer renderer_text = {
	.name = "text",
	.summary = render_summary,
};
