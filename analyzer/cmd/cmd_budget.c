/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"
#include "analyzer/cmd/commands.h"
#include "analyzer/cmd/gate.h"
#include "analyzer/cmd/temporary.h"
#include "analyzer/report/limits_draft.h"

/* --- a file that is there whole or as it was */

static int set_error(struct err *err, const char *path)
{
	return err_set(err, "%s: %s", path, strerror(errno ? errno : EIO));
}

static int fill(FILE *out, const char *text, const char *path)
{
	struct stat old;

	if (!stat(path, &old) && S_ISREG(old.st_mode) && fchmod(fileno(out), old.st_mode & 07777))
		return -1;
	if (fprintf(out, "%s\n", text) < 0 || fflush(out) || fsync(fileno(out)))
		return -1;
	return 0;
}

/* path NULL: standard output. */
static int write_budget(const char *text, const char *path, struct err *err)
{
	char *name;
	FILE *out;
	int ret = -1;

	if (!path) {
		puts(text);
		return 0;
	}
	name = xasprintf("%s.new.%ld", path, (long)getpid());
	errno = 0;
	out = fopen(name, "wxe");
	if (out) {
		temporary_set(name);
		ret = fill(out, text, path);
		ret = fclose(out) || ret ? -1 : 0;
		ret = ret || rename(name, path) ? -1 : 0;
	}
	if (ret)
		set_error(err, path);
	if (out && ret)
		temporary_remove();
	temporary_set(NULL);
	free(name);
	return ret;
}

/* --- init */

/* A trace that no check would judge is none to write a budget from. */
static enum status judge_run(const struct analysis *a, const struct analysis *first,
			     const struct options *options)
{
	const char *end = a->summary.end.text, *path = trace_path(a->trace);
	struct comparable comparable;
	bool is_comparable;

	if (!a->summary.is_complete) {
		print_error("%s: the trace is not complete", path);
		return options->is_strict ? STATUS_NOT_COMPLETE : STATUS_NOT_COMPARABLE;
	}
	if (!options->allows_signal && (!strcmp(end, "killed") || !strncmp(end, "signal:", 7))) {
		print_error("%s: a signal ended the process (%s)", path, end);
		return STATUS_NOT_COMPARABLE;
	}
	if (a == first)
		return STATUS_DONE;
	comparable_build(&comparable, first->trace, a->trace);
	is_comparable = comparable.is_comparable;
	for (size_t i = 0; i < comparable.facts; i++)
		if (comparable.fact[i].is_reason)
			print_error("%s: not comparable with the first: %s is \"%s\", there \"%s\"",
				    path, comparable.fact[i].name, comparable.fact[i].after,
				    comparable.fact[i].before);
	comparable_release(&comparable);
	return is_comparable ? STATUS_DONE : STATUS_NOT_COMPARABLE;
}

static enum status add_run(struct limits_draft *draft, struct analysis *a,
			   const struct analysis *first, const struct rules *rules,
			   const struct options *options)
{
	struct measured measured = { .rules = rules };
	enum status status;

	analysis_summarise_figures(a, options);
	status = judge_run(a, first, options);
	measured.result = &a->result;
	measured.summary = &a->summary;
	if (status == STATUS_DONE)
		limits_draft_add(draft, &measured);
	return status;
}

static enum status read_runs(struct limits_draft *draft, const struct rules *rules,
			     const struct options *options)
{
	struct analysis first = { .trace = NULL }, later;
	enum status status = STATUS_DONE;
	struct err err;

	for (size_t i = 0; i < options->paths && status == STATUS_DONE; i++) {
		struct analysis *a = i ? &later : &first;

		if (analysis_open(a, options->path[i], &err)) {
			print_error("%s", err.text);
			status = STATUS_UNUSABLE;
		} else {
			status = add_run(draft, a, &first, rules, options);
			if (i)
				analysis_close(a);
		}
	}
	if (first.trace)
		analysis_close(&first);
	return status;
}

/* Rules are named from where the budget is. */
static char *rules_name(const struct options *options)
{
	const char *slash = options->out ? strrchr(options->out, '/') : NULL;
	char *real;

	if (!slash || *options->rules == '/')
		return xstrdup(options->rules);
	real = realpath(options->rules, NULL);
	return real ? real : xstrdup(options->rules);
}

/* What is there already must be one, too. */
static int check_out(const char *path, struct err *err)
{
	struct limits old;
	struct stat status;
	int ret;

	if (!path || stat(path, &status))
		return 0;
	ret = limits_read(&old, path, NULL);
	limits_release(&old);
	return ret ? err_set(err, "%s is there and is no budget: it is not replaced", path) : 0;
}

