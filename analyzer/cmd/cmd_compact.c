/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"
#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/commands.h"
#include "analyzer/cmd/temporary.h"
#include "analyzer/model/drop.h"
#include "analyzer/render/render_compact.h"
#include "analyzer/trace/compact.h"
#include "analyzer/trace/trace_header.h"

/* Is there nothing at path, or a trace, which may be replaced? */
static int check_place(const char *path, struct err *err)
{
	struct trace_file file;
	struct xt_header header;
	struct stat status;
	struct err why;
	int ret;

	if (lstat(path, &status) && errno == ENOENT)
		return 0;
	if (trace_file_open(&file, path, &why))
		return err_set(err, "-o would replace %s", why.text);
	ret = trace_header_load(&header, &file, path, &why);
	if (!ret && file.is_live)
		ret = err_set(&why, "%s: its process is still running", path);
	trace_file_close(&file);
	return ret ? err_set(err, "-o would replace %s", why.text) : 0;
}

static bool is_same_stack(const struct stack_totals *a, const struct stack_totals *b)
{
	return a->calls == b->calls && a->bytes == b->bytes && a->temporary == b->temporary &&
	       a->live_bytes == b->live_bytes && a->live_blocks == b->live_blocks &&
	       a->peak_bytes == b->peak_bytes && a->peak_blocks == b->peak_blocks;
}

static void forget_times(struct totals *totals)
{
	totals->peak_time_ns = 0;
	totals->peak_time_error_ns = 0;
	totals->duration_ns = 0;
}

static bool is_same(const struct result *a, const struct result *b, bool has_times)
{
	struct totals left = a->totals, right = b->totals;
	bool same = a->stacks == b->stacks;

	if (!has_times) {
		forget_times(&left);
		forget_times(&right);
	}
	same = same && !memcmp(&left, &right, sizeof(left));
	for (size_t i = 0; same && i < a->stacks; i++)
		same = is_same_stack(&a->stack[i], &b->stack[i]);
	return same;
}

/* What was written is read again: it must say the same. */
static int check_result(const struct result *want, const char *path, const char *name,
			struct err *err)
{
	struct trace *trace;
	struct result result;
	int ret = 0;

	if (trace_open(&trace, path, err))
		return -1;
	replay_with_progress(trace, &result, NULL);
	if (trace_is_damaged(trace) ||
	    !is_same(want, &result, !trace_has_dropped(trace, TRACE_STAMPS)))
		ret = err_set(err, "%s: does not say the same when it is read again", name);
	result_release(&result);
	trace_close(trace);
	return ret;
}

static bool is_told_of(const struct result *result)
{
	const struct told *told = &result->told;

	return told->phases > 1 || told->iterations || told->dumps || told->pools ||
	       told->pauses || result->totals.untracked_calls;
}

/* With the result of its one replay. */
static int write_without(struct trace *trace, struct drop_parts parts, const char *path,
			 const char *name, struct result *result, struct err *err)
{
	struct drop *drop;
	int ret;

	temporary_set(path);
	drop = drop_begin(trace, parts, path, name, err);
	if (!drop)
		return -1;
	replay_with_progress(trace, result, drop_tap(drop));
	ret = drop_end(drop, err);
	if (is_told_of(result)) /* which it cannot rewrite */
		ret = err_set(err, "%s: its program told of phases, pauses or pools: only compact "
			      "without --drop keeps them", trace_path(trace));
	if (ret)
		result_release(result);
	return ret;
}

static int write_whole(struct trace *trace, const char *path, const char *name,
		       struct result *result, struct err *err)
{
	replay_with_progress(trace, result, NULL);
	if (trace_is_damaged(trace))
		return 0;
	temporary_set(path);
	if (compact_write(trace, path, name, err)) {
		result_release(result);
		return -1;
	}
	return 0;
}

static int make(struct trace *trace, struct drop_parts parts, const char *path, const char *name,
		struct err *err)
{
	struct result result;
	int ret;

	if (trace_is_live(trace))
		return err_set(err, "%s: its process is still running", trace_path(trace));
	if (parts.addresses || parts.stamps)
		ret = write_without(trace, parts, path, name, &result, err);
	else
		ret = write_whole(trace, path, name, &result, err);
	if (trace_is_damaged(trace)) {
		if (!ret)
			result_release(&result);
		return err_set(err, "%s: it is damaged; only a whole trace can be made compact",
			       trace_path(trace));
	}
	if (ret)
		return ret;
	ret = check_result(&result, path, name, err);
	result_release(&result);
	return ret;
}

static uint64_t size_of(const char *path)
{
	struct stat status;

	return stat(path, &status) ? 0 : (uint64_t)status.st_size;
}

static int run(const struct options *options, const char *path, struct compact_facts *facts,
	       struct err *err)
{
	struct drop_parts parts;
	struct trace *trace;
	int ret;

	if (check_place(facts->to, err) || trace_open(&trace, facts->from, err))
		return -1;
	parts.addresses = options->drops_addresses || trace_has_dropped(trace, TRACE_ADDRESSES);
	parts.stamps = options->drops_stamps || trace_has_dropped(trace, TRACE_STAMPS);
	facts->has_addresses = !parts.addresses;
	facts->has_stamps = !parts.stamps;
	facts->bytes_before = size_of(facts->from);
	ret = make(trace, parts, path, facts->to, err);
	facts->bytes_after = size_of(path);
	if (!ret && rename(path, facts->to))
		ret = err_set(err, "%s: cannot be written: %s", facts->to, strerror(errno));
	if (!ret)
		temporary_set(NULL);
	trace_close(trace);
	return ret;
}

enum status cmd_compact(const struct options *options)
{
	struct compact_facts facts = { .from = options->path[0], .to = options->out };
	char *path = xasprintf("%s.new.%d", facts.to, (int)getpid());
	struct err err;
	const int ret = run(options, path, &facts, &err);

	temporary_remove();
	free(path);
	if (ret) {
		print_error("%s", err.text);
		return STATUS_UNUSABLE;
	}
	if (options->is_json)
		render_compact_json(stdout, &facts);
	else
		render_compact_text(stdout, &facts);
	return STATUS_DONE;
}
