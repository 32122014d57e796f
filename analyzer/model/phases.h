/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The phases that a program tells of (preload/xalloc.h). They follow each other: at any instant one
 * is on, for all threads; the first is "start". A phase that comes again is the same one. An
 * allocation belongs to the phase in which it was made, as does what becomes of it: so the phases'
 * calls, bytes, temporary calls, blocks at the global peak and leaks add up to the totals. Frees
 * and failed calls count for the phase in which they happen.
 */
#ifndef XALLOC_MODEL_PHASES_H
#define XALLOC_MODEL_PHASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/name_pool.h"
#include "analyzer/model/peak.h"
#include "analyzer/model/result.h"
#include "analyzer/trace/event.h"
#include "analyzer/trace/trace_clock.h"

#define PHASES_MAX 4096u /* names; what comes after them is all of the last one */

/* How things were at some instant. */
struct phase_moment {
	struct totals totals;
	uint64_t live_bytes, live_blocks, stamp;
};

struct phases {
	struct phase *phase;
	uint32_t count, current;
	uint32_t *of_text; /* by text: phase + 1, 0: none */
	uint32_t texts;
	struct phase_moment begun; /* of the current phase */
	struct phase_moment turn;  /* its latest iteration */
	bool has_turn;
	struct dump *dump;
	size_t dumps, dump_room;
	bool is_paused;
	uint64_t pauses, paused_stamp; /* when the latest began */
	uint64_t paused_stamps;        /* how long they took, in all */
	uint64_t iterations;           /* of all phases */
};

void phases_init(struct phases *phases, const struct totals *totals, uint64_t first_stamp);
/* After phases_finish the rest is told's. */
void phases_release(struct phases *phases);

/* A mark, and how things are now. The peak's `recent` begins anew with a phase. */
void phases_mark(struct phases *phases, const struct event *mark, const struct totals *totals,
		 struct peak *peak);

/* The end of the trace: fills in what told has of phases, pauses and dumps. phase_stack must be
 * there; names live as long as texts. */
void phases_finish(struct phases *phases, const struct name_pool *texts,
		   const struct trace_clock *clock, const struct totals *totals,
		   const struct peak *peak, uint64_t last_stamp, struct told *told);

#endif
