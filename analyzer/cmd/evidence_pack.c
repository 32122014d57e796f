/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/evidence_pack.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/mem.h"
#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/anonymous.h"
#include "analyzer/cmd/anonymous_rules.h"
#include "analyzer/cmd/evidence_build.h"
#include "analyzer/cmd/evidence_rules.h"
#include "analyzer/cmd/temporary.h"
#include "analyzer/cmd/workshop.h"
#include "analyzer/evidence/file_tree.h"
#include "analyzer/report/symbol_bundle.h"
#include "analyzer/symbols/symbol_file.h"
#include "analyzer/trace/trace_header.h"

#define MAX_BYTES 500000u /* of a piece, unless it is given */

static char *absolute(const char *path)
{
	char *cwd, *whole;

	if (*path == '/')
		return xstrdup(path);
	cwd = getcwd(NULL, 0);
	whole = xasprintf("%s/%s", cwd ? cwd : "", path);
	free(cwd);
	return whole;
}

/* --- pack */

struct collecting {
	const struct options *options;
	const struct pseudonyms *pseudonyms; /* NULL: names stay */
	struct anonymous_rules *rules;       /* NULL: there are none, or names stay */
};

/* A name of its own: two traces may be called alike. Of anonymous ones it says nothing. */
static char *find_name(const struct evidence *evidence, const char *path, enum evidence_kind kind)
{
	char *plain = !evidence->is_anonymous  ? evidence_name(path)
		      : kind == EVIDENCE_TRACE ? xstrdup("trace.zst")
					       : xstrdup("rss.json");
	char *name = evidence_free_name(evidence, plain);

	free(plain);
	return name;
}

/* What the trace's addresses are called, as far as this machine knows. */
static int add_symbols(struct evidence *evidence, const struct workshop *workshop,
		       const struct trace *trace, const char *name, const struct collecting *from,
		       struct err *err)
{
	const struct symbolizer_options how = analysis_symbols(from->options, trace);
	char *path = xasprintf("%s/%s.symbols", workshop->in, name);
	struct symbol_bundle bundle;
	FILE *out = fopen(path, "wxe");
	int ret = 0;

	symbol_bundle_build(&bundle, trace, &how, from->pseudonyms);
	for (size_t i = 0; i < bundle.warnings.count; i++)
		print_error("%s: warning: %s", trace_path(trace), bundle.warnings.text[i]);
	errno = 0;
	if (!out ||
	    symbol_file_write(out, bundle.table, bundle.tables, SYMBOL_BUNDLE_MAX) | fclose(out))
		ret = err_set(err, "%s: cannot be written: %s", path, strerror(errno));
	symbol_bundle_release(&bundle);
	free(path);
	evidence_add_original(evidence, xasprintf("%s.symbols", name), EVIDENCE_SYMBOLS);
	return ret;
}

static int add_trace(struct evidence *evidence, const struct workshop *workshop,
		     struct trace *trace, const struct collecting *from, struct err *err)
{
	char *name = find_name(evidence, trace_path(trace), EVIDENCE_TRACE);
	char *copy = xasprintf("%s/%s", workshop->in, name);
	int ret = 0;

	evidence_add_original(evidence, name, EVIDENCE_TRACE);
	if (trace_is_live(trace))
		ret = err_set(err, "%s: its process is still running", trace_path(trace));
	else if (from->pseudonyms)
		ret = anonymous_trace(trace, copy, name, from->pseudonyms, err);
	else
		ret = workshop_copy(trace_path(trace), copy, err);
	if (!ret)
		ret = add_symbols(evidence, workshop, trace, name, from, err);
	if (!ret && from->rules)
		ret = anonymous_rules_add(from->rules, trace_path(trace), copy, workshop->root,
					  from->options, err);
	free(copy);
	return ret;
}

static int add_rss(struct evidence *evidence, const struct workshop *workshop, const char *path,
		   const struct collecting *from, struct err *err)
{
	char *name = find_name(evidence, path, EVIDENCE_RSS);
	char *copy = xasprintf("%s/%s", workshop->in, name);
	const int ret = from->pseudonyms ? anonymous_rss(path, copy, from->pseudonyms, err)
					 : workshop_copy(path, copy, err);

	evidence_add_original(evidence, name, EVIDENCE_RSS);
	free(copy);
	return ret;
}

