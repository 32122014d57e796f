/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stamps to time, by the clock pairs of a trace's header. */
#ifndef XALLOC_TRACE_TRACE_CLOCK_H
#define XALLOC_TRACE_TRACE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/trace/format.h"

struct trace_clock {
	uint64_t first_stamp;
	uint64_t stamps, ns; /* the same distance in both units; stamps 0: the rate is not known */
	uint64_t error_ns;   /* of a converted stamp */
	uint64_t left_stamp; /* later ones say what came first, and no time; 0: none does */
};

struct trace_clock trace_clock_of(const struct xt_header *header);
/* Nanoseconds from the first clock pair to the stamp; 0 before it and when the rate is not
 * known. */
uint64_t trace_clock_ns(const struct trace_clock *clock, uint64_t stamp);
/* When the trace ended: its last event's stamp, or the clock pair at its end, which is later where
 * the process went on without events. */
uint64_t trace_clock_end_stamp(const struct trace_clock *clock, uint64_t last_stamp);
/* How far wrong the time of something can be that happened from stamp low to stamp high.
 * UINT64_MAX: not known, the trace has only one clock pair, or the clock was left before. */
uint64_t trace_clock_error_ns(const struct trace_clock *clock, uint64_t low, uint64_t high);

#endif
