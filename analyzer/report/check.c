/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/check.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"
#include "analyzer/report/environment.h"
#include "analyzer/report/total_figures.h"

const char *check_verdict_text(enum check_verdict verdict)
{
	static const char *const text[] = { "pass", "fail", "not comparable" };

	return text[verdict];
}

const char *check_state_text(enum check_state state)
{
	static const char *const text[] = { "within", "exceeded", "not available" };

	return text[state];
}

/* --- whether the trace can be judged at all */

static bool is_by_signal(const struct summary *summary)
{
	return !strcmp(summary->end.text, "killed") || !strncmp(summary->end.text, "signal:", 7);
}

static void check_end(struct check *check, const struct summary *summary, bool allows_signal)
{
	const char *end = summary->end.text;

	if (!strcmp(end, "unknown")) {
		warnings_add(&check->reasons, "it is not known how the process ended");
	} else if (is_by_signal(summary)) {
		if (allows_signal)
			warnings_add(&check->warnings,
				     "a signal ended the process (%s): it is "
				     "judged by how far it came",
				     end);
		else
			warnings_add(&check->reasons,
				     "a signal ended the process (%s): "
				     "--allow-signal judges it by how far it came",
				     end);
	} else if (!strncmp(end, "exit:", 5) && strcmp(end, "exit:0")) {
		warnings_add(&check->warnings, "the process ended with status %s", end + 5);
	}
}

/* Another allocator is asked for other sizes by libraries, and "not the same" in every other way.
 */
static void check_allocator(struct check *check, const struct limits *limits,
			    const struct trace *trace)
{
	const char *value = environment_value(trace_environment(trace), "allocator");
	const size_t length = value ? strcspn(value, " ") : 0;

	if (!limits->allocator)
		return;
	if (!length)
		warnings_add(&check->reasons,
			     "the trace does not tell its allocator, the budget is for %s",
			     limits->allocator);
	else if (strlen(limits->allocator) != length ||
		 strncmp(limits->allocator, value, length) != 0)
		warnings_add(&check->reasons, "the allocator is %.*s, the budget is for %s",
			     (int)length, value, limits->allocator);
}

/* The resident memory of another program, or of other work, is not this trace's. */
static void compare_resident(struct check *check, const struct measured *trace)
{
	struct comparable comparable;

	comparable_build_rss(&comparable, trace->rss, trace->summary->trace,
			     trace->summary->end.text);
	for (size_t i = 0; i < comparable.facts; i++) {
		const struct comparable_fact *fact = &comparable.fact[i];

		if (fact->is_reason)
			warnings_add(&check->reasons,
				     "resident memory: %s is \"%s\", in the trace "
				     "\"%s\"",
				     fact->name, fact->before, fact->after);
	}
	comparable_release(&comparable);
	if (trace->rss->peak_error_bytes)
		warnings_add(&check->warnings, "rss_peak_bytes can be off by %s",
			     number_bytes(trace->rss->peak_error_bytes).text);
}

static void check_trace(struct check *check, const struct limits *limits,
			const struct measured *trace, const struct check_options *options)
{
	const struct summary *summary = trace->summary;

	check->is_lossy = !summary->is_complete;
	if (trace_is_live(summary->trace))
		warnings_add(&check->reasons, "the process is still running");
	else if (summary->lost_events)
		warnings_add(&check->reasons, "%s missing from the trace",
			     number_of(summary->lost_events, "call").text);
	else if (summary->is_damaged)
		warnings_add(&check->reasons, "the trace is damaged");
	else if (!summary->is_complete)
		warnings_add(&check->reasons, "recording stopped before the process ended");
	if (trace->result->totals.untracked_calls && !trace->result->totals.allocation_calls)
		warnings_add(&check->reasons, "recording was paused from beginning to end");
	if (trace->rss && limits->has_resident)
		compare_resident(check, trace);
	check_end(check, summary, options->allows_signal);
	check_allocator(check, limits, summary->trace);
	for (size_t i = 0; i < summary->warnings.count; i++)
		warnings_add(&check->warnings, "%s", summary->warnings.text[i]);
}

/* --- baselines */