static bool is_rss(const char *path)
{
	json_t *root = json_load_file(path, 0, NULL);
	const char *schema = json_string_value(json_object_get(root, "schema"));
	const bool is = schema && !strcmp(schema, "xalloc-rss/1") &&
			json_is_array(json_object_get(root, "runs"));

	json_decref(root);
	return is;
}

static int add_path(struct evidence *evidence, const struct workshop *workshop, const char *path,
		    const struct collecting *from, struct err *err)
{
	struct trace *trace;
	int ret;

	if (trace_open(&trace, path, err)) {
		if (is_rss(path))
			return add_rss(evidence, workshop, path, from, err);
		return access(path, R_OK) ? -1
					  : err_set(err,
						    "%s: it is neither a trace that can be read "
						    "nor a result of xalloc rss",
						    path);
	}
	ret = add_trace(evidence, workshop, trace, from, err);
	trace_close(trace);
	return ret;
}

static int read_size(uint64_t *bytes, const char *text, struct err *err)
{
	char *end;

	errno = 0;
	*bytes = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || errno || *bytes > PIECES_BYTES_MAX)
		*bytes = 0;
	if (*end == 'K')
		*bytes *= 1000;
	else if (*end == 'M')
		*bytes *= 1000000;
	end += *end == 'K' || *end == 'M';
	if (*end || *bytes < EVIDENCE_MAX_BYTES_MIN || *bytes > PIECES_BYTES_MAX)
		return err_set(err,
			       "--max-size: %s is no size of 4000 bytes or more (500000, 500K, "
			       "2M)",
			       text);
	return 0;
}

