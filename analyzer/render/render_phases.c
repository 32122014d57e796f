/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_phases.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/number.h"
#include "analyzer/base/text.h"
#include "analyzer/render/json_totals.h"
#include "analyzer/render/json_value.h"
#include "analyzer/render/render_filter.h"
#include "analyzer/render/render_suppressed.h"

static const char *const turn_name[ITERATION_METRICS] = {
	[ITERATION_CALLS] = "allocation_calls",    [ITERATION_BYTES] = "allocated_bytes",
	[ITERATION_TEMPORARY] = "temporary_calls", [ITERATION_FREES] = "free_calls",
	[ITERATION_LIVE] = "live_bytes",
};
static const char *const turn_words[ITERATION_METRICS] = {
	[ITERATION_CALLS] = "allocation calls",    [ITERATION_BYTES] = "bytes requested",
	[ITERATION_TEMPORARY] = "temporary calls", [ITERATION_FREES] = "free calls",
	[ITERATION_LIVE] = "live bytes gained",
};

static bool has_times(const struct summary *s)
{
	return !trace_has_dropped(s->trace, TRACE_STAMPS) &&
	       s->totals->peak_time_error_ns != UINT64_MAX;
}

static void put_row(FILE *out, const char *name, const struct stack_totals *sum, uint64_t highest,
		    uint64_t free_calls)
{
	fprintf(out, "%12s", number_count(sum->calls).text);
	fprintf(out, "%16s", number_count(sum->bytes).text);
	fprintf(out, "%12s", number_count(sum->temporary).text);
	fprintf(out, "%12s", number_count(free_calls).text);
	fprintf(out, "%15s", number_count(highest).text);
	fprintf(out, "%15s", number_count(sum->peak_bytes).text);
	fprintf(out, "%15s  ", number_count(sum->live_bytes).text);
	text_put_clean(out, name);
	putc('\n', out);
}

static void put_table(FILE *out, const struct summary *s, const struct told *told,
		      const struct render_style *style)
{
	struct stack_totals all = { .node = 0 };

	fprintf(out, "\n%s%12s%16s%12s%12s%15s%15s%15s  phase%s\n",
		style->has_color ? "\033[1m" : "", "calls", "bytes", "temporary", "freed",
		"highest live", "at the peak", "leaked", style->has_color ? "\033[0m" : "");
	for (size_t i = 0; i < told->phases; i++) {
		const struct phase *phase = &told->phase[i];

		put_row(out, phase->name, &phase->sum, phase->highest_bytes,
			phase->during.free_calls);
		stack_totals_add(&all, &phase->sum);
	}
	put_row(out, "all", &all, s->totals->peak_bytes, s->totals->free_calls);
}

static void put_turns(FILE *out, const struct phase *phase)
{
	for (size_t i = 0; i < ITERATION_METRICS; i++) {
		const struct iteration_sum *turn = &phase->turn[i];

		if (!phase->turns)
			break;
		fprintf(out, "    %-18s %s each", turn_words[i],
			number_real((double)turn->sum / (double)phase->turns).text);
		if (turn->least == turn->most)
			fputs(", always the same\n", out);
		else
			fprintf(out, ", from %s to %s\n", number_real((double)turn->least).text,
				number_real((double)turn->most).text);
	}
}

static void put_phases(FILE *out, const struct summary *s, const struct told *told)
{
	for (size_t i = 0; i < told->phases; i++) {
		const struct phase *phase = &told->phase[i];

		fputs("\nphase ", out);
		text_put_clean(out, phase->name);
		if (has_times(s))
			fprintf(out, ": %s", number_time(phase->duration_ns).text);
		if (phase->intervals > 1)
			fprintf(out, " in %s", number_of(phase->intervals, "interval").text);
		fprintf(out, ", live bytes from %s to %s\n", number_count(phase->bytes_before).text,
			number_count(phase->bytes_after).text);
		if (phase->iterations)
			fprintf(out, "  %s; from one to the next:\n",
				number_of(phase->iterations, "iteration").text);
		put_turns(out, phase);
	}
}

static void put_pool(FILE *out, const struct pool *pool)
{
	fputs("\npool ", out);
	text_put_clean(out, pool->name);
	fprintf(out, ": %s, %s in all, ", number_of(pool->allocation_calls, "allocation call").text,
		number_bytes(pool->allocated_bytes).text);
	fprintf(out, "%s\n  peak %s", number_of(pool->free_calls, "free call").text,
		number_bytes(pool->peak_bytes).text);
	fprintf(out, " in %s, ", number_of(pool->peak_blocks, "block").text);
	fprintf(out, "leaked %s", number_bytes(pool->leaked_bytes).text);
	fprintf(out, " in %s\n", number_of(pool->leaked_blocks, "block").text);
}

