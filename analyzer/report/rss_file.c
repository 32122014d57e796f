/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/rss_file.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/mem.h"
#include "analyzer/report/environment.h"

#define SCHEMA "xalloc-rss/1"
#define FILE_BYTES_MAX (64u << 20)
#define PLACE_BYTES 120
#define COUNT_MAX (1ll << 52) /* no machine has as many bytes; sums and shares stay exact */

/* An object of the file and where it stands; the first thing that is wrong is in err. */
struct place {
	const json_t *object;
	const char *path;
	struct err *err;
	bool *is_wrong;
	char text[PLACE_BYTES]; /* "runs[0].peak." */
};

static const char *const kind_names[RSS_KINDS] = {
	[RSS_HEAP] = "heap",
	[RSS_ARENA] = "arena",
	[RSS_ANONYMOUS] = "anonymous",
	[RSS_STACK] = "stack",
	[RSS_THREAD_STACK] = "thread-stack",
	[RSS_BSS] = "bss",
	[RSS_FILE] = "file",
	[RSS_SHARED_MEMORY] = "shared-memory",
	[RSS_HUGETLB] = "hugetlb",
	[RSS_VDSO] = "vdso",
	[RSS_RESERVED] = "reserved",
	[RSS_OTHER] = "other",
};

const char *rss_kind_name(enum rss_kind kind)
{
	return kind_names[kind];
}

bool rss_file_may_be(const char *path)
{
	FILE *in = fopen(path, "re");
	int c = in ? getc(in) : EOF;

	while (in && (c == ' ' || c == '\t' || c == '\n' || c == '\r'))
		c = getc(in);
	if (in)
		fclose(in);
	return c == '{';
}

static void set_wrong(const struct place *at, const char *key, const char *what)
{
	if (!*at->is_wrong)
		err_set(at->err, "%s: %s%s: %s", at->path, at->text, key, what);
	*at->is_wrong = true;
}

static uint64_t count_of(const struct place *at, const char *key)
{
	const json_t *value = json_object_get(at->object, key);

	if (!json_is_integer(value) || json_integer_value(value) < 0) {
		set_wrong(at, key, value ? "this is no count" : "it is not there");
		return 0;
	}
	if (json_integer_value(value) > COUNT_MAX)
		set_wrong(at, key, "this is more than there can be");
	return (uint64_t)json_integer_value(value);
}

static char *text_of(const struct place *at, const char *key)
{
	const json_t *value = json_object_get(at->object, key);

	if (!json_is_string(value)) {
		set_wrong(at, key, value ? "this is no text" : "it is not there");
		return xstrdup("");
	}
	return xstrdup(json_string_value(value));
}

/* An object of that key; an empty one where there is none, which is wrong then. */
static struct place enter(const struct place *at, const char *key)
{
	struct place in = *at;

	in.object = json_object_get(at->object, key);
	if (!json_is_object(in.object))
		set_wrong(at, key, in.object ? "this is no object" : "it is not there");
	snprintf(in.text, sizeof(in.text), "%.60s%.40s.", at->text, key);
	return in;
}

/* The list of that key; NULL where there is none, which is wrong then. */
static const json_t *list_of(const struct place *at, const char *key)
{
	const json_t *list = json_object_get(at->object, key);

	if (json_is_array(list))
		return list;
	set_wrong(at, key, list ? "this is no list" : "it is not there");
	return NULL;
}

static struct place enter_item(const struct place *at, const char *key, const json_t *list,
			       size_t i)
{
	struct place in = *at;

	in.object = json_array_get(list, i);
	snprintf(in.text, sizeof(in.text), "%.60s%.30s[%zu].", at->text, key, i);
	if (!json_is_object(in.object))
		set_wrong(&in, "", "this is no object");
	return in;
}

static void read_argv(struct rss_file *file, const struct place *process)
{
	const json_t *list = list_of(process, "argv");

	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *text = json_string_value(json_array_get(list, i));

		if (!text)
			set_wrong(process, "argv", "an argument is no text");
		else
			strlist_take(&file->argv, xstrdup(text));
	}
}

static void read_environment(struct rss_file *file, const struct place *at)
{
	static const char *const names[] = { "kernel", "cpu", "allocator",
					     "libc",   "thp", "cgroup_memory_max" };
	const struct place variables = enter(at, "variables");
	const json_t *list = list_of(at, "modules");
	const char *name;
	json_t *value;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *text = text_of(at, names[i]);

		strlist_take(&file->environment, xasprintf("%s=%s", names[i], text));
		free(text);
	}
	json_object_foreach((json_t *)variables.object, name, value)
	{
		if (!json_is_string(value))
			set_wrong(&variables, name, "this is no text");
		else
			strlist_take(&file->environment,
				     environment_make(name, json_string_value(value)));
	}
	file->module = xcalloc(json_array_size(list) + 1, sizeof(*file->module));
	for (size_t i = 0; i < json_array_size(list); i++) {
		const struct place module = enter_item(at, "modules", list, i);

		file->module[file->modules++] = (struct rss_module){ text_of(&module, "path"),
								     text_of(&module, "build_id") };
	}
}

