/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/number.h"
#include "analyzer/cmd/budget_init.h"
#include "analyzer/cmd/commands.h"
#include "analyzer/cmd/gate.h"
#include "analyzer/cmd/output_file.h"
#include "analyzer/report/limits_draft.h"

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
	    output_file_write(ratchet.text, options->out ? options->out : options->budget, &err)) {
		print_error("%s", err.text);
		status = STATUS_UNUSABLE;
	} else {
		printf("%s: %s lowered, ", options->out ? options->out : options->budget,
		       number_of(ratchet.lowered, "limit").text);
		printf("%zu as low as %s%s\n", ratchet.kept,
		       ratchet.kept == 1 ? "it goes" : "they go",
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
	if (options->budget || options->baseline) {
		print_error("--%s belongs to budget ratchet: init writes a new one, to -o",
			    options->budget ? "budget" : "baseline");
		return STATUS_UNUSABLE;
	}
	return budget_init(options);
}
