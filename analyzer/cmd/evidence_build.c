/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/evidence_build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/mem.h"
#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/reconciled.h"
#include "analyzer/cmd/verified.h"
#include "analyzer/evidence/file_tree.h"
#include "analyzer/render/json_totals.h"
#include "analyzer/render/json_value.h"
#include "analyzer/render/render_groups.h"
#include "analyzer/render/render_processes.h"
#include "analyzer/render/render_reconcile.h"
#include "analyzer/render/render_timeline.h"
#include "analyzer/render/render_verify.h"
#include "analyzer/report/groups.h"
#include "analyzer/report/process_end.h"
#include "analyzer/report/process_tree.h"
#include "analyzer/report/rules.h"
#include "analyzer/report/timeline.h"

#define ROOT "../root"
#define TABLE "../table"
/* No names but those of the bundles. */
#define COMMAND "xalloc-report --sysroot EMPTY --no-cache"

struct build {
	struct evidence *evidence;
	const char *out;
	struct options options; /* of the analyses */
	const char *rules_name; /* NULL: no rules */
	struct rules rules;
	json_t *traces, *rss; /* of figures.json */
	struct process_tree processes;
	char *names; /* of all traces, a blank before each */
	struct err *err;
};

/* A table is written whole and cut like everything else. */
static FILE *begin_table(struct build *build)
{
	FILE *out = fopen(TABLE, "we");

	if (!out)
		err_set(build->err, "a temporary file cannot be written: %s", strerror(errno));
	return out;
}

/* path and command are taken. */
static int end_table(struct build *build, FILE *out, char *path, char *command)
{
	struct evidence_table *table = evidence_add_table(build->evidence, path, command);

	if (ferror(out) | fclose(out))
		return err_set(build->err, "a temporary file cannot be written: %s",
			       strerror(errno));
	return pieces_cut(&table->pieces, TABLE, build->out, path, build->evidence->max_bytes,
			  build->err);
}

static int put_summary(struct build *build, const char *name, const struct summary *summary)
{
	const struct render_style style = { .has_color = false };
	FILE *out = begin_table(build);

	if (!out)
		return -1;
	renderer_json.summary(out, summary, &style);
	return end_table(build, out, xasprintf("derived/%s/summary.json", name),
			 xasprintf(COMMAND " --json --top %" JSON_INTEGER_FORMAT " %s",
				   (json_int_t)build->evidence->top, name));
}

static int put_folded(struct build *build, const char *name, const struct summary *summary,
		      enum metric metric)
{
	const struct render_style style = { .has_color = false };
	FILE *out = begin_table(build);
	struct folded folded;

	if (!out)
		return -1;
	folded_build(&folded, summary->stacks, summary->totals, metric, 0);
	renderer_folded.folded(out, &folded, &style);
	folded_release(&folded);
	return end_table(build, out, xasprintf("derived/%s/%s.folded", name, metric_name(metric)),
			 xasprintf(COMMAND " folded --metric %s %s", metric_name(metric), name));
}

/* As the command does it, by names that nothing else has asked for: what is warned of is the same.
 */
static int put_groups(struct build *build, const char *name, const struct analysis *opened)
{
	struct analysis a = { .trace = opened->trace, .result = opened->result };
	FILE *out = begin_table(build);
	struct groups groups;
	const struct groups_view view = { .path = trace_path(a.trace),
					  .rules_path = build->rules_name,
					  .groups = &groups,
					  .warnings = &a.summary.warnings,
					  .is_complete = opened->summary.is_complete,
					  .metric = METRIC_PEAK,
					  .top = build->evidence->top };

	if (!out)
		return -1;
	analysis_summarise_figures(&a, &build->options);
	groups_build(&groups, &build->rules, NULL, &a.result, a.summary.names);
	render_groups_json(out, &view);
	groups_release(&groups);
	summary_release(&a.summary);
	return end_table(
		build, out, xasprintf("derived/%s/groups.json", name),
		xasprintf(COMMAND " groups --json --rules %s %s", build->rules_name, name));
}

