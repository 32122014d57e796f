/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/run_list.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/session_traces.h"

static int add_run(struct run_list *c, struct analysis *first, const char *path,
		   const struct options *options, const struct rules *rules, struct err *err)
{
	struct groups groups;
	struct analysis later, *a = c->runs.count ? &later : first;

	if (analysis_open_filtered(a, path, options, err))
		return -1;
	analysis_summarise(a, options);
	c->is_complete[c->runs.count] = trace_is_complete(a->trace);
	runs_add(&c->runs, a->trace, &a->result, a->summary.stacks,
		 a->is_filtered ? &a->filtered : NULL);
	c->runs.run[c->runs.count - 1].suppressed = a->summary.suppressed;
	a->summary.suppressed = (struct suppressed_leaks){ .suppressions = NULL };
	if (rules) {
		groups_build(&groups, rules, NULL, &a->result, a->summary.names);
		runs_add_groups(&c->runs, &groups);
		groups_release(&groups);
	}
	if (a == first)
		return 0;
	comparable_build(&c->comparable[c->comparables++], first->trace, a->trace);
	analysis_close(a);
	return 0;
}

int run_list_read(struct run_list *c, const char *const *path, size_t paths,
		  const struct options *options, const struct rules *rules)
{
	struct analysis first = { .trace = NULL };
	struct err err;
	int ret = 0;

	runs_init(&c->runs, paths);
	c->comparable = xcalloc(paths, sizeof(*c->comparable));
	c->comparables = 0;
	c->is_complete = xcalloc(paths, sizeof(*c->is_complete));
	for (size_t i = 0; i < paths && !ret; i++)
		ret = add_run(c, &first, path[i], options, rules, &err);
	if (!ret)
		session_traces_say(&first.summary, path, paths);
	if (first.trace)
		analysis_close(&first);
	if (ret)
		print_error("%s", err.text);
	else
		runs_settle(&c->runs);
	return ret;
}

void run_list_release(struct run_list *c)
{
	for (size_t i = 0; i < c->comparables; i++)
		comparable_release(&c->comparable[i]);
	free(c->comparable);
	free(c->is_complete);
	runs_release(&c->runs);
}

enum status run_list_status(const struct run_list *c, const struct options *options)
{
	for (size_t i = 0; i < c->runs.count; i++)
		if (!c->is_complete[i])
			return options->is_strict ? STATUS_NOT_COMPLETE : STATUS_NOT_COMPARABLE;
	for (size_t i = 0; i < c->comparables; i++)
		if (!c->comparable[i].is_comparable)
			return STATUS_NOT_COMPARABLE;
	return STATUS_DONE;
}