static void read_row(struct rss_row *row, const struct place *at)
{
	char *kind = text_of(at, "kind");

	for (row->kind = 0; row->kind < RSS_KINDS; row->kind++)
		if (!strcmp(kind_names[row->kind], kind))
			break;
	if (row->kind == RSS_KINDS) {
		set_wrong(at, "kind", "this is no kind of memory");
		row->kind = RSS_OTHER;
	}
	free(kind);
	row->name = text_of(at, "name");
	row->mappings = count_of(at, "mappings");
	row->rss_bytes = count_of(at, "rss_bytes");
	row->anonymous_bytes = count_of(at, "anonymous_bytes");
	row->private_clean_bytes = count_of(at, "private_clean_bytes");
	if (row->anonymous_bytes > row->rss_bytes)
		set_wrong(at, "anonymous_bytes", "more than its rss_bytes");
}

static void read_breakdown(struct rss_file *file, const struct place *at)
{
	const json_t *list = list_of(at, "rows");
	uint64_t sum = 0;

	file->has_breakdown = true;
	free(file->exe);
	file->exe = text_of(at, "exe");
	file->rss_bytes = count_of(at, "rss_bytes");
	file->swap_bytes = count_of(at, "swap_bytes");
	file->hugetlb_bytes = count_of(at, "hugetlb_bytes");
	file->page_table_bytes = count_of(at, "page_table_bytes");
	file->row = xcalloc(json_array_size(list) + 1, sizeof(*file->row));
	for (size_t i = 0; i < json_array_size(list); i++) {
		const struct place row = enter_item(at, "rows", list, i);

		read_row(&file->row[file->rows], &row);
		if (__builtin_add_overflow(sum, file->row[file->rows++].rss_bytes, &sum))
			set_wrong(&row, "rss_bytes", "the sum of the rows is too large");
	}
	if (sum != file->rss_bytes)
		set_wrong(at, "rss_bytes", "this is not the sum of the rows");
}

static uint64_t rss_of(const json_t *run, const char *key)
{
	const json_t *value = json_object_get(json_object_get(run, key), "rss_bytes");

	return json_is_integer(value) ? (uint64_t)json_integer_value(value) : 0;
}

static void read_sample(struct rss_file *file, const struct place *peak)
{
	file->has_sample = json_object_get(peak->object, "statm_anonymous_bytes") != NULL;
	if (!file->has_sample)
		return;
	file->statm_bytes = count_of(peak, "statm_bytes");
	file->statm_anonymous_bytes = count_of(peak, "statm_anonymous_bytes");
	file->statm_error_bytes = count_of(peak, "statm_error_bytes");
	if (file->statm_anonymous_bytes > file->statm_bytes)
		set_wrong(peak, "statm_anonymous_bytes", "more than its statm_bytes");
	if (file->statm_bytes > file->peak_bytes)
		set_wrong(peak, "statm_bytes", "more than the peak");
}

/* Is it there? Then it is a breakdown, be it the one that is taken or not. */
static bool has_breakdown(const struct place *run, const char *key)
{
	struct place at;

	if (!json_object_get(run->object, key))
		return false;
	at = enter(run, key);
	count_of(&at, "rss_bytes");
	return true;
}

static char *read_source(const struct place *peak)
{
	char *source = text_of(peak, "source");

	if (strcmp(source, "statm") && strcmp(source, "VmHWM") && strcmp(source, "smaps"))
		set_wrong(peak, "source", "this is none of statm, VmHWM and smaps");
	return source;
}

static void read_run(struct rss_file *file, const struct place *run)
{
	const struct place peak = enter(run, "peak");
	const bool has_exit = has_breakdown(run, "exit_snapshot");
	const bool has_best = has_breakdown(run, "snapshot");
	uint64_t at_exit;

	file->end = text_of(run, "exit");
	file->peak_source = read_source(&peak);
	file->peak_bytes = count_of(&peak, "rss_bytes");
	file->peak_error_bytes = count_of(&peak, "error_bytes");
	read_sample(file, &peak);
	at_exit = rss_of(run->object, "exit_snapshot");
	file->is_at_exit = has_exit && (!has_best || at_exit >= rss_of(run->object, "snapshot") ||
					at_exit >= file->peak_bytes - file->peak_bytes / 100);
	if (has_exit || has_best) {
		const struct place breakdown =
			enter(run, file->is_at_exit ? "exit_snapshot" : "snapshot");

		read_breakdown(file, &breakdown);
	} else {
		file->no_breakdown = json_object_get(run->object, "no_snapshot")
					     ? text_of(run, "no_snapshot")
					     : xstrdup("it has no breakdown");
	}
}

