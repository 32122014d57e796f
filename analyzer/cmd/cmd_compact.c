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
#include "analyzer/cmd/rewrite.h"
#include "analyzer/cmd/temporary.h"
#include "analyzer/model/drop.h"
#include "analyzer/render/render_compact.h"
#include "analyzer/trace/compact.h"

static bool is_told_of(const struct result *result)
{
	const struct told *told = &result->told;

	return told->phases > 1 || told->iterations || told->dumps || told->pools || told->pauses ||
	       result->totals.untracked_calls;
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
		ret = err_set(err,
			      "%s: its program told of phases, pauses or pools: only compact "
			      "without --drop keeps them",
			      trace_path(trace));
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
	if (compact_write(trace, path, name, NULL, err)) {
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
	ret = rewrite_check_result(&result, path, name, err);
	result_release(&result);
	return ret;
}

/* What it takes on the disk, if that is less: a trace as recorded has holes. */
static uint64_t size_of(const char *path)
{
	struct stat status;
	uint64_t stored;

	if (stat(path, &status))
		return 0;
	stored = (uint64_t)status.st_blocks * 512;
	return stored < (uint64_t)status.st_size ? stored : (uint64_t)status.st_size;
}

static int run(const struct options *options, const char *path, struct compact_facts *facts,
	       struct err *err)
{
	struct drop_parts parts;
	struct trace *trace;
	int ret;

	if (rewrite_check_place(facts->to, err) || trace_open(&trace, facts->from, err))
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
