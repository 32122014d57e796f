/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/trace_clock.h"

struct trace_clock trace_clock_of(const struct xt_header *header)
{
	const struct xt_clock_pair *first = &header->first_pair, *last;
	struct trace_clock clock = { .first_stamp = first->stamp, .error_ns = first->ns_error };

	if (header->last_pair_index != 1 && header->last_pair_index != 2)
		return clock;
	last = &header->last_pair[header->last_pair_index - 1];
	if (last->stamp <= first->stamp || last->ns < first->ns)
		return clock;
	clock.stamps = last->stamp - first->stamp;
	clock.ns = last->ns - first->ns;
	if (last->ns_error > clock.error_ns)
		clock.error_ns = last->ns_error;
	if (header->clock == XT_CLOCK_LEFT)
		clock.left_stamp = last->stamp;
	/* A counter says what came before what, but events are not spread evenly over time. */
	if (header->clock != XT_CLOCK_TSC)
		clock.error_ns = clock.ns;
	return clock;
}

uint64_t trace_clock_ns(const struct trace_clock *clock, uint64_t stamp)
{
	unsigned __int128 ns;

	if (!clock->stamps || stamp <= clock->first_stamp)
		return 0;
	if (clock->left_stamp && stamp > clock->left_stamp)
		stamp = clock->left_stamp;
	ns = (unsigned __int128)(stamp - clock->first_stamp) * clock->ns / clock->stamps;
	return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

uint64_t trace_clock_end_stamp(const struct trace_clock *clock, uint64_t last_stamp)
{
	const uint64_t end = clock->first_stamp + clock->stamps;

	return last_stamp > end ? last_stamp : end;
}

uint64_t trace_clock_error_ns(const struct trace_clock *clock, uint64_t low, uint64_t high)
{
	uint64_t error;

	if (!clock->stamps)
		return UINT64_MAX;
	if (high < low)
		high = low;
	if (clock->left_stamp && high > clock->left_stamp)
		return UINT64_MAX;
	error = trace_clock_ns(clock, high) - trace_clock_ns(clock, low);
	return error > UINT64_MAX - clock->error_ns ? UINT64_MAX : error + clock->error_ns;
}