static int put_timeline(struct build *build, const char *name)
{
	struct timeline *timeline = xcalloc(1, sizeof(*timeline));
	struct analysis a;
	FILE *out;
	int ret = -1;

	timeline_init(timeline);
	if (!analysis_open_view(&a, name, &build->options, &timeline->view, NULL, build->err)) {
		timeline_finish(timeline, a.result.totals.duration_ns);
		analysis_summarise_figures(&a, &build->options);
		out = begin_table(build);
		if (out) {
			render_timeline_json(out, &a.summary, timeline);
			ret = end_table(build, out, xasprintf("derived/%s/timeline.json", name),
					xasprintf(COMMAND " timeline --json %s", name));
		}
		analysis_close(&a);
	}
	free(timeline);
	return ret;
}

static int put_verified(struct build *build, const char *name)
{
	struct verify_report report;
	FILE *out;
	int ret = -1;

	if (verified_read(&report, name, &build->options, build->err))
		return -1;
	out = begin_table(build);
	if (out) {
		render_verify_json(out, name, &report);
		ret = end_table(build, out, xasprintf("derived/%s/verify.json", name),
				xasprintf(COMMAND " verify --json %s", name));
	}
	verify_release(&report);
	return ret;
}

/* Of several traces the tree of their processes. */
static int put_processes(struct build *build)
{
	FILE *out;

	if (build->processes.count < 2)
		return 0;
	process_tree_build(&build->processes);
	out = begin_table(build);
	if (!out)
		return -1;
	render_processes_json(out, &build->processes);
	return end_table(build, out, xstrdup("derived/processes.json"),
			 xasprintf(COMMAND " --json%s", build->names));
}

static void add_process(struct build *build, const struct analysis *a)
{
	struct process_end end;
	char *names = xasprintf("%s %s", build->names ? build->names : "", trace_path(a->trace));

	analysis_find_end(a, &end);
	process_tree_add(&build->processes, a->trace, &a->result, &end);
	process_end_release(&end);
	free(build->names);
	build->names = names;
}

static json_t *pairs(const struct strlist *list)
{
	json_t *value = json_object();

	for (size_t i = 0; i < list->count; i++) {
		const char *equals = strchr(list->text[i], '=');
		char *key =
			equals ? xstrndup(list->text[i], (size_t)(equals - list->text[i])) : NULL;
		json_t *name = json_value_text(key ? key : list->text[i]);

		json_value_set(value, json_string_value(name),
			       json_value_text(equals ? equals + 1 : ""));
		json_decref(name);
		free(key);
	}
	return value;
}

static json_t *trace_facts(const struct analysis *a)
{
	const struct trace *trace = a->trace;
	json_t *facts = json_object();

	json_value_set(facts, "exe", json_value_text(trace_exe(trace)));
	json_value_set(facts, "argv", json_value_texts(trace_argv(trace), trace_argc(trace)));
	json_value_set(facts, "cwd", json_value_text(trace_cwd(trace)));
	json_value_set(facts, "exit", json_value_text(a->summary.end.text));
	json_value_set(facts, "complete", json_boolean(a->summary.is_complete));
	json_value_set(facts, "environment", pairs(trace_environment(trace)));
	json_value_set(facts, "settings", pairs(trace_settings(trace)));
	return facts;
}

static json_t *trace_figures(const struct analysis *a, const char *name)
{
	const struct totals *totals = a->summary.totals;
	json_t *value = json_object();

	json_value_set(value, "name", json_value_text(name));
	json_value_set(value, "totals",
		       json_totals_build(totals, !trace_has_dropped(a->trace, TRACE_STAMPS)));
	json_value_set(value, "by_function", json_totals_functions(totals));
	return value;
}

static int put_trace(struct build *build, struct evidence_original *original)
{
	char *inside = xasprintf("derived/%s/", original->name);
	struct analysis a;
	int ret = evidence_make_folders(build->out, inside, build->err);

	free(inside);
	if (ret || analysis_open(&a, original->name, build->err))
		return -1;
	analysis_summarise(&a, &build->options);
	original->facts = trace_facts(&a);
	build->evidence->incomplete += !a.summary.is_complete;
	json_value_append(build->traces, trace_figures(&a, original->name));
	add_process(build, &a);
	ret = put_summary(build, original->name, &a.summary);
	for (enum metric m = 0; !ret && m < METRIC_COUNT; m++)
		ret = put_folded(build, original->name, &a.summary, m);
	if (!ret && build->rules_name)
		ret = put_groups(build, original->name, &a);
	analysis_close(&a);
	if (!ret)
		ret = put_timeline(build, original->name);
	if (!ret)
		ret = put_verified(build, original->name);
	return ret;
}