/* May the folder be made? */
static int check_place(const char *path, struct err *err)
{
	struct stat st;

	if (lstat(path, &st))
		return errno == ENOENT ? 0 : err_set(err, "%s: %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode) || rmdir(path))
		return err_set(err, "-o would replace %s, which is no empty folder", path);
	return 0;
}

static int add_rules(struct evidence *evidence, const struct workshop *workshop,
		     const struct collecting *from, struct err *err)
{
	char *name, *path;
	int ret;

	if (!from->rules)
		return evidence_add_rules(evidence, workshop, from->options->rules, err);
	name = evidence_free_name(evidence, "rules.json");
	path = xasprintf("%s/%s", workshop->in, name);
	ret = anonymous_rules_write(from->rules, path, err);
	evidence_add_original(evidence, name, EVIDENCE_RULES);
	free(path);
	return ret;
}

static int add_all(struct evidence *evidence, const struct workshop *workshop,
		   const struct collecting *from, struct err *err)
{
	const struct options *options = from->options;

	for (size_t i = 0; i < options->paths; i++)
		if (add_path(evidence, workshop, options->path[i], from, err))
			return -1;
	return options->rules ? add_rules(evidence, workshop, from, err) : 0;
}

static int collect_anonymous(struct evidence *evidence, const struct workshop *workshop,
			     const struct options *options, struct err *err)
{
	struct pseudonyms pseudonyms;
	struct collecting from = { options, &pseudonyms, NULL };
	int ret = pseudonyms_init(&pseudonyms, err);

	if (!ret && options->rules) {
		from.rules = anonymous_rules_open(options->rules, err);
		ret = from.rules ? 0 : -1;
	}
	if (!ret)
		ret = add_all(evidence, workshop, &from, err);
	anonymous_rules_close(from.rules);
	explicit_bzero(&pseudonyms, sizeof(pseudonyms));
	return ret;
}

static int collect(struct evidence *evidence, const struct workshop *workshop,
		   const struct options *options, struct err *err)
{
	const struct collecting from = { options, NULL, NULL };

	evidence->top = options->top;
	evidence->is_anonymous = options->is_anonymous;
	evidence->max_bytes = MAX_BYTES;
	if (options->max_size && read_size(&evidence->max_bytes, options->max_size, err))
		return -1;
	return options->is_anonymous ? collect_anonymous(evidence, workshop, options, err)
				     : add_all(evidence, workshop, &from, err);
}

static size_t count_pieces(const struct evidence *evidence)
{
	size_t count = 0;

	for (size_t i = 0; i < evidence->originals; i++)
		for (size_t k = 0; k < evidence->original[i].pieces.count; k++)
			count += evidence->original[i].pieces.piece[k].path != NULL;
	return count;
}

/* Of a folder that is whole. */
static void find_facts(struct evidence_facts *facts, const struct evidence *evidence,
		       const struct file_tree *tree)
{
	char *text = file_tree_sums(tree);
	struct sha256 sha;

	facts->originals = evidence->originals;
	facts->tables = evidence->tables;
	facts->incomplete = evidence->incomplete;
	facts->pieces = count_pieces(evidence);
	facts->files = tree->count + 1;
	facts->bytes = tree->bytes + strlen(text);
	sha256_begin(&sha);
	sha256_add(&sha, text, strlen(text));
	facts->sums = sha256_end(&sha);
	free(text);
}

static int build(struct evidence *evidence, struct workshop *workshop, const char *out,
		 struct evidence_facts *facts, struct err *err)
{
	struct file_tree tree;
	int ret = workshop_enter(workshop, err);

	if (!ret)
		ret = evidence_build(evidence, out, err);
	if (ret)
		return ret;
	ret = file_tree_read(&tree, out, &facts->wrong, err);
	if (!ret)
		find_facts(facts, evidence, &tree);
	file_tree_release(&tree);
	return ret;
}

/* The folder is there when all of it is. */
static int put_in_place(const char *from, const char *to, struct err *err)
{
	if (rename(from, to))
		return err_set(err, "%s: cannot be written: %s", to, strerror(errno));
	temporary_keep_folder(TEMPORARY_RESULT);
	return 0;
}

static int make_new(char *path, struct err *err)
{
	return temporary_make_folder(TEMPORARY_RESULT, path)
		       ? err_set(err, "%s: cannot be written: %s", path, strerror(errno))
		       : 0;
}

int evidence_pack(const struct options *options, struct evidence_facts *facts, struct err *err)
{
	char *to = absolute(options->out), *new = xasprintf("%s.new.%d", to, (int)getpid());
	struct workshop workshop;
	struct evidence evidence;
	int ret = workshop_open(&workshop, err);

	evidence_init(&evidence);
	if (!ret)
		ret = check_place(options->out, err);
	if (!ret)
		ret = make_new(new, err);
	if (!ret)
		ret = collect(&evidence, &workshop, options, err);
	if (!ret)
		ret = build(&evidence, &workshop, new, facts, err);
	if (!ret)
		ret = put_in_place(new, to, err);
	evidence_release(&evidence);
	workshop_close(&workshop);
	temporary_remove_folder(TEMPORARY_RESULT);
	free(to);
	free(new);
	return ret;
}

/* --- verify, unpack */

/* NULL with a line in err: it cannot be read. A NUL ends it; *size tells. */
static char *read_sums(const char *folder, size_t *size, struct err *err)
{
	char *path = xasprintf("%s/" FILE_TREE_SUMS, folder), *text = NULL;
	const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	ssize_t got = -1;

	free(path);
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode)) {
		text = xcalloc((size_t)st.st_size + 1, 1);
		got = read(fd, text, (size_t)st.st_size);
	}
	if (got < 0) {
		err_set(err, FILE_TREE_SUMS ": it cannot be read");
		free(text);
		text = NULL;
	}
	if (fd >= 0)
		close(fd);
	*size = got < 0 ? 0 : (size_t)got;
	return text;
}

static bool has_file(const char *folder, const char *name)
{
	char *path = xasprintf("%s/%s", folder, name);
	const bool has = !access(path, F_OK);

	free(path);
	return has;
}

static void say(struct evidence_facts *facts, const struct err *err)
{
	warnings_add(&facts->wrong, "%s", err->text);
}

