/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/mem.h"
#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/commands.h"
#include "analyzer/cmd/filters.h"
#include "analyzer/cmd/output_file.h"
#include "analyzer/cmd/reconciled.h"
#include "analyzer/render/render_html.h"

/* A browser still moves through so many. */
#define FRAMES_MAX 20000

/* Is there nothing at path, or a page of ours, which may be replaced? What is no file, /dev/stdout
 * say, replaces nothing. */
static int check_place(const char *path, struct err *err)
{
	char begin[sizeof(RENDER_HTML_BEGIN)] = "";
	struct stat status;
	FILE *old;

	if (stat(path, &status))
		return errno == ENOENT ? 0 : err_set(err, "%s: %s", path, strerror(errno));
	if (S_ISDIR(status.st_mode))
		return err_set(err, "%s: %s", path, strerror(EISDIR));
	if (!S_ISREG(status.st_mode) || !status.st_size)
		return 0;
	old = fopen(path, "re");
	if (!old || !fgets(begin, sizeof(begin), old) ||
	    !fgets(begin + strlen(begin), (int)(sizeof(begin) - strlen(begin)), old))
		begin[0] = '\0';
	if (old)
		fclose(old);
	if (strcmp(begin, RENDER_HTML_BEGIN))
		return err_set(err,
			       "%s is there and is no page of xalloc-report: it is not replaced",
			       path);
	return 0;
}

struct text {
	char *text;
	size_t bytes;
};

static struct text make_page(const struct html_page *page, const struct options *options)
{
	const struct render_style style = { .has_full_names = options->has_full_names };
	struct text text = { .text = NULL };
	FILE *out = open_memstream(&text.text, &text.bytes);

	if (!out)
		out_of_memory(0);
	render_html(out, page, &style);
	if (fclose(out))
		out_of_memory(text.bytes);
	return text;
}

static int write_page(const struct html_page *page, const struct options *options, struct err *err)
{
	struct text text = make_page(page, options);
	const int ret = output_file_write(text.text, options->out, err);

	free(text.text);
	if (!ret && options->is_json)
		render_html_json(stdout, page, options->out, text.bytes);
	return ret;
}

/* Of the trace as far as it is selected. */
static enum status report(const struct reconcile_pair *pair, const struct options *options)
{
	const struct selection_rule *rule = &options->selection;
	struct timeline *timeline = xcalloc(1, sizeof(*timeline));
	enum status status = STATUS_UNUSABLE;
	struct flame_tree tree = { .node = NULL };
	struct analysis a;
	const struct html_page page = { &a.summary, timeline, &tree, options->top, pair };
	struct err err;
	int ret;

	timeline_init(timeline);
	ret = analysis_open_view(&a, options->path[0], options, &timeline->view, NULL, &err);
	if (!ret) {
		const uint64_t end_ns = a.result.totals.duration_ns;

		timeline_finish(timeline, rule->has_to && rule->to < end_ns ? rule->to : end_ns);
		analysis_summarise(&a, options);
		flame_tree_build(&tree, a.summary.stacks, FRAMES_MAX);
		ret = write_page(&page, options, &err);
		status = options->is_strict && !a.summary.is_complete ? STATUS_NOT_COMPLETE
								      : STATUS_DONE;
		flame_tree_release(&tree);
		analysis_close(&a);
	}
	free(timeline);
	if (ret)
		print_error("%s", err.text);
	return ret ? STATUS_UNUSABLE : status;
}

static int check_options(const struct options *options, struct err *err)
{
	if (options->rss.count > 1)
		return err_set(err, "--rss: a page has one");
	if (options->rss.count && filters_are_given(options))
		return err_set(err,
			       "--rss: resident memory is of the whole process, so there are no "
			       "filters with it");
	return check_place(options->out, err);
}

enum status cmd_html(const struct options *options)
{
	struct reconcile_pair pair = { .trace_path = options->path[0] };
	enum status status = STATUS_UNUSABLE;
	struct err err;

	if (options->rss.count)
		pair.rss_path = options->rss.path[0];
	if (check_options(options, &err) ||
	    (pair.rss_path && reconciled_read_pair(&pair, NULL, options, &err))) {
		print_error("%s", err.text);
	} else if (pair.rss_path && !pair.comparable.is_comparable) {
		render_reconcile_text(stderr, &(struct reconcile_view){ &pair, 1, NULL },
				      &(struct render_style){ .has_color = false });
		status = STATUS_NOT_COMPARABLE;
	} else {
		status = report(pair.rss_path ? &pair : NULL, options);
	}
	reconcile_release(&pair.reconcile);
	comparable_release(&pair.comparable);
	rss_file_release(&pair.rss);
	return status;
}