static int by_number(const void *a, const void *b)
{
	const json_int_t left = *(const json_int_t *)a, right = *(const json_int_t *)b;

	return left < right ? -1 : left > right;
}

/* The peaks of its runs, and what their spread is, as xalloc rss has them. */
static json_t *rss_figures(const char *name, const json_t *runs)
{
	const size_t count = json_array_size(runs);
	json_int_t *peak = xcalloc(count + 1, sizeof(*peak));
	json_t *value = json_object(), *list = json_array();

	for (size_t i = 0; i < count; i++) {
		const json_t *one = json_object_get(json_array_get(runs, i), "peak");

		peak[i] = json_integer_value(json_object_get(one, "rss_bytes"));
		json_value_append(list, json_value_count((uint64_t)peak[i]));
	}
	qsort(peak, count, sizeof(*peak), by_number);
	json_value_set(value, "name", json_value_text(name));
	json_value_set(value, "peak_rss_bytes", list);
	json_value_set(value, "minimum", json_value_count((uint64_t)peak[0]));
	json_value_set(value, "median",
		       json_value_count((uint64_t)peak[count ? (count - 1) / 2 : 0]));
	json_value_set(value, "maximum", json_value_count((uint64_t)peak[count ? count - 1 : 0]));
	free(peak);
	return value;
}

static int put_rss(struct build *build, struct evidence_original *original)
{
	static const char *const facts[] = { "process", "environment", "options" };
	json_error_t error;
	json_t *root = json_load_file(original->name, 0, &error);

	if (!root)
		return err_set(build->err, "%s: line %d, column %d: %s", original->name, error.line,
			       error.column, error.text);
	original->facts = json_object();
	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++) {
		json_t *value = json_object_get(root, facts[i]);

		if (value)
			json_value_set(original->facts, facts[i], json_incref(value));
	}
	json_value_set(original->facts, "reconciled", json_array());
	json_value_append(build->rss, rss_figures(original->name, json_object_get(root, "runs")));
	json_decref(root);
	return 0;
}

/* What is not reconciled is said with it: the facts that differ, or why it could not be looked at.
 */
static json_t *pair_facts(const char *trace, const struct comparable *c, const struct err *why)
{
	json_t *value = json_object(), *list = json_array();

	for (size_t i = 0; !why && i < c->facts; i++)
		if (c->fact[i].is_reason)
			json_value_append(list, json_value_text(c->fact[i].name));
	if (why)
		json_value_append(list, json_value_text(why->text));
	json_value_set(value, "trace", json_value_text(trace));
	json_value_set(value, "comparable", json_boolean(!why && c->is_comparable));
	json_value_set(value, "because", list);
	return value;
}

/* A trace and a result of xalloc rss, as `reconcile` judges them. */
static int put_pair(struct build *build, const struct reconciled *traced, const char *name,
		    const struct evidence_original *rss)
{
	struct reconcile_pair pair = { .rss_path = rss->name, .trace_path = name };
	const struct reconcile_view view = { .pair = &pair, .pairs = 1 };
	struct err why;
	const bool is_unread = reconciled_read_rss(&pair.rss, rss->name, &why);
	FILE *out;
	int ret = 0;

	if (!is_unread)
		reconciled_pair(traced, &pair, build->evidence->top);
	json_value_append(json_object_get(rss->facts, "reconciled"),
			  pair_facts(name, &pair.comparable, is_unread ? &why : NULL));
	if (pair.comparable.is_comparable) {
		out = begin_table(build);
		if (out)
			render_reconcile_json(out, &view);
		ret = out ? end_table(build, out,
				      xasprintf("derived/%s/%s.reconcile.json", name, rss->name),
				      xasprintf(COMMAND
						" reconcile --json --top %" JSON_INTEGER_FORMAT
						" --rss %s %s",
						(json_int_t)build->evidence->top, rss->name, name))
			  : -1;
	}
	reconcile_release(&pair.reconcile);
	comparable_release(&pair.comparable);
	rss_file_release(&pair.rss);
	return ret;
}