static uint64_t peak_of(const json_t *run)
{
	const json_t *value = json_object_get(json_object_get(run, "peak"), "rss_bytes");

	return (uint64_t)json_integer_value(value);
}

/* The first run whose peak is as the median's: of an even number the lower one of the two. */
static size_t find_median(const json_t *runs)
{
	const size_t count = json_array_size(runs);

	for (size_t i = 0; i < count; i++) {
		const uint64_t peak = peak_of(json_array_get(runs, i));
		size_t lower = 0, equal = 0;

		for (size_t j = 0; j < count; j++) {
			lower += peak_of(json_array_get(runs, j)) < peak;
			equal += peak_of(json_array_get(runs, j)) == peak;
		}
		if (lower <= (count - 1) / 2 && (count - 1) / 2 < lower + equal)
			return i;
	}
	return 0;
}

/* How much of its peak a run's best breakdown has. */
static double share_of(const json_t *run)
{
	const uint64_t best = rss_of(run, "snapshot"), at_exit = rss_of(run, "exit_snapshot");
	const uint64_t peak = peak_of(run);

	return peak ? (double)(best > at_exit ? best : at_exit) / (double)peak : 0;
}

/* Of the runs that are as good as the median's that with the best breakdown. */
static size_t find_run(const json_t *runs)
{
	const size_t median = find_median(runs);
	const uint64_t peak = peak_of(json_array_get(runs, median));
	size_t best = median;

	for (size_t i = 0; i < json_array_size(runs); i++) {
		const json_t *run = json_array_get(runs, i);
		const uint64_t off =
			peak_of(run) > peak ? peak_of(run) - peak : peak - peak_of(run);

		if (off <= peak / 100 && share_of(run) > share_of(json_array_get(runs, best)))
			best = i;
	}
	return best;
}

static void read_all(struct rss_file *file, const struct place *at)
{
	const struct place process = enter(at, "process"), where = enter(at, "environment");
	const struct place peaks = enter(at, "peak_rss_bytes");
	const json_t *runs = list_of(at, "runs");
	struct place run;

	file->path = text_of(&process, "path");
	read_argv(file, &process);
	read_environment(file, &where);
	file->least_peak_bytes = count_of(&peaks, "minimum");
	file->most_peak_bytes = count_of(&peaks, "maximum");
	file->runs = json_array_size(runs);
	if (!file->runs) {
		set_wrong(at, "runs", "there is none");
		return;
	}
	file->run = find_run(runs);
	run = enter_item(at, "runs", runs, file->run);
	read_run(file, &run);
}

static json_t *load(const char *path, struct err *err)
{
	FILE *in = fopen(path, "re");
	json_error_t wrong;
	struct stat status;
	json_t *root = NULL;

	if (!in || fstat(fileno(in), &status)) {
		err_set(err, "%s: %s", path, strerror(errno));
	} else if (!S_ISREG(status.st_mode)) {
		err_set(err, "%s: not a regular file", path);
	} else if (status.st_size > FILE_BYTES_MAX) {
		err_set(err, "%s: too large for a result of xalloc rss", path);
	} else {
		root = json_loadf(in, JSON_REJECT_DUPLICATES, &wrong);
		if (!root)
			err_set(err, "%s:%d:%d: %s", path, wrong.line, wrong.column, wrong.text);
	}
	if (in)
		fclose(in);
	return root;
}

int rss_file_read(struct rss_file *file, const char *path, struct err *err)
{
	bool is_wrong = false;
	struct place at = { .path = path, .err = err, .is_wrong = &is_wrong };
	const char *schema;
	json_t *root;

	*file = (struct rss_file){ .exe = xstrdup("") };
	root = load(path, err);
	if (!root)
		return -1;
	at.object = root;
	schema = json_string_value(json_object_get(root, "schema"));
	if (!schema || strcmp(schema, SCHEMA))
		set_wrong(&at, "schema", "this is not \"" SCHEMA "\", a result of xalloc rss");
	else
		read_all(file, &at);
	json_decref(root);
	return is_wrong ? -1 : 0;
}

void rss_file_release(struct rss_file *file)
{
	for (size_t i = 0; i < file->modules; i++) {
		free(file->module[i].path);
		free(file->module[i].build_id);
	}
	for (size_t i = 0; i < file->rows; i++)
		free(file->row[i].name);
	free(file->module);
	free(file->row);
	free(file->path);
	free(file->exe);
	free(file->end);
	free(file->peak_source);
	free(file->no_breakdown);
	strlist_release(&file->argv);
	strlist_release(&file->environment);
	*file = (struct rss_file){ 0 };
}
