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
#include "analyzer/model/drop.h"
#include "analyzer/trace/compact.h"
#include "analyzer/trace/trace_header.h"

/* Is there nothing at path, or another trace, which may be replaced? */
static int check_place(const char *path, struct err *err)
{
	struct trace_file file;
	struct xt_header header;
	struct stat status;
	int ret;

	if (lstat(path, &status) && errno == ENOENT)
		return 0;
	if (trace_file_open(&file, path, err))
		return -1;
	ret = trace_header_load(&header, &file, path, err);
	if (!ret && file.is_live)
		ret = err_set(err, "%s: its process is still running", path);
	trace_file_close(&file);
	return ret;
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

	if (!has_times)
		forget_times(&left), forget_times(&right);
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

static int make(struct trace *trace, const struct options *options, const char *path,
		const char *name, struct err *err)
{
	const struct drop_parts parts = {
		options->drops_addresses || trace_has_dropped(trace, TRACE_ADDRESSES),
		options->drops_stamps || trace_has_dropped(trace, TRACE_STAMPS)
	};
	struct result result;
	struct drop *drop = NULL;
	struct err other;
	int ret = 0;

	if (trace_is_live(trace))
		return err_set(err, "%s: its process is still running", trace_path(trace));
	if (parts.addresses || parts.stamps) {
		drop = drop_begin(trace, parts, path, name, err);
		if (!drop)
			return -1;
	}
	replay_with_progress(trace, &result, drop ? drop_tap(drop) : NULL);
	if (trace_is_damaged(trace))
		ret = err_set(err, "%s: it is damaged; only a whole trace can be made compact",
			      trace_path(trace));
	else if (!drop)
		ret = compact_write(trace, path, name, err);
	if (drop && drop_end(drop, ret ? &other : err))
		ret = -1;
	if (!ret)
		ret = check_result(&result, path, name, err);
	result_release(&result);
	return ret;
}

static uint64_t size_of(const char *path)
{
	struct stat status;

	return stat(path, &status) ? 0 : (uint64_t)status.st_size;
}

enum status cmd_compact(const struct options *options)
{
	const char *const from = options->path[0], *const to = options->out;
	char *path = xasprintf("%s.new.%d", to, (int)getpid());
	struct trace *trace = NULL;
	uint64_t before = 0, after = 0;
	struct err err;
	int ret = check_place(to, &err) || trace_open(&trace, from, &err);

	if (!ret) {
		before = size_of(from);
		ret = make(trace, options, path, to, &err);
		after = size_of(path);
		if (!ret && rename(path, to))
			ret = err_set(&err, "%s: cannot be written: %s", to, strerror(errno));
		if (ret && after)
			unlink(path);
	}
	trace_close(trace);
	free(path);
	if (ret) {
		print_error("%s", err.text);
		return STATUS_UNUSABLE;
	}
	printf("%s: %s, %.1f %% of %s\n", to, number_of(after, "byte").text,
	       before ? 100.0 * (double)after / (double)before : 0.0, from);
	return STATUS_DONE;
}