static void put_dumps(FILE *out, const struct summary *s, const struct told *told)
{
	for (size_t i = 0; i < told->dumps; i++) {
		const struct dump *dump = &told->dump[i];

		fprintf(out, "%sdump %zu: %s live", i ? "" : "\n", i + 1,
			number_bytes(dump->live_bytes).text);
		fprintf(out, " in %s", number_of(dump->live_blocks, "block").text);
		if (has_times(s))
			fprintf(out, " at %s", number_time(dump->time_ns).text);
		putc('\n', out);
	}
}

void render_told_lines(FILE *out, const struct summary *s)
{
	const struct totals *totals = s->totals;
	const struct told *told = s->told;

	if (s->mappings.program.calls) {
		fprintf(out, "  %-11s%s by the program itself, ", "mapped",
			number_of(s->mappings.program.calls, "range").text);
		fprintf(out, "%s of addresses at most; in no other figure\n",
			number_bytes(s->mappings.program.peak_bytes).text);
	}
	if (told->phases > 1)
		fprintf(out, "  %-11s%s: see the command phases\n", "phases",
			number_of(told->phases, "phase").text);
	if (totals->untracked_calls || totals->untracked_frees || told->pauses) {
		fprintf(out, "  %-11s%s while paused, ", "untracked",
			number_of(totals->untracked_calls, "allocation call").text);
		fprintf(out, "%s of such blocks; in no other figure\n",
			number_of(totals->untracked_frees, "free").text);
	}
	if (told->pools)
		fprintf(out, "  %-11s%s of the program's own, ", "pools",
			number_of(told->pools, "pool").text);
	if (told->pools)
		fprintf(out, "%s; in no other figure\n",
			number_of(totals->pool_calls, "allocation call").text);
}

/* In their order, "other" the last: they add up to the totals. */
static void put_functions(FILE *out, const struct groups *functions,
			  const struct render_style *style)
{
	fprintf(out, "\n%s%12s%16s%12s%15s%15s  function%s\n", style->has_color ? "\033[1m" : "",
		"calls", "bytes", "temporary", "at the peak", "leaked",
		style->has_color ? "\033[0m" : "");
	for (size_t i = 0; i < functions->count; i++) {
		const struct stack_totals *sum = &functions->group[i].sum;

		fprintf(out, "%12s", number_count(sum->calls).text);
		fprintf(out, "%16s", number_count(sum->bytes).text);
		fprintf(out, "%12s", number_count(sum->temporary).text);
		fprintf(out, "%15s", number_count(sum->peak_bytes).text);
		fprintf(out, "%15s  ", number_count(sum->live_bytes).text);
		text_put_clean(out, group_name(&functions->group[i]));
		putc('\n', out);
	}
}

void render_phases_text(FILE *out, const struct summary *s, const struct groups *functions,
			const struct render_style *style)
{
	const struct told *told = s->told;

	text_put_clean(out, trace_path(s->trace));
	fprintf(out, ": %s", number_of(told->phases, "phase").text);
	if (told->phases == 1)
		fputs(", for the program told of no other", out);
	putc('\n', out);
	render_filter_line(out, s->filtered, s->totals);
	put_table(out, s, told, style);
	if (functions)
		put_functions(out, functions, style);
	if (s->suppressed.suppressions)
		putc('\n', out);
	render_suppressed_text(out, &s->suppressed, summary_left(s), "");
	put_phases(out, s, told);
	if (told->pauses) {
		fprintf(out, "\n%s", number_of(told->pauses, "pause").text);
		if (has_times(s))
			fprintf(out, ", %s in all", number_time(told->paused_ns).text);
		fprintf(out, ": %s, ",
			number_of(s->totals->untracked_calls, "allocation call").text);
		fprintf(out, "%s of such blocks at any time; in no other figure\n",
			number_of(s->totals->untracked_frees, "free").text);
	}
	for (size_t i = 0; i < told->pools; i++)
		put_pool(out, &told->pool[i]);
	put_dumps(out, s, told);
	for (size_t i = 0; i < s->warnings.count; i++) {
		fputs(i ? "warning: " : "\nwarning: ", out);
		text_put_clean(out, s->warnings.text[i]);
		putc('\n', out);
	}
}

static json_t *build_time(const struct summary *s, uint64_t ns)
{
	return has_times(s) ? json_value_count(ns) : json_null();
}

static void set_count(json_t *object, const char *key, uint64_t count)
{
	json_value_set(object, key, json_value_count(count));
}

static json_t *build_turns(const struct phase *phase)
{
	json_t *value = json_object();

	for (size_t i = 0; phase->turns && i < ITERATION_METRICS; i++) {
		const struct iteration_sum *turn = &phase->turn[i];
		json_t *one = json_object();

		json_value_set(one, "mean", json_real((double)turn->sum / (double)phase->turns));
		json_value_set(one, "min", json_integer(turn->least));
		json_value_set(one, "max", json_integer(turn->most));
		json_value_set(value, turn_name[i], one);
	}
	return value;
}

