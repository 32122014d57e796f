/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/commands.h"
#include "analyzer/cmd/run_list.h"
#include "analyzer/render/render_diff.h"

static enum status show(const struct run_list *c, size_t befores, const struct options *options)
{
	const struct render_style style = { .has_color = has_color(options) };
	const struct diff_view view = { .comparable = c->comparable,
					.comparables = c->comparables,
					.has_metric = options->has_metric,
					.metric = options->metric };
	struct diff_view shown = view;
	struct diff diff;

	diff_build(&diff, &c->runs, befores, options->top);
	shown.diff = &diff;
	if (options->is_json)
		render_diff_json(stdout, &shown);
	else
		render_diff_text(stdout, &shown, &style);
	diff_release(&diff);
	return run_list_status(c, options);
}

/* OLD NEW, or --old OLD... --new NEW... */
static int find_sides(const struct options *options, const char ***path, size_t *befores,
		      size_t *paths, struct err *err)
{
	const struct path_list *old = &options->old, *new = &options->new;

	if (options->paths && (old->count || new->count))
		return err_set(err, "%s belongs to no side: it stands before --old and --new",
			       options->path[0]);
	if (!old->count != !new->count)
		return err_set(err, "diff needs --old and --new, or two traces");
	if (!old->count && options->paths != 2)
		return err_set(err, "diff takes OLD NEW, or --old OLD... --new NEW...");
	*paths = options->paths + old->count + new->count;
	*befores = old->count ? old->count : 1;
	*path = xcalloc(*paths, sizeof(**path));
	for (size_t i = 0; i < *paths; i++)
		(*path)[i] = !old->count      ? options->path[i]
			     : i < old->count ? old->path[i]
					      : new->path[i - old->count];
	return 0;
}

enum status cmd_diff(const struct options *options)
{
	enum status status = STATUS_UNUSABLE;
	size_t befores = 0, paths = 0;
	const char **path = NULL;
	struct run_list c;
	struct rules rules;
	struct err err;

	if (find_sides(options, &path, &befores, &paths, &err)) {
		print_error("%s", err.text);
		return STATUS_UNUSABLE;
	}
	if (!options->rules)
		rules_init(&rules);
	if (options->rules && rules_read(&rules, options->rules, &err)) {
		print_error("%s", err.text);
	} else {
		if (!run_list_read(&c, path, paths, options, options->rules ? &rules : NULL))
			status = show(&c, befores, options);
		run_list_release(&c);
	}
	rules_release(&rules);
	free(path);
	return status;
}
