/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/verify/sequence.h"

#include <inttypes.h>
#include <stdbool.h>

#include "analyzer/base/number.h"
#include "analyzer/verify/check_list.h"

/* Returns the events that are missing before the chunk. */
static uint64_t check_next(const struct raw_chunk *chunk, uint64_t seq, uint64_t base,
			   struct verify_report *report)
{
	const struct xt_meta *meta = &chunk->meta;
	const bool has_events = meta->kind == XT_KIND_EVENTS;
	const uint64_t lost = has_events && meta->base > base ? meta->base - base : 0;

	if (meta->seq != seq && has_events) {
		check_fail(report, CHECK_SEQUENCE,
			   "stream %" PRIu32 ": chunk %" PRIu64 " (offset %" PRIu64
			   ") comes where %" PRIu64 " should, %s %s missing",
			   meta->stream, meta->seq, chunk->offset, seq,
			   number_of(lost, "event").text, number_are(lost));
		return lost;
	}
	if (meta->seq != seq)
		check_fail(report, CHECK_SEQUENCE,
			   "%s: chunk %" PRIu64 " (offset %" PRIu64 ") comes where %" PRIu64
			   " should",
			   meta->kind == XT_KIND_IDS ? "frame ids" : "records", meta->seq,
			   chunk->offset, seq);
	if (has_events && meta->base != base)
		check_fail(report, CHECK_COUNTS,
			   "stream %" PRIu32 ", chunk %" PRIu64 " (offset %" PRIu64
			   "): %s %s before "
			   "it, and it says %s",
			   meta->stream, seq, chunk->offset, number_of(base, "event").text,
			   number_are(base), number_count(meta->base).text);
	return 0;
}

static void check_recorder_totals(const struct raw_trace *trace, struct verify_report *report)
{
	const struct xt_totals *totals = &trace->totals;

	const struct xt_header *header = &trace->header;

	if (!trace->has_totals && header->state == XT_STATE_ENDED &&
	    header->exit_kind == XT_EXIT_STATUS && !header->stop_reason) {
		check_fail(report, CHECK_RECORDER_TOTALS,
			   "offset %" PRIu64 ": the process ended cleanly and there is no totals "
			   "frame: the file is cut or damaged",
			   trace->size);
		return;
	}
	if (!trace->has_totals) {
		check_skip(report, CHECK_RECORDER_TOTALS, "the trace has no totals frame: no clean end");
		return;
	}
	check_say(report, CHECK_RECORDER_TOTALS, "%s and %s by the recorder's count",
		  number_of(totals->chunks, "chunk").text, number_of(totals->events, "event").text);
	/* Other threads may have written more while it was counted. */
	if (trace->totals_chunks < totals->chunks || trace->totals_events < totals->events)
		check_fail(report, CHECK_RECORDER_TOTALS,
			   "%s and %s by the recorder's count, only %s and %s are there",
			   number_of(totals->chunks, "chunk").text,
			   number_of(totals->events, "event").text,
			   number_count(trace->totals_chunks).text,
			   number_count(trace->totals_events).text);
}

uint64_t sequence_check(const struct raw_trace *trace, struct verify_report *report)
{
	const struct xt_meta *last = NULL;
	uint64_t lost = 0, streams = 0;

	for (size_t i = 0; i < trace->chunks; i++) {
		const struct xt_meta *meta = &trace->chunk[i].meta;
		const bool goes_on = last && last->kind == meta->kind &&
				     last->stream == meta->stream;

		streams += !goes_on && meta->kind == XT_KIND_EVENTS;
		/* Two halves of one block of frame ids or records. */
		if (goes_on && last->seq == meta->seq)
			continue;
		lost += check_next(&trace->chunk[i], goes_on ? last->seq + 1 : 0,
				   goes_on ? last->base + last->events : 0, report);
		last = meta;
	}
	/* What the recorder counted and nobody saw is missing, too. */
	if (trace->has_totals && trace->totals.events > trace->totals_events &&
	    trace->totals.events - trace->totals_events > lost)
		lost = trace->totals.events - trace->totals_events;
	check_say(report, CHECK_SEQUENCE, "%s without a gap, %s dropped",
		  number_of(streams, "stream").text,
		  number_of(trace->duplicates, "duplicate").text);
	check_recorder_totals(trace, report);
	return lost;
}