static void set_sum(json_t *value, const struct stack_totals *sum)
{
	set_count(value, "allocation_calls", sum->calls);
	set_count(value, "allocated_bytes", sum->bytes);
	set_count(value, "temporary_calls", sum->temporary);
	set_count(value, "leaked_calls", sum->live_blocks);
	set_count(value, "leaked_bytes", sum->live_bytes);
	set_count(value, "bytes_at_peak", sum->peak_bytes);
	set_count(value, "blocks_at_peak", sum->peak_blocks);
}

static json_t *build_phase(const struct summary *s, const struct phase *phase)
{
	json_t *value = json_object();

	json_value_set(value, "name", json_value_text(phase->name));
	set_count(value, "intervals", phase->intervals);
	json_value_set(value, "duration_ns", build_time(s, phase->duration_ns));
	set_sum(value, &phase->sum);
	set_count(value, "peak_bytes", phase->highest_bytes);
	set_count(value, "peak_blocks", phase->highest_blocks);
	set_count(value, "free_calls", phase->during.free_calls);
	set_count(value, "foreign_frees", phase->during.foreign_frees);
	set_count(value, "failed_calls", phase->during.failed_calls);
	set_count(value, "untracked_calls", phase->during.untracked_calls);
	set_count(value, "untracked_frees", phase->during.untracked_frees);
	set_count(value, "live_bytes_before", phase->bytes_before);
	set_count(value, "live_bytes_after", phase->bytes_after);
	set_count(value, "iterations", phase->iterations);
	set_count(value, "turns", phase->turns);
	json_value_set(value, "per_iteration", build_turns(phase));
	return value;
}

static json_t *build_pool(const struct pool *pool)
{
	json_t *value = json_object();

	json_value_set(value, "name", json_value_text(pool->name));
	set_count(value, "allocation_calls", pool->allocation_calls);
	set_count(value, "allocated_bytes", pool->allocated_bytes);
	set_count(value, "reallocs", pool->reallocs);
	set_count(value, "free_calls", pool->free_calls);
	set_count(value, "foreign_frees", pool->foreign_frees);
	set_count(value, "peak_bytes", pool->peak_bytes);
	set_count(value, "peak_blocks", pool->peak_blocks);
	set_count(value, "leaked_bytes", pool->leaked_bytes);
	set_count(value, "leaked_calls", pool->leaked_blocks);
	return value;
}

static json_t *build_dump(const struct summary *s, const struct dump *dump)
{
	json_t *value = json_object();

	json_value_set(value, "time_ns", build_time(s, dump->time_ns));
	set_count(value, "events", dump->events);
	set_count(value, "live_bytes", dump->live_bytes);
	set_count(value, "live_blocks", dump->live_blocks);
	return value;
}

static json_t *build_functions(const struct groups *functions)
{
	json_t *list = json_array();

	for (size_t i = 0; functions && i < functions->count; i++) {
		const struct stack_totals *sum = &functions->group[i].sum;
		json_t *value = json_object();

		json_value_set(value, "name", json_value_text(group_name(&functions->group[i])));
		set_sum(value, sum);
		json_value_append(list, value);
	}
	return list;
}

void render_phases_json(FILE *out, const struct summary *s, const struct groups *functions)
{
	const struct told *told = s->told;
	json_t *value = json_object(), *phases = json_array(), *pools = json_array(),
	       *dumps = json_array(), *pauses = json_object();
	char *text;

	for (size_t i = 0; i < told->phases; i++)
		json_value_append(phases, build_phase(s, &told->phase[i]));
	for (size_t i = 0; i < told->pools; i++)
		json_value_append(pools, build_pool(&told->pool[i]));
	for (size_t i = 0; i < told->dumps; i++)
		json_value_append(dumps, build_dump(s, &told->dump[i]));
	set_count(pauses, "count", told->pauses);
	json_value_set(pauses, "duration_ns", build_time(s, told->paused_ns));
	json_value_set(value, "schema", json_value_text("xalloc-phases/1"));
	json_value_set(value, "totals",
		       json_totals_build(s->totals, !trace_has_dropped(s->trace, TRACE_STAMPS)));
	render_filter_json(value, s->filtered, s->totals);
	json_value_set(value, "phases", phases);
	json_value_set(value, "functions", build_functions(functions));
	render_suppressed_json(value, &s->suppressed, summary_left(s));
	json_value_set(value, "pauses", pauses);
	json_value_set(value, "pools", pools);
	json_value_set(value, "dumps", dumps);
	json_value_set(value, "warnings", json_value_texts(s->warnings.text, s->warnings.count));
	text = json_value_dump(value, JSON_INDENT(2));
	fprintf(out, "%s\n", text);
	free(text);
	json_decref(value);
}