/* Each trace with each result of xalloc rss, wherever on the command line they stood. */
static int put_pairs(struct build *build)
{
	const struct evidence *evidence = build->evidence;
	struct reconciled traced;
	int ret = 0;

	for (size_t i = 0; !ret && i < evidence->originals; i++) {
		const struct evidence_original *trace = &evidence->original[i];

		if (trace->kind != EVIDENCE_TRACE || !evidence_first(evidence, EVIDENCE_RSS))
			continue;
		ret = reconciled_open(&traced, trace->name, &build->options, build->err);
		if (ret)
			break;
		for (size_t k = 0; !ret && k < evidence->originals; k++)
			if (evidence->original[k].kind == EVIDENCE_RSS)
				ret = put_pair(build, &traced, trace->name, &evidence->original[k]);
		reconciled_close(&traced);
	}
	return ret;
}

static int put_original(struct build *build, struct evidence_original *original)
{
	char *path = evidence_original_path(original->name);
	int ret = evidence_make_folders(build->out, path, build->err);

	pieces_release(&original->pieces);
	if (!ret)
		ret = pieces_cut(&original->pieces, original->name, build->out, path,
				 build->evidence->max_bytes, build->err);
	free(path);
	if (!ret && original->kind == EVIDENCE_TRACE)
		ret = put_trace(build, original);
	else if (!ret && original->kind == EVIDENCE_RSS)
		ret = put_rss(build, original);
	return ret;
}

static int put_figures(struct build *build)
{
	FILE *out = begin_table(build);
	json_t *value;
	char *text;

	if (!out)
		return -1;
	value = json_object();
	json_value_set(value, "schema", json_value_text("xalloc-evidence/1"));
	json_value_set(value, "traces", json_incref(build->traces));
	json_value_set(value, "rss", json_incref(build->rss));
	text = json_value_dump(value, JSON_INDENT(2));
	fprintf(out, "%s\n", text);
	free(text);
	json_decref(value);
	return end_table(build, out, xstrdup("derived/figures.json"), xstrdup(""));
}

static int put_sums(struct build *build)
{
	struct warnings wrong = { .text = NULL };
	struct file_tree tree;
	char *path = xasprintf("%s/" FILE_TREE_SUMS, build->out);
	int ret = file_tree_read(&tree, build->out, &wrong, build->err);

	if (!ret) {
		char *text = file_tree_sums(&tree);
		FILE *out = fopen(path, "wxe");

		if (out)
			fputs(text, out);
		if (!out || ferror(out) | fclose(out))
			ret = err_set(build->err, "%s: cannot be written: %s", path,
				      strerror(errno));
		free(text);
	}
	file_tree_release(&tree);
	warnings_release(&wrong);
	free(path);
	return ret;
}

int evidence_build(struct evidence *evidence, const char *out, struct err *err)
{
	const struct evidence_original *rules = evidence_first(evidence, EVIDENCE_RULES);
	struct build build = { .evidence = evidence,
			       .out = out,
			       .options = { .demangle = true,
					    .sysroot = ROOT,
					    .has_no_cache = true,
					    .top = evidence->top },
			       .traces = json_array(),
			       .rss = json_array(),
			       .err = err };
	int ret = evidence_make_folders(out, "derived/", err);

	if (!ret && rules) {
		build.rules_name = rules->name;
		ret = rules_read_below(&build.rules, rules->name, err);
	}
	for (size_t i = 0; !ret && i < evidence->originals; i++)
		ret = put_original(&build, &evidence->original[i]);
	if (!ret)
		ret = put_pairs(&build);
	if (!ret)
		ret = put_processes(&build);
	if (!ret)
		ret = put_figures(&build);
	if (!ret)
		ret = evidence_write(evidence, out, err);
	if (!ret)
		ret = put_sums(&build);
	unlink(TABLE);
	if (rules)
		rules_release(&build.rules);
	process_tree_release(&build.processes);
	free(build.names);
	json_decref(build.traces);
	json_decref(build.rss);
	return ret;
}