static bool is_limited(const struct limits *limits, const char *name)
{
	for (size_t i = 0; i < limits->count; i++) {
		const struct limit *limit = &limits->limit[i];

		if (!limit->group && !limit->function && !limit->phase && !limit->has_thread &&
		    !limit->is_per_iteration && !strcmp(limit->metric->name, name))
			return true;
	}
	return false;
}

static void find_moved(struct check_baseline *to, const struct limits *limits,
		       const struct totals *before, const struct totals *after)
{
	to->moved = xcalloc(total_figures, sizeof(*to->moved));
	for (size_t i = 0; i < total_figures; i++) {
		const uint64_t old = total_figure_of(&total_figure[i], before);
		const uint64_t new = total_figure_of(&total_figure[i], after);

		if (old != new)
			to->moved[to->moves++] =
				(struct check_moved){ total_figure[i].name, old, new,
						      is_limited(limits, total_figure[i].name) };
	}
}

static void compare_baseline(struct check *check, size_t number, const struct limits *limits,
			     const struct measured *trace, const struct measured *baseline,
			     bool allows_signal)
{
	struct check_baseline *to = &check->baseline[number];

	to->path = limits->baseline.text[number];
	comparable_build(&to->comparable, baseline->summary->trace, trace->summary->trace);
	for (size_t i = 0; i < to->comparable.facts; i++) {
		const struct comparable_fact *fact = &to->comparable.fact[i];

		if (fact->is_reason)
			warnings_add(&check->reasons, "%s: %s is \"%s\", in this trace \"%s\"",
				     to->path, fact->name, fact->before, fact->after);
	}
	if (is_by_signal(baseline->summary))
		warnings_add(allows_signal ? &check->warnings : &check->reasons,
			     "%s: a signal ended the process (%s)", to->path,
			     baseline->summary->end.text);
	find_moved(to, limits, &baseline->result->totals, &trace->result->totals);
}

/* --- limits */

static const struct measured *baseline_of(const struct limits *limits, const struct limit *limit,
					  const struct measured *baseline)
{
	const size_t number =
		limit->baseline == LIMITS_NO_BASELINE ? limits->default_baseline : limit->baseline;

	return number == LIMITS_NO_BASELINE ? NULL : &baseline[number];
}

static bool is_upper(enum limit_bound bound)
{
	return bound == LIMIT_MAX || bound == LIMIT_MAX_INCREASE;
}

/* What a bound comes to, and what is left until then. */
static void apply_bound(struct check_row *row)
{
	const struct amount *bound = &row->limit->bound[row->bound];
	const double change =
		bound->unit == AMOUNT_PERCENT ? row->before * bound->value : bound->value;

	row->allowed = bound->value;
	if (row->limit->metric->source == LIMIT_UNEXPLAINED && bound->unit == AMOUNT_PERCENT)
		row->allowed = bound->value * 100;
	if (row->bound == LIMIT_MAX_INCREASE)
		row->allowed = row->before + change;
	else if (row->bound == LIMIT_MAX_DECREASE)
		row->allowed = row->before > change ? row->before - change : 0;
	if (is_upper(row->bound))
		row->margin = row->allowed - row->actual;
	else if (row->bound == LIMIT_EQUAL)
		row->margin = row->actual == row->allowed  ? 0
			      : row->actual > row->allowed ? row->allowed - row->actual
							   : row->actual - row->allowed;
	else
		row->margin = row->actual - row->allowed;
	row->state = row->margin < 0 ? CHECK_EXCEEDED : CHECK_WITHIN;
}

static void judge(struct check_row *row, const struct limits *limits, const struct measured *trace,
		  const struct measured *baselines, uint64_t top)
{
	const struct limit *limit = row->limit;
	const struct measured *baseline = baseline_of(limits, limit, baselines);
	const bool needs_baseline =
		row->bound == LIMIT_MAX_INCREASE || row->bound == LIMIT_MAX_DECREASE;
	char *why = NULL;

	row->why = measured_figure(trace, limit, &row->actual);
	if (!row->why && baseline) {
		why = measured_figure(baseline, limit, &row->before);
		row->has_baseline = !why;
	} else if (!row->why && needs_baseline) {
		row->why = xstrdup("there is no baseline");
	}
	if (why && needs_baseline)
		row->why = xasprintf("the baseline: %s", why);
	free(why);
	row->state = CHECK_NOT_AVAILABLE;
	if (row->why)
		return;
	apply_bound(row);
	if (row->state == CHECK_EXCEEDED && limit->metric->table != METRIC_COUNT)
		check_stacks_build(&row->stacks, limit, trace, row->has_baseline ? baseline : NULL,
				   row->actual < row->allowed, top);
}