static enum status init(const struct options *options)
{
	enum status status = STATUS_UNUSABLE;
	struct limits_draft draft;
	struct rules rules;
	struct err err;
	char *text, *name;

	limits_draft_init(&draft, options->paths);
	if (!options->rules)
		rules_init(&rules);
	if ((options->rules && rules_read(&rules, options->rules, &err)) ||
	    check_out(options->out, &err)) {
		print_error("%s", err.text);
	} else {
		status = read_runs(&draft, options->rules ? &rules : NULL, options);
		if (status == STATUS_DONE) {
			name = options->rules ? rules_name(options) : NULL;
			text = limits_draft_text(&draft, name);
			if (write_budget(text, options->out, &err)) {
				print_error("%s", err.text);
				status = STATUS_UNUSABLE;
			}
			free(text);
			free(name);
		}
	}
	limits_draft_release(&draft);
	rules_release(&rules);
	return status;
}

/* --- ratchet */

/* What is to be said, is said on standard error: the budget may go to standard output. */
static void say_exceeded(const struct gate *gate)
{
	for (size_t i = 0; i < gate->checks; i++) {
		const struct check *check = &gate->check[i];

		for (size_t j = 0; j < check->reasons.count; j++)
			print_error("%s: not comparable: %s", check->path, check->reasons.text[j]);
		for (size_t j = 0; j < check->rows; j++)
			if (check->row[j].state == CHECK_NOT_AVAILABLE)
				print_error("%s: limits[%zu]: not available: %s", check->path,
					    check->row[j].position, check->row[j].why);
	}
}

/* A limit that is kept, or too high an equal one: nothing that only raising would mend. */
static enum status status_after(const struct gate *gate)
{
	enum status status = STATUS_DONE;

	for (size_t i = 0; i < gate->checks; i++)
		for (size_t j = 0; j < gate->check[i].rows; j++) {
			const struct check_row *row = &gate->check[i].row[j];

			if (row->state != CHECK_EXCEEDED ||
			    (row->bound == LIMIT_EQUAL && row->actual < row->allowed))
				continue;
			print_error("%s: limits[%zu].%s is exceeded, and stays as it is",
				    gate->check[i].path, row->position,
				    limit_bound_name(row->bound));
			status = STATUS_OVER;
		}
	return status;
}

static enum status lower(const struct gate *gate, const struct options *options)
{
	struct limits_ratchet ratchet;
	enum status status;
	struct err err;

	if (limits_ratchet(&ratchet, &gate->limits, gate->check, gate->checks, &err)) {
		print_error("%s", err.text);
		return STATUS_UNUSABLE;
	}
	status = status_after(gate);
	if ((ratchet.lowered || options->out) &&
	    write_budget(ratchet.text, options->out ? options->out : options->budget, &err)) {
		print_error("%s", err.text);
		status = STATUS_UNUSABLE;
	} else {
		printf("%s: %s lowered, ", options->out ? options->out : options->budget,
		       number_of(ratchet.lowered, "limit").text);
		printf("%zu as low as it goes%s\n", ratchet.kept,
		       ratchet.varying ? "; equal ones that vary in these runs stay" : "");
	}
	free(ratchet.text);
	return status;
}

static enum status ratchet(const struct options *options)
{
	enum status status = STATUS_UNUSABLE;
	struct gate gate;

	if (!options->budget) {
		print_error("budget ratchet needs --budget BUDGET.json");
		return STATUS_UNUSABLE;
	}
	if (options->rules) {
		print_error("--rules belongs to budget init: a budget names its own");
		return STATUS_UNUSABLE;
	}
	if (!gate_run(&gate, options)) {
		const enum check_verdict verdict = gate_verdict(&gate);

		if (verdict == CHECK_NOT_COMPARABLE || gate.has_unreadable) {
			say_exceeded(&gate);
			status = gate_status(&gate, verdict, options->is_strict);
		} else {
			status = lower(&gate, options);
		}
	}
	gate_release(&gate);
	return status;
}

enum status cmd_budget(const struct options *options)
{
	if (!strcmp(options->verb, "ratchet"))
		return ratchet(options);
	if (options->budget || options->baseline || options->rss.count) {
		print_error("--%s belongs to budget ratchet: init writes a new one, to -o",
			    options->budget	? "budget"
			    : options->baseline ? "baseline"
						: "rss");
		return STATUS_UNUSABLE;
	}
	return init(options);
}