/* What SHA256SUMS says of the files. */
static int check_sums(struct evidence_facts *facts, struct file_tree *tree, struct err *err)
{
	struct err why;
	char *sums, *right;
	size_t size;

	*tree = (struct file_tree){ .file = NULL };
	if (!has_file(facts->folder, EVIDENCE_INDEX) && !has_file(facts->folder, FILE_TREE_SUMS))
		return err_set(err,
			       "%s: it is no folder of evidence: neither " EVIDENCE_INDEX
			       " nor " FILE_TREE_SUMS " is there",
			       facts->folder);
	if (file_tree_read(tree, facts->folder, &facts->wrong, err))
		return -1;
	sums = read_sums(facts->folder, &size, &why);
	if (sums)
		file_tree_check(tree, sums, &facts->wrong);
	else
		say(facts, &why);
	right = file_tree_sums(tree);
	if (!facts->wrong.count && (size != strlen(right) || strcmp(sums, right)))
		warnings_add(&facts->wrong, FILE_TREE_SUMS ": it is not the list of the files");
	free(right);
	free(sums);
	return 0;
}

static int join_all(const struct evidence *evidence, const char *from, const char *to,
		    struct err *err)
{
	for (size_t i = 0; i < evidence->originals; i++) {
		const struct evidence_original *original = &evidence->original[i];
		char *path = xasprintf("%s/%s", to, original->name);
		int ret = evidence_make_folders(to, original->name, err);

		if (!ret)
			ret = pieces_join(&original->pieces, from, path, err);
		free(path);
		if (ret)
			return ret;
	}
	return 0;
}

/* All files that follow from the originals, once more. */
static void check_tables(struct evidence *evidence, struct evidence_facts *facts,
			 struct workshop *workshop, const struct file_tree *found)
{
	struct file_tree right = { .file = NULL };
	struct err why;

	if (join_all(evidence, facts->folder, workshop->in, &why) ||
	    workshop_enter(workshop, &why) || evidence_build(evidence, workshop->out, &why) ||
	    file_tree_read(&right, workshop->out, &facts->wrong, &why)) {
		say(facts, &why);
	} else {
		file_tree_compare(found, &right, &facts->wrong);
		find_facts(facts, evidence, &right);
	}
	if (facts->wrong.count && strcmp(evidence->version, XALLOC_VERSION))
		warnings_add(&facts->wrong,
			     "it was packed by xalloc-report %s, and this is %s, "
			     "which may say some things in other words",
			     evidence->version, XALLOC_VERSION);
	file_tree_release(&right);
}

static int check_index(struct evidence_facts *facts, const struct file_tree *found, struct err *err)
{
	struct workshop workshop;
	struct evidence evidence;
	struct err why;
	int ret = workshop_open(&workshop, err);

	if (!ret) {
		if (evidence_read(&evidence, facts->folder, &why))
			say(facts, &why);
		else
			check_tables(&evidence, facts, &workshop, found);
		evidence_release(&evidence);
	}
	workshop_close(&workshop);
	return ret;
}

int evidence_verify(struct evidence_facts *facts, struct err *err)
{
	struct file_tree found;
	int ret = check_sums(facts, &found, err);

	if (!ret && !facts->wrong.count)
		ret = check_index(facts, &found, err);
	file_tree_release(&found);
	return ret;
}

int evidence_unpack(struct evidence_facts *facts, struct err *err)
{
	const char *to = facts->to;
	char *new = xasprintf("%s.new.%d", to, (int)getpid());
	struct evidence evidence = { .version = NULL };
	struct err why;
	int ret = check_place(to, err);

	if (!ret && evidence_read(&evidence, facts->folder, &why))
		ret = err_set(err, "%s: %s", facts->folder, why.text);
	if (!ret)
		ret = make_new(new, err);
	if (!ret)
		ret = join_all(&evidence, facts->folder, new, err);
	if (!ret)
		ret = put_in_place(new, to, err);
	facts->originals = evidence.originals;
	facts->pieces = count_pieces(&evidence);
	evidence_release(&evidence);
	temporary_remove_folder(TEMPORARY_RESULT);
	free(new);
	return ret;
}
