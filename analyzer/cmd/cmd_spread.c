/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/commands.h"
#include "analyzer/cmd/run_list.h"
#include "analyzer/render/render_spread.h"

static void show(const struct runs *runs, const struct options *options)
{
	struct spread_table table[METRIC_COUNT];

	for (int i = 0; i < METRIC_COUNT; i++)
		spread_table_build(&table[i], runs, (enum metric)i, options->top);
	if (options->is_json)
		render_spread_json(stdout, runs, table);
	else
		render_spread_text(stdout, runs, table);
	for (int i = 0; i < METRIC_COUNT; i++)
		spread_table_release(&table[i]);
}

/* Of different programs, or with losses, runs have no spread: what differs is said. */
static void say_why(const struct run_list *list)
{
	for (size_t i = 0; i < list->runs.count; i++)
		if (!list->is_complete[i])
			print_error("%s: not comparable: it is not complete",
				    list->runs.run[i].path);
	for (size_t i = 0; i < list->comparables; i++)
		for (size_t j = 0; j < list->comparable[i].facts; j++) {
			const struct comparable_fact *fact = &list->comparable[i].fact[j];

			if (fact->is_reason && strcmp(fact->name, "events"))
				print_error("%s: not comparable with the first: %s is \"%s\", "
					    "there \"%s\"",
					    list->runs.run[i + 1].path, fact->name, fact->after,
					    fact->before);
		}
}

enum status cmd_spread(const struct options *options)
{
	enum status status = STATUS_UNUSABLE;
	struct run_list list;

	if (!run_list_read(&list, options->path, options->paths, options, NULL)) {
		show(&list.runs, options);
		say_why(&list);
		status = run_list_status(&list, options);
	}
	run_list_release(&list);
	return status;
}
