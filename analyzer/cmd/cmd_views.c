/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands that look at the selected blocks one by one. */
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/commands.h"
#include "analyzer/render/render_views.h"

/* One trace as the view of `what` sees it, shown by `show`; rows: of its stacks. */
struct view_command {
	const struct selection_view *view;
	const struct stack_figure_table *stacks; /* NULL: none, and no names are needed */
	size_t by;                               /* the figure that orders them */
	void (*finish)(void *what);              /* after the replay; NULL: nothing is to do */
	void (*show)(const void *what, const struct summary *summary, const struct stack_rows *rows,
		     const struct options *options);
	void *what;
};

static enum status run(const struct view_command *command, const struct options *options)
{
	struct stack_rows rows = { .row = NULL };
	uint32_t *where = NULL;
	struct analysis a;
	struct err err;
	bool is_complete;

	if (analysis_open_view(&a, options->path[0], options, command->view, &where, &err)) {
		print_error("%s", err.text);
		return STATUS_UNUSABLE;
	}
	if (command->finish)
		command->finish(command->what);
	if (command->stacks) {
		analysis_summarise(&a, options);
		stack_rows_build(&rows, command->stacks, where, a.summary.stacks, command->by);
	} else {
		analysis_summarise_figures(&a, options);
	}
	command->show(command->what, &a.summary, &rows, options);
	is_complete = a.summary.is_complete;
	stack_rows_release(&rows);
	free(where);
	analysis_close(&a);
	return options->is_strict && !is_complete ? STATUS_NOT_COMPLETE : STATUS_DONE;
}

static struct render_style style_of(const struct options *options)
{
	return (struct render_style){ .has_color = has_color(options),
				      .has_full_names = options->has_full_names };
}

static void show_lifetimes(const void *what, const struct summary *summary,
			   const struct stack_rows *rows, const struct options *options)
{
	const struct render_style style = style_of(options);

	if (options->is_json)
		render_lifetimes_json(stdout, summary, what, rows, options->top);
	else
		render_lifetimes_text(stdout, summary, what, rows, options->top, &style);
}

enum status cmd_lifetimes(const struct options *options)
{
	struct lifetimes *lifetimes = xcalloc(1, sizeof(*lifetimes));
	const struct view_command command = { .view = &lifetimes->view,
					      .stacks = &lifetimes->stacks,
					      .by = LIFETIME_ENDED,
					      .show = show_lifetimes,
					      .what = lifetimes };
	enum status status;

	lifetimes_init(lifetimes);
	status = run(&command, options);
	lifetimes_release(lifetimes);
	free(lifetimes);
	return status;
}

static void show_growth_copies(const void *what, const struct summary *summary,
			       const struct stack_rows *rows, const struct options *options)
{
	const struct render_style style = style_of(options);

	(void)what; /* all of it is in rows */
	if (options->is_json)
		render_growth_copies_json(stdout, summary, rows, options->top);
	else
		render_growth_copies_text(stdout, summary, rows, options->top, &style);
}

enum status cmd_growth_copies(const struct options *options)
{
	struct growth_copies copies;
	const struct view_command command = { .view = &copies.view,
					      .stacks = &copies.stacks,
					      .by = GROWTH_COPIES_COPIED,
					      .show = show_growth_copies,
					      .what = &copies };
	enum status status;

	growth_copies_init(&copies);
	status = run(&command, options);
	growth_copies_release(&copies);
	return status;
}

static void finish_threads(void *what)
{
	thread_pairs_finish(what);
}

static void show_threads(const void *what, const struct summary *summary,
			 const struct stack_rows *rows, const struct options *options)
{
	const struct render_style style = style_of(options);

	(void)rows;
	if (options->is_json)
		render_threads_json(stdout, summary, what, options->top);
	else
		render_threads_text(stdout, summary, what, options->top, &style);
}

enum status cmd_threads(const struct options *options)
{
	struct thread_pairs pairs;
	const struct view_command command = {
		.view = &pairs.view, .finish = finish_threads, .show = show_threads, .what = &pairs
	};
	enum status status;

	thread_pairs_init(&pairs);
	status = run(&command, options);
	thread_pairs_release(&pairs);
	return status;
}

static void finish_sizes(void *what)
{
	sizes_finish(what);
}

static void show_sizes(const void *what, const struct summary *summary,
		       const struct stack_rows *rows, const struct options *options)
{
	const struct render_style style = style_of(options);

	if (options->is_json)
		render_sizes_json(stdout, summary, what, rows, options->top);
	else
		render_sizes_text(stdout, summary, what, rows, options->top, &style);
}

enum status cmd_sizes(const struct options *options)
{
	struct sizes *sizes = xcalloc(1, sizeof(*sizes));
	const struct view_command command = { .view = &sizes->view,
					      .stacks = &sizes->stacks,
					      .by = SIZES_SLACK_PEAK,
					      .finish = finish_sizes,
					      .show = show_sizes,
					      .what = sizes };
	enum status status;

	sizes_init(sizes);
	status = run(&command, options);
	sizes_release(sizes);
	free(sizes);
	return status;
}
