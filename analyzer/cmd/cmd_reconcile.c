/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/commands.h"
#include "analyzer/cmd/reconciled.h"
#include "analyzer/render/render_reconcile.h"

static bool are_comparable(const struct reconcile_view *view)
{
	for (size_t i = 0; i < view->pairs; i++)
		if (!view->pair[i].comparable.is_comparable)
			return false;
	return true;
}

static enum status show(struct reconcile_view *view, const struct options *options)
{
	const struct render_style style = { .has_color = has_color(options) };
	const bool is_comparable = are_comparable(view);
	struct reconcile_fit fit = { .pairs = 0 };

	if (is_comparable && view->pairs > 1) {
		uint64_t *heap = xcalloc(view->pairs, sizeof(*heap));
		uint64_t *rss = xcalloc(view->pairs, sizeof(*rss));

		for (size_t i = 0; i < view->pairs; i++) {
			heap[i] = view->pair[i].reconcile.heap_peak_bytes;
			rss[i] = view->pair[i].reconcile.peak_bytes;
		}
		reconcile_fit_build(&fit, heap, rss, view->pairs);
		view->fit = &fit;
		free(heap);
		free(rss);
	}
	if (options->is_json)
		render_reconcile_json(stdout, view);
	else if (options->is_svg && is_comparable)
		render_reconcile_svg(stdout, view->pair);
	else
		render_reconcile_text(options->is_svg ? stderr : stdout, view, &style);
	reconcile_fit_release(&fit);
	return is_comparable ? STATUS_DONE : STATUS_NOT_COMPARABLE;
}

static int check_options(const struct options *options, struct err *err)
{
	if (options->rss.count != options->paths)
		return err_set(err, "reconcile takes one --rss RSS.json for each trace");
	if (options->is_svg && options->is_json)
		return err_set(err, "--svg and --json are two forms of the output: one at a time");
	if (options->is_svg && options->paths > 1)
		return err_set(err, "--svg draws one pair");
	return 0;
}

enum status cmd_reconcile(const struct options *options)
{
	struct reconcile_pair *pair = xcalloc(options->paths, sizeof(*pair));
	struct reconcile_view view = { .pair = pair, .pairs = options->paths };
	enum status status = STATUS_UNUSABLE;
	bool is_complete = true, is_whole = true;
	struct err err;
	int ret = check_options(options, &err);

	for (size_t i = 0; i < options->paths && !ret; i++) {
		pair[i].rss_path = options->rss.path[i];
		pair[i].trace_path = options->path[i];
		ret = reconciled_read_pair(&pair[i], &is_whole, options, &err);
		is_complete = is_complete && is_whole;
	}
	if (ret)
		print_error("%s", err.text);
	else
		status = show(&view, options);
	if (!ret && options->is_strict && !is_complete)
		status = STATUS_NOT_COMPLETE;
	for (size_t i = 0; i < options->paths; i++) {
		reconcile_release(&pair[i].reconcile);
		comparable_release(&pair[i].comparable);
		rss_file_release(&pair[i].rss);
	}
	free(pair);
	return status;
}
