/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Live bytes over time, in at most TIMELINE_BUCKETS spans of equal length: of each the least and
 * the greatest total, exact to the event. A span becomes twice as long, and two become one, when
 * there are too many. The greatest of all is kept by itself, with its time.
 */
#ifndef XALLOC_REPORT_TIMELINE_H
#define XALLOC_REPORT_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/selection.h"
#include "analyzer/trace/trace_clock.h"

#define TIMELINE_BUCKETS 256u

struct timeline_point {
	uint64_t bytes, blocks;
};

struct timeline_bucket {
	uint64_t steps; /* events that changed something; 0: all three are what was live before */
	struct timeline_point least, most, last;
};

struct timeline {
	struct trace_clock clock;
	bool is_open;         /* first is known */
	bool has_times;       /* else the spans are of steps: there are no times in the trace */
	uint64_t first, span; /* stamps, or steps */
	struct timeline_bucket bucket[TIMELINE_BUCKETS];
	size_t buckets;
	struct timeline_point live, peak; /* the first instant of the greatest total */
	uint64_t peak_time;               /* a stamp, or steps */
	uint64_t peak_at,
		last_at; /* the same in the order of events, in which time never goes back */
	uint64_t steps;
	struct selection_view view; /* to be given to the replay */
};

/* Must stay where it is while view is in use. */
void timeline_init(struct timeline *timeline);
/* After the replay. end_ns: when the trace, or what is looked at of it, ends. */
void timeline_finish(struct timeline *timeline, uint64_t end_ns);

/* Where a bucket begins, and a place (peak_time): in ns, or steps when there are no times. */
uint64_t timeline_begin_of(const struct timeline *timeline, size_t bucket);
uint64_t timeline_time_of(const struct timeline *timeline, uint64_t at);
/* The bucket that has the peak. */
size_t timeline_peak_bucket(const struct timeline *timeline);

#endif
