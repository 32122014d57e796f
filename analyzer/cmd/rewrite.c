/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/rewrite.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/cmd/analysis.h"
#include "analyzer/trace/trace_file.h"
#include "analyzer/trace/trace_header.h"

int rewrite_check_place(const char *path, struct err *err)
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
	ret = trace_header_load(&header, &file, path, NULL, &why);
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

int rewrite_check_result(const struct result *want, const char *path, const char *name,
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
