/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/verify/verify.h"

#include <inttypes.h>

#include "analyzer/base/number.h"
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
	case XT_STOP_NO_WAY:
		return "the trace could not be made larger: it was renamed, removed or replaced, "
		       "or the program gave up the right to";
	case XT_STOP_SEALED:
		return "the program allowed itself no system call that makes room for more";
	default:
		return "for a reason that this version does not know";
	}
}

static bool has_failed(const struct verify_report *report, enum check_id id)
{
	return report->check[id].state == VERIFY_FAILED;
}

static bool is_file_whole(const struct verify_report *report)
{
	static const enum check_id checks[] = {
		CHECK_FRAMES, CHECK_CHECKSUMS, CHECK_SEQUENCE,
		CHECK_COUNTS, CHECK_EVENTS,    CHECK_RECORDER_TOTALS
	};

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		if (has_failed(report, checks[i]))
			return false;
	return true;
}

/* After all that reads the file. */
static void check_complete(const struct raw_trace *trace, struct verify_report *report)
{
	const struct xt_header *header = &trace->header;

	check_say(report, CHECK_COMPLETE, "no event before the end of the process is missing");
	if (header->lost_events)
		check_fail(report, CHECK_COMPLETE, "%s %s not recorded",
			   number_of(header->lost_events / XT_SURE, "call").text,
			   header->lost_events == XT_SURE ? "was" : "were");
	if (header->stop_reason)
		check_fail(report, CHECK_COMPLETE, "recording stopped before the process ended: %s",
			   stop_text(header->stop_reason));
	if (!trace->windows && !trace->has_totals && !raw_trace_is_compact(trace))
		check_fail(report, CHECK_COMPLETE, "offset %u: the live window is missing",
			   XT_PAGE_BYTES);
	else if (!is_file_whole(report))
		check_fail(report, CHECK_COMPLETE,
			   "a part of the file is damaged or missing, see the other checks");
}

/* What grows while it is read is another trace to each reader. */
static void refuse_live(struct verify_report *report)
{
	check_fail(report, CHECK_COMPLETE, "the process is still running");
	for (enum check_id id = 0; id < CHECK_COUNT; id++)
		check_skip(report, id, "the process is still running");
}

/* Where events are missing, blocks contradict each other by right. */
static void skip_what_needs_all(struct verify_report *report)
{
	static const enum check_id checks[] = { CHECK_OVERLAP, CHECK_USABLE_OVERLAP, CHECK_REALLOCS,
						CHECK_HEAP_IN_USE, CHECK_HEAP_MAPPED };

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		check_void(report, checks[i], "events are missing");
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
	size_t slots = 0;

	for (size_t i = 0; i < trace->chunks; i++)
		slots += trace->chunk[i].is_slot;
	check_say(report, CHECK_CHECKSUMS, "%s and %s unpacked",
		  number_of(trace->chunks - slots, "chunk").text, number_of(slots, "slot").text);
	check_say(report, CHECK_COUNTS, "%s, as their chunks say",
		  number_of(t->events, "event").text);
	check_say(report, CHECK_STAMPS, "none goes back within its stream%s",
		  trace->header.clock == XT_CLOCK_ORDER
			  ? "; times are not checked: stamps were dropped"
			  : "");
	check_say(report, CHECK_EVENTS, "each can be read, its frames are known");
	check_say(report, CHECK_THREADS, "%s with events, each with one number of the kernel",
		  number_of(t->threads, "thread").text);
	if (t->threads > trace->header.threads && trace->header.threads)
		check_fail(report, CHECK_THREADS, "%s with events, the recorder gave out %s",
			   number_of(t->threads, "thread").text,
			   number_of(trace->header.threads, "number").text);
	check_say(report, CHECK_OVERLAP, "no two of up to %s share a byte",
		  number_of(t->peak_blocks, "live block").text);
	if (trace->header.usable_rule != XT_USABLE_GLIBC) {
		check_skip(report, CHECK_USABLE_OVERLAP, "usable sizes are known of glibc only");
		check_skip(report, CHECK_USABLE_SIZES, "usable sizes are known of glibc only");
	}
	check_say(report, CHECK_USABLE_OVERLAP, "nor of their usable bytes");
	if (has_failed(report, CHECK_OVERLAP) && account->is_excused && may_be_in_calls(trace)) {
		check_excuse(report, CHECK_OVERLAP,
			     "%s handed out again while the call that gave %s back had not "
			     "returned",
			     number_of(account->contradictions, "block").text,
			     account->contradictions == 1 ? "it" : "each");
		if (has_failed(report, CHECK_USABLE_OVERLAP))
			check_excuse(report, CHECK_USABLE_OVERLAP, "the same");
	}
	check_say(report, CHECK_USABLE_SIZES, "each block has what glibc gives for its request");
	check_say(report, CHECK_REALLOCS, "%s of a block, %s over before the call returned; %s",
		  number_of(account->reallocs, "realloc").text,
		  number_count(account->overtaken).text,
		  number_of(t->foreign_frees, "foreign free").text);
}

/* What was dropped cannot be wrong. */
static void skip_what_was_dropped(const struct raw_trace *trace, struct verify_report *report)
{
	static const enum check_id checks[] = { CHECK_OVERLAP, CHECK_USABLE_OVERLAP,
						CHECK_USABLE_SIZES, CHECK_HEAP_IN_USE,
						CHECK_HEAP_MAPPED };

	if (trace->header.usable_rule != XT_USABLE_NO_ADDRESSES)
		return;
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		check_skip(report, checks[i], "addresses were dropped");
}

static void check_all(struct raw_trace *trace, const struct verify_claim *claim,
		      struct verify_report *report)
{
	struct raw_facts facts;
	struct account account;
	uint64_t lost;

	skip_what_was_dropped(trace, report);
	raw_trace_walk(trace, report);
	lost = sequence_check(trace, report);
	raw_facts_read(&facts, trace, report);
	account_run(&account, trace, &facts, report);
	account.totals.lost_events += lost;
	check_complete(trace, report);
	if (has_failed(report, CHECK_COMPLETE))
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
	report->is_complete = !has_failed(report, CHECK_COMPLETE);
	check_list_close(report);
	raw_trace_close(&trace);
	return 0;
}
