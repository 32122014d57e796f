/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/timeline.h"

#include <string.h>

static void join(struct timeline_bucket *to, const struct timeline_bucket *next)
{
	if (next->least.bytes < to->least.bytes)
		to->least = next->least;
	if (next->most.bytes > to->most.bytes)
		to->most = next->most;
	to->last = next->last;
	to->steps += next->steps;
}

static void double_span(struct timeline *t)
{
	const size_t buckets = t->buckets;

	t->span *= 2;
	for (size_t i = 0; i < buckets; i++) {
		if (i % 2)
			join(&t->bucket[i / 2], &t->bucket[i]);
		else
			t->bucket[i / 2] = t->bucket[i];
	}
	t->buckets = (buckets + 1) / 2;
}

/* The bucket of a place, which is in the last one or behind it. */
static struct timeline_bucket *reach(struct timeline *t, uint64_t at)
{
	while ((at - t->first) / t->span >= TIMELINE_BUCKETS)
		double_span(t);
	while (t->buckets <= (at - t->first) / t->span)
		t->bucket[t->buckets++] = (struct timeline_bucket){ 0, t->live, t->live, t->live };
	return &t->bucket[t->buckets - 1];
}

static void step(void *owner, uint64_t stamp, uint64_t live_bytes, uint64_t live_blocks)
{
	struct timeline *t = owner;
	const struct timeline_point live = { live_bytes, live_blocks };
	uint64_t at = t->has_times ? stamp : t->steps;
	struct timeline_bucket *bucket;

	if (!t->is_open) {
		t->first = t->last_at = t->peak_at = t->peak_time = at;
		t->live = live;
		t->is_open = true;
	}
	if (at < t->last_at) /* where the order is another than that of the stamps */
		at = t->last_at;
	bucket = reach(t, at);
	bucket->steps++;
	if (live_bytes < bucket->least.bytes)
		bucket->least = live;
	if (live_bytes > bucket->most.bytes)
		bucket->most = live;
	bucket->last = live;
	if (live_bytes > t->peak.bytes) {
		t->peak = live;
		t->peak_at = at;
		t->peak_time = t->has_times ? stamp : at;
	}
	t->live = live;
	t->last_at = at;
	t->steps++;
}

static void opened(void *owner, const struct selection *selection)
{
	const struct trace *trace = selection->trace;
	struct timeline *t = owner;

	t->clock = trace_clock_of(trace_header(trace));
	t->has_times = t->clock.stamps && !trace_has_dropped(trace, TRACE_STAMPS) &&
		       trace_header(trace)->clock == XT_CLOCK_TSC;
	t->first = t->has_times ? t->clock.first_stamp : 0;
	t->last_at = t->peak_at = t->peak_time = t->first;
	t->is_open = !selection->rule->has_from; /* else it begins with the first step */
}

void timeline_init(struct timeline *t)
{
	memset(t, 0, sizeof(*t));
	t->span = 1;
	t->view = (struct selection_view){ .opened = opened, .step = step, .owner = t };
}

void timeline_finish(struct timeline *t, uint64_t end_ns)
{
	uint64_t end = t->last_at;

	if (t->has_times && t->clock.ns)
		end = t->clock.first_stamp +
		      (uint64_t)((unsigned __int128)end_ns * t->clock.stamps / t->clock.ns);
	reach(t, end > t->last_at ? end : t->last_at);
}

uint64_t timeline_time_of(const struct timeline *t, uint64_t at)
{
	return t->has_times ? trace_clock_ns(&t->clock, at) : at;
}

uint64_t timeline_begin_of(const struct timeline *t, size_t bucket)
{
	return timeline_time_of(t, t->first + bucket * t->span);
}

size_t timeline_peak_bucket(const struct timeline *t)
{
	return (t->peak_at - t->first) / t->span;
}
