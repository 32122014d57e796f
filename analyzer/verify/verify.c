/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/verify/verify.h"

#include <inttypes.h>

#include "analyzer/verify/account.h"
#include "analyzer/verify/check_list.h"
#include "analyzer/verify/compare.h"
#include "analyzer/verify/heap_check.h"
#include "analyzer/verify/raw_facts.h"
#include "analyzer/verify/raw_trace.h"
#include "analyzer/verify/sequence.h"

static const char *stop_text(uint32_t reason)
{
	switch (reason) {
	case XT_STOP_MAX_SIZE:
		return "the trace reached XALLOC_MAX_SIZE";
	case XT_STOP_NO_SPACE:
		return "there was no more space";
	case XT_STOP_NO_MEMORY:
		return "there was no more memory";
	default:
		return "of a reason that this version does not know";
	}
}

/* What is missing as far as the recorder knows. */
static void check_complete(const struct raw_trace *trace, struct verify_report *report)
{
	const struct xt_header *header = &trace->header;

	check_say(report, CHECK_COMPLETE, "no event before the end of the process is missing");
	if (header->lost_events)
		check_fail(report, CHECK_COMPLETE, "%" PRIu64 " calls were not recorded",
			   header->lost_events);
	if (header->stop_reason)
		check_fail(report, CHECK_COMPLETE,
			   "recording stopped before the process ended: %s",
			   stop_text(header->stop_reason));
}

/* What grows while it is read is another trace to each reader. */
static void refuse_live(struct verify_report *report)
{
	check_fail(report, CHECK_COMPLETE, "the process is still running");
	for (enum check_id id = 0; id < CHECK_COUNT; id++)
		check_skip(report, id, "the process is still running");
}

static bool has_failed(const struct verify_report *report, enum check_id id)
{
	return report->check[id].state == VERIFY_FAILED;
}

/* Where events are missing, blocks contradict each other by right. */
static void skip_what_needs_all(struct verify_report *report)
{
	static const enum check_id checks[] = { CHECK_OVERLAP, CHECK_USABLE_OVERLAP, CHECK_REALLOCS,
						CHECK_HEAP_IN_USE, CHECK_HEAP_MAPPED };

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		check_void(report, checks[i], "events are missing");
}

static bool is_whole(const struct verify_report *report)
{
	return !has_failed(report, CHECK_FRAMES) && !has_failed(report, CHECK_CHECKSUMS) &&
	       !has_failed(report, CHECK_SEQUENCE) && !has_failed(report, CHECK_COUNTS) && !has_failed(report, CHECK_EVENTS) &&
	       !has_failed(report, CHECK_RECORDER_TOTALS) && !has_failed(report, CHECK_COMPLETE);
}

/* Threads may have been in the middle of calls when the process ended. */
static bool may_be_in_calls(const struct raw_trace *trace)
{
	const struct xt_header *header = &trace->header;

	if (header->state != XT_STATE_ENDED || header->exit_kind != XT_EXIT_STATUS)
		return true;
	/* A thread that goes on during a clean end leaves slots behind. */
	for (size_t i = 0; i < trace->chunks; i++)
		if (trace->chunk[i].is_slot && trace->chunk[i].meta.kind == XT_KIND_EVENTS)
			return true;
	return false;
}

static void describe(const struct raw_trace *trace, const struct account *account,
		     struct verify_report *report)
{
	const struct verify_totals *t = &account->totals;

	check_say(report, CHECK_CHECKSUMS, "%zu chunks and slots unpacked", trace->chunks);
	check_say(report, CHECK_COUNTS, "%" PRIu64 " events, as their chunks say", t->events);
	check_say(report, CHECK_STAMPS, "none goes back within its stream");
	check_say(report, CHECK_EVENTS, "each can be read, its frames are known");
	check_say(report, CHECK_THREADS,
		  "%" PRIu64 " threads with events, each with one number of the kernel", t->threads);
	if (t->threads > trace->header.threads && trace->header.threads)
		check_fail(report, CHECK_THREADS, "the recorder gave out %" PRIu32 " numbers",
			   trace->header.threads);
	check_say(report, CHECK_OVERLAP, "no two of up to %" PRIu64 " live blocks share a byte",
		  t->peak_blocks);
	if (trace->header.usable_rule != XT_USABLE_GLIBC) {
		check_skip(report, CHECK_USABLE_OVERLAP, "usable sizes are known of glibc only");
		check_skip(report, CHECK_USABLE_SIZES, "usable sizes are known of glibc only");
	}
	check_say(report, CHECK_USABLE_OVERLAP, "nor of their usable bytes");
	if (account->is_excused && may_be_in_calls(trace)) {
		check_excuse(report, CHECK_OVERLAP, "%" PRIu64
			     " blocks were handed out again while the call that gave them back had "
			     "not returned", account->contradictions);
		if (has_failed(report, CHECK_USABLE_OVERLAP))
			check_excuse(report, CHECK_USABLE_OVERLAP, "the same");
	}
	check_say(report, CHECK_USABLE_SIZES, "each block has what glibc gives for its request");
	check_say(report, CHECK_REALLOCS,
		  "%" PRIu64 " of a block, %" PRIu64 " over before they returned; %" PRIu64
		  " frees are foreign", account->reallocs, account->overtaken, t->foreign_frees);
}

static void check_all(struct raw_trace *trace, const struct verify_claim *claim,
		      struct verify_report *report)
{
	struct raw_facts facts;
	struct account account;
	uint64_t lost;

	raw_trace_walk(trace, report);
	lost = sequence_check(trace, report);
	raw_facts_read(&facts, trace, report);
	check_complete(trace, report);
	account_run(&account, trace, &facts, report);
	account.totals.lost_events += lost;
	if (!is_whole(report))
		skip_what_needs_all(report);
	describe(trace, &account, report);
	compare_run(claim, &account, report);
	heap_check(trace, &facts, &account, report);
	account_release(&account);
	raw_facts_release(&facts);
}

int verify_run(struct verify_report *report, const char *path, const struct verify_claim *claim,
	       struct err *err)
{
	struct raw_trace trace;

	if (raw_trace_open(&trace, path, err))
		return -1;
	check_list_init(report);
	if (trace.is_live)
		refuse_live(report);
	else
		check_all(&trace, claim, report);
	report->is_complete = is_whole(report);
	raw_trace_close(&trace);
	return 0;
}