/* A name that is wrong, or has changed, would be within any max for ever. */
static void warn_of_nothing(struct check *check, const struct check_row *row,
			    const struct measured *trace)
{
	const struct limit *limit = row->limit;

	if (row->state == CHECK_NOT_AVAILABLE || row->actual || measured_has_stacks(trace, limit))
		return;
	warnings_add(&check->warnings, "limits[%zu]: no stack of the trace is of the %s \"%s\"",
		     row->position, limit->group ? "group" : "function",
		     limit->group ? limit->group : limit->function);
}

/* One row for each of its bounds. */
static void judge_limit(struct check *check, size_t position, const struct limits *limits,
			const struct measured *trace, const struct measured *baseline, uint64_t top)
{
	const struct limit *limit = &limits->limit[position];
	const size_t first = check->rows;

	for (enum limit_bound bound = 0; bound < LIMIT_BOUNDS; bound++) {
		struct check_row *row = &check->row[check->rows];

		if (!limit->has[bound])
			continue;
		check->rows++;
		*row = (struct check_row){ .limit = limit, .position = position, .bound = bound };
		judge(row, limits, trace, baseline, top);
		check->exceeded += row->state == CHECK_EXCEEDED;
		check->not_available += row->state == CHECK_NOT_AVAILABLE;
	}
	warn_of_nothing(check, &check->row[first], trace); /* a limit has a bound */
}

static void judge_all(struct check *check, const struct limits *limits,
		      const struct measured *trace, const struct measured *baseline, uint64_t top)
{
	check->row = xcalloc(limits->count * LIMIT_BOUNDS, sizeof(*check->row));
	for (size_t i = 0; i < limits->count; i++)
		judge_limit(check, i, limits, trace, baseline, top);
}

static char *command_of(const struct trace *trace)
{
	char *const *argv = trace_argv(trace);
	char *command = xstrdup(trace_argc(trace) ? argv[0] : "");

	for (size_t i = 1; i < trace_argc(trace); i++) {
		char *more = xasprintf("%s %s", command, argv[i]);

		free(command);
		command = more;
	}
	return command;
}

void check_build(struct check *check, const struct limits *limits, const struct measured *trace,
		 const struct measured *baseline, const struct check_options *options)
{
	*check = (struct check){ .path = xstrdup(trace_path(trace->summary->trace)),
				 .command = command_of(trace->summary->trace),
				 .began_ns = trace_header(trace->summary->trace)->realtime_ns,
				 .duration_ns = trace->result->totals.duration_ns,
				 .baselines = limits->baseline.count };
	check_trace(check, limits, trace, options);
	check->baseline = xcalloc(check->baselines + 1, sizeof(*check->baseline));
	for (size_t i = 0; i < check->baselines; i++)
		compare_baseline(check, i, limits, trace, &baseline[i], options->allows_signal);
	judge_all(check, limits, trace, baseline, options->top);
	check->verdict = check->reasons.count || check->not_available ? CHECK_NOT_COMPARABLE
			 : check->exceeded                            ? CHECK_FAIL
								      : CHECK_PASS;
}

void check_release(struct check *check)
{
	suppressed_release(&check->suppressed);
	for (size_t i = 0; i < check->rows; i++) {
		free(check->row[i].why);
		check_stacks_release(&check->row[i].stacks);
	}
	for (size_t i = 0; i < check->baselines; i++) {
		comparable_release(&check->baseline[i].comparable);
		free(check->baseline[i].moved);
	}
	warnings_release(&check->reasons);
	warnings_release(&check->warnings);
	free(check->baseline);
	free(check->row);
	free(check->path);
	free(check->command);
}
