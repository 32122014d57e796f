/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What counts as what: interface.md, "What counts", each rule by an example that is worked out by
 * hand. */
#include <check.h>
#include <stdlib.h>

#include "tests/unit/replayed.h"
#include "tests/unit/suites.h"

#define THREADS 3

static const uint32_t a[] = { 16, 17 }, b[] = { 16, 18 }, c[] = { 16, 19 };

struct fixture {
	struct trace_builder builder;
	struct stream_builder *thread[THREADS];
};

static void setup(struct fixture *fixture)
{
	builder_init(&fixture->builder, 1);
	builder_ids(&fixture->builder, 0, XT_ID_FIRST, 64);
	for (uint32_t i = 0; i < THREADS; i++)
		fixture->thread[i] = stream_new(&fixture->builder, i, i, 0);
}

static struct replayed finish(struct fixture *fixture)
{
	struct replayed replayed;

	for (int i = 0; i < THREADS; i++) {
		if (fixture->thread[i]->used)
			stream_commit(fixture->thread[i]);
		free(fixture->thread[i]);
	}
	replayed = replay_of(&fixture->builder);
	builder_release(&fixture->builder);
	ck_assert(!trace_is_damaged(replayed.trace));
	return replayed;
}

static void alloc(struct fixture *fixture, int thread, uint64_t stamp, uint64_t addr, uint64_t size,
		  const uint32_t *stack)
{
	stream_alloc(fixture->thread[thread], XT_OP_MALLOC, stamp, addr, size, stack, 2);
}

static void give(struct fixture *fixture, int thread, uint64_t stamp, uint64_t addr)
{
	stream_free(fixture->thread[thread], stamp, addr);
}

static void change(struct fixture *fixture, int thread, uint64_t stamp0, uint64_t stamp1,
		   uint64_t old_addr, uint64_t addr, uint64_t size, const uint32_t *stack)
{
	stream_realloc(fixture->thread[thread], stamp0, stamp1, old_addr, addr, size, stack, 2);
}

static uint64_t temporary_of(const struct replayed *replayed, const uint32_t *stack)
{
	const struct stack_totals *found = find_stack(&replayed->result, stack, 2);

	return found ? found->temporary : 0;
}

START_TEST(functions)
{
	struct fixture fixture;
	struct replayed replayed;
	const struct totals *totals = &replayed.result.totals;

	setup(&fixture);
	stream_alloc(fixture.thread[0], XT_OP_MALLOC, 0, 0x10, 0, a, 2);
	stream_alloc(fixture.thread[0], XT_OP_CALLOC, 0, 0x20, 5, a, 2);
	stream_alloc(fixture.thread[0], XT_OP_REALLOC_NULL, 0, 0x30, 7, a, 2);
	stream_alloc(fixture.thread[0], XT_OP_ALIGNED, 0, 0x40, 9, a, 2);
	stream_alloc(fixture.thread[0], XT_OP_NEW, 0, 0x50, 11, a, 2);
	change(&fixture, 0, 0, 0, 0x50, 0x60, 13, b);
	stream_failed(fixture.thread[0], 0, XT_FN_MALLOC, 1u << 30, a, 2);
	give(&fixture, 0, 0, 0x20);
	replayed = finish(&fixture);
	ck_assert_uint_eq(totals->allocation_calls, 6);
	ck_assert_uint_eq(totals->allocated_bytes, 45);
	ck_assert_uint_eq(totals->calls_malloc, 1);
	ck_assert_uint_eq(totals->calls_calloc, 1);
	ck_assert_uint_eq(totals->calls_realloc, 2);
	ck_assert_uint_eq(totals->calls_aligned, 1);
	ck_assert_uint_eq(totals->calls_new, 1);
	ck_assert_uint_eq(totals->failed_calls, 1);
	ck_assert_uint_eq(totals->free_calls, 1);
	ck_assert_uint_eq(totals->foreign_frees, 0);
	ck_assert_uint_eq(totals->leaked_calls, 4);
	ck_assert_uint_eq(totals->leaked_bytes, 29);
	ck_assert_uint_eq(totals->peak_bytes, 34);
	ck_assert_uint_eq(totals->peak_blocks, 5);
	ck_assert_uint_eq(totals->events, 8);
	ck_assert_uint_eq(totals->threads, 1);
	ck_assert_uint_eq(replayed.result.stacks, 2);
	replayed_release(&replayed);
}
END_TEST

/* Frees and reallocs of blocks from before the start. */
START_TEST(foreign)
{
	struct fixture fixture;
	struct replayed replayed;
	const struct totals *totals = &replayed.result.totals;

	setup(&fixture);
	give(&fixture, 0, 0, 0x1000);
	change(&fixture, 0, 0, 0, 0x2000, 0x3000, 50, a);
	give(&fixture, 0, 0, 0x3000);
	give(&fixture, 0, 0, 0x3000);
	replayed = finish(&fixture);
	ck_assert_uint_eq(totals->foreign_frees, 3);
	ck_assert_uint_eq(totals->free_calls, 3);
	ck_assert_uint_eq(totals->allocation_calls, 1);
	ck_assert_uint_eq(totals->calls_realloc, 1);
	ck_assert_uint_eq(totals->leaked_bytes, 0);
	ck_assert_uint_eq(totals->peak_bytes, 50);
	replayed_release(&replayed);
}
END_TEST

START_TEST(free_not_seen)
{
	struct fixture fixture;
	struct replayed replayed;
	const struct totals *totals = &replayed.result.totals;

	setup(&fixture);
	alloc(&fixture, 0, 0, 0x1000, 100, a);
	alloc(&fixture, 0, 0, 0x2000, 7, a);
	alloc(&fixture, 0, 0, 0x1000, 30, b);
	change(&fixture, 0, 0, 0, 0x2000, 0x1000, 40, c);
	replayed = finish(&fixture);
	ck_assert_uint_eq(totals->unseen_frees, 2);
	ck_assert_uint_eq(totals->free_calls, 0);
	ck_assert_uint_eq(totals->foreign_frees, 0);
	ck_assert_uint_eq(totals->temporary_calls, 0);
	ck_assert_uint_eq(totals->peak_bytes, 107);
	ck_assert_uint_eq(totals->leaked_bytes, 40);
	ck_assert_uint_eq(totals->leaked_calls, 1);
	replayed_release(&replayed);
}
END_TEST

START_TEST(temporary)
{
	struct fixture fixture;
	struct replayed replayed;

	setup(&fixture);
	alloc(&fixture, 0, 10, 0x1000, 1, a);
	alloc(&fixture, 0, 20, 0x2000, 1, b);
	give(&fixture, 0, 30, 0x1000); /* a call between */
	give(&fixture, 0, 40, 0x2000); /* temporary: that a free is between does not matter */
	alloc(&fixture, 0, 50, 0x2000, 1, a);
	alloc(&fixture, 1, 60, 0x3000, 1, c);
	give(&fixture, 0, 70, 0x2000); /* temporary: the call between is another thread's */
	give(&fixture, 0, 80, 0x3000); /* not by the thread that allocated it */
	alloc(&fixture, 1, 90, 0x3000, 1, c);
	stream_failed(fixture.thread[1], 95, XT_FN_MALLOC, 1, a, 2);
	change(&fixture, 1, 100, 101, 0x3000, 0x4000, 1, a); /* temporary, what it implies */
	change(&fixture, 1, 110, 111, 0x4000, 0x4000, 1, a); /* and again, in place */
	alloc(&fixture, 1, 120, 0x5000, 1, a);
	change(&fixture, 1, 130, 131, 0x4000, 0x6000, 1, a); /* not: a call between */
	/* The same address, allocated and freed by others meanwhile: the latest call is of another
	 * block. */
	alloc(&fixture, 0, 200, 0x9000, 1, b);
	give(&fixture, 1, 210, 0x9000);
	alloc(&fixture, 2, 220, 0x9000, 1, b);
	give(&fixture, 0, 230, 0x9000);
	replayed = finish(&fixture);
	ck_assert_uint_eq(replayed.result.totals.temporary_calls, 4);
	ck_assert_uint_eq(temporary_of(&replayed, a), 2);
	ck_assert_uint_eq(temporary_of(&replayed, b), 1);
	ck_assert_uint_eq(temporary_of(&replayed, c), 1);
	ck_assert_uint_eq(replayed.result.totals.threads, 3);
	replayed_release(&replayed);
}
END_TEST

/* A thread goes on in another stream: what it did is its own still. */
START_TEST(thread_changes_stream)
{
	struct fixture fixture;
	struct replayed replayed;

	setup(&fixture);
	stream_thread(fixture.thread[1], 7, 100);
	alloc(&fixture, 1, 10, 0x1000, 1, a);
	stream_thread(fixture.thread[2], 7, 100);
	give(&fixture, 2, 20, 0x1000);
	stream_thread(fixture.thread[1], 8, 101);
	alloc(&fixture, 1, 30, 0x2000, 1, a);
	give(&fixture, 2, 40, 0x2000);
	replayed = finish(&fixture);
	ck_assert_uint_eq(replayed.result.totals.temporary_calls, 1);
	/* 7 and 8, and main, which did nothing; 1 and 2 are only what the streams began as. */
	ck_assert_uint_eq(replayed.result.totals.threads, 3);
	replayed_release(&replayed);
}
END_TEST

/* Between its stamps a realloc counts its old block, and its address is free for others. */
START_TEST(realloc_window)
{
	struct fixture fixture;
	struct replayed replayed;
	const struct totals *totals = &replayed.result.totals;

	setup(&fixture);
	alloc(&fixture, 0, 10, 0x1000, 100, a);
	change(&fixture, 0, 20, 50, 0x1000, 0x2000, 60, b);
	alloc(&fixture, 1, 30, 0x3000, 30, c); /* 130, no dip: the peak */
	give(&fixture, 1, 35, 0x3000);
	alloc(&fixture, 1, 40, 0x1000, 65, c); /* the realloc is over before: 60 + 65 */
	alloc(&fixture, 1, 60, 0x4000, 4, c);
	replayed = finish(&fixture);
	ck_assert_uint_eq(totals->peak_bytes, 130);
	ck_assert_uint_eq(totals->peak_blocks, 2);
	ck_assert_uint_eq(totals->peak_time_ns, 30);
	ck_assert_uint_eq(find_stack(&replayed.result, a, 2)->peak_bytes, 100);
	ck_assert_uint_eq(find_stack(&replayed.result, c, 2)->peak_bytes, 30);
	ck_assert_uint_eq(find_stack(&replayed.result, b, 2)->peak_bytes, 0);
	ck_assert_uint_eq(totals->leaked_bytes, 129);
	ck_assert_uint_eq(totals->unseen_frees, 0);
	ck_assert_uint_eq(totals->foreign_frees, 0);
	ck_assert_uint_eq(totals->allocation_calls, 5);
	ck_assert_uint_eq(totals->events, 6);
	replayed_release(&replayed);
}
END_TEST

/* Three at once, each ending where the next one began: all are over before the last address is
 * handed out. */
START_TEST(realloc_chain)
{
	struct fixture fixture;
	struct replayed replayed;
	const struct totals *totals = &replayed.result.totals;

	setup(&fixture);
	alloc(&fixture, 0, 1, 0x1000, 100, a);
	alloc(&fixture, 0, 2, 0x2000, 200, a);
	alloc(&fixture, 0, 3, 0x3000, 300, a);
	change(&fixture, 0, 10, 90, 0x3000, 0x4000, 30, b);
	change(&fixture, 1, 20, 80, 0x2000, 0x3000, 20, b);
	change(&fixture, 2, 30, 70, 0x1000, 0x2000, 10, b);
	alloc(&fixture, 2, 75, 0x1000, 1, c);
	replayed = finish(&fixture);
	ck_assert_uint_eq(totals->peak_bytes, 600);
	ck_assert_uint_eq(totals->leaked_bytes, 61);
	ck_assert_uint_eq(totals->leaked_calls, 4);
	ck_assert_uint_eq(totals->unseen_frees, 0);
	ck_assert_uint_eq(find_stack(&replayed.result, b, 2)->live_bytes, 60);
	replayed_release(&replayed);
}
END_TEST

/* Two that swap their addresses: no order can be right, and none may hang or lose a block for
 * ever. */
START_TEST(realloc_circle)
{
	struct fixture fixture;
	struct replayed replayed;
	const struct totals *totals = &replayed.result.totals;

	setup(&fixture);
	alloc(&fixture, 0, 1, 0x1000, 100, a);
	alloc(&fixture, 0, 2, 0x2000, 200, a);
	change(&fixture, 0, 10, 90, 0x1000, 0x2000, 10, b);
	change(&fixture, 1, 20, 80, 0x2000, 0x1000, 20, b);
	replayed = finish(&fixture);
	ck_assert_uint_eq(totals->leaked_bytes, 30);
	ck_assert_uint_eq(totals->leaked_calls, 2);
	ck_assert_uint_eq(totals->allocation_calls, 4);
	ck_assert_uint_eq(totals->peak_bytes, 300);
	replayed_release(&replayed);
}
END_TEST

/* Where bytes of the old block are somebody else's, its realloc is over, at whatever address the new
 * one begins. */
START_TEST(realloc_overtaken_in_part)
{
	static const struct {
		uint64_t addr, size;
		uint32_t rule;
		bool is_over;
	} cases[] = {
		{ 0x1800, 10, XT_USABLE_UNKNOWN, true }, /* in the middle */
		{ 0x0FF0, 32, XT_USABLE_UNKNOWN, true }, /* across its beginning */
		{ 0x0FF0, 0x4000, XT_USABLE_UNKNOWN, true }, /* all over it */
		{ 0x0FF0, 16, XT_USABLE_UNKNOWN, false },
		{ 0x0FF0, 16, XT_USABLE_GLIBC, true }, /* 24 bytes are usable */
		{ 0x1FF0, 1, XT_USABLE_UNKNOWN, true }, /* its last bytes */
		{ 0x2000, 1, XT_USABLE_UNKNOWN, false },
		{ 0x2000, 1, XT_USABLE_GLIBC, true }, /* 4104 bytes were */
		{ 0x2010, 1, XT_USABLE_GLIBC, false },
	};
	struct fixture fixture;
	struct replayed replayed;
	const struct totals *totals = &replayed.result.totals;

	setup(&fixture);
	builder_header(&fixture.builder)->usable_rule = cases[_i].rule;
	alloc(&fixture, 0, 1, 0x1000, 4096, a);
	change(&fixture, 0, 10, 90, 0x1000, 0x8000, 100, b);
	alloc(&fixture, 1, 50, cases[_i].addr, cases[_i].size, c);
	replayed = finish(&fixture);
	ck_assert_uint_eq(totals->peak_bytes, cases[_i].is_over ?
			  (cases[_i].size > 3996 ? 100 + cases[_i].size : 4096) :
			  4096 + cases[_i].size);
	ck_assert_uint_eq(totals->leaked_bytes, 100 + cases[_i].size);
	ck_assert_uint_eq(totals->unseen_frees, 0);
	replayed_release(&replayed);
}
END_TEST

/* The same block twice, and a free of one that is on its way: the trace contradicts itself, the
 * sums hold. */
START_TEST(realloc_of_a_block_in_transit)
{
	struct fixture fixture;
	struct replayed replayed;
	const struct totals *totals = &replayed.result.totals;

	setup(&fixture);
	alloc(&fixture, 0, 1, 0x1000, 100, a);
	change(&fixture, 0, 10, 90, 0x1000, 0x2000, 10, b);
	change(&fixture, 1, 20, 80, 0x1000, 0x3000, 20, b);
	give(&fixture, 2, 30, 0x1000);
	replayed = finish(&fixture);
	ck_assert_uint_eq(totals->foreign_frees, 2);
	ck_assert_uint_eq(totals->free_calls, 1);
	ck_assert_uint_eq(totals->leaked_bytes, 30);
	ck_assert_uint_eq(totals->peak_bytes, 120);
	replayed_release(&replayed);
}
END_TEST

/* The peak is an event without a stamp: somewhere between the stamps around it. */
START_TEST(time_of_the_peak)
{
	struct fixture fixture;
	struct replayed replayed;
	const struct totals *totals = &replayed.result.totals;

	setup(&fixture);
	builder_header(&fixture.builder)->first_pair.ns_error = 3;
	alloc(&fixture, 0, 1000, 0x1000, 100, a);
	alloc(&fixture, 0, 0, 0x2000, 100, a);
	give(&fixture, 0, 0, 0x1000);
	if (_i == 1)
		give(&fixture, 0, 1500, 0x2000);
	if (_i == 2) { /* another thread's stamps say nothing */
		stream_time(fixture.thread[0], 1700);
		give(&fixture, 1, 1200, 0x2000);
		give(&fixture, 0, 0, 0x3000);
	}
	if (_i == 3)
		alloc(&fixture, 0, 1800, 0x3000, 101, a);
	if (_i == 4)
		builder_header(&fixture.builder)->last_pair_index = 0;
	replayed = finish(&fixture);
	ck_assert_uint_eq(totals->peak_bytes, _i == 3 ? 201 : 200);
	ck_assert_uint_eq(totals->peak_time_ns, _i == 3 ? 1800 : _i == 4 ? 0 : 1000);
	if (_i == 0) /* to the end */
		ck_assert_uint_eq(totals->peak_time_error_ns, 1000000000 - 1000 + 3);
	if (_i == 1)
		ck_assert_uint_eq(totals->peak_time_error_ns, 503);
	if (_i == 2)
		ck_assert_uint_eq(totals->peak_time_error_ns, 703);
	if (_i == 3)
		ck_assert_uint_eq(totals->peak_time_error_ns, 3);
	if (_i == 4)
		ck_assert_uint_eq(totals->peak_time_error_ns, UINT64_MAX);
	ck_assert_uint_eq(totals->duration_ns, _i == 4 ? 0 : 1000000000);
	replayed_release(&replayed);
}
END_TEST

/* The worse of the two pairs counts; a counter says nothing of time between them. */
START_TEST(clock_error)
{
	struct fixture fixture;
	struct replayed replayed;

	setup(&fixture);
	builder_header(&fixture.builder)->first_pair.ns_error = 30;
	builder_header(&fixture.builder)->last_pair[0].ns_error = 40 - 20 * (unsigned)(_i % 2);
	if (_i == 2)
		builder_header(&fixture.builder)->clock = XT_CLOCK_COUNTER;
	alloc(&fixture, 0, 5000, 0x1000, 100, a);
	replayed = finish(&fixture);
	ck_assert_uint_eq(replayed.result.totals.peak_time_error_ns,
			  _i == 2 ? 1000000000 : _i ? 30 : 40);
	replayed_release(&replayed);
}
END_TEST

/* An event after the last clock pair: the trace goes on to there. */
START_TEST(duration)
{
	struct fixture fixture;
	struct replayed replayed;

	setup(&fixture);
	builder_header(&fixture.builder)->last_pair[1].stamp = 2000;
	builder_header(&fixture.builder)->last_pair[1].ns = 1000;
	builder_header(&fixture.builder)->last_pair_index = 2;
	alloc(&fixture, 0, 5000, 0x1000, 100, a);
	replayed = finish(&fixture);
	ck_assert_uint_eq(replayed.result.totals.duration_ns, 2500);
	ck_assert_uint_eq(replayed.result.totals.peak_time_ns, 2500);
	replayed_release(&replayed);
}
END_TEST

START_TEST(nothing_happened)
{
	struct fixture fixture;
	struct replayed replayed;

	setup(&fixture);
	replayed = finish(&fixture);
	ck_assert_uint_eq(replayed.result.totals.allocation_calls, 0);
	ck_assert_uint_eq(replayed.result.totals.peak_bytes, 0);
	ck_assert_uint_eq(replayed.result.totals.peak_time_error_ns, 0);
	ck_assert_uint_eq(replayed.result.totals.threads, 1);
	ck_assert_uint_eq(replayed.result.stacks, 0);
	replayed_release(&replayed);
}
END_TEST

Suite *replay_suite(void)
{
	Suite *suite = suite_create("replay");
	TCase *tcase = tcase_create("replay");

	tcase_add_test(tcase, functions);
	tcase_add_test(tcase, foreign);
	tcase_add_test(tcase, free_not_seen);
	tcase_add_test(tcase, temporary);
	tcase_add_test(tcase, thread_changes_stream);
	tcase_add_test(tcase, realloc_window);
	tcase_add_test(tcase, realloc_chain);
	tcase_add_test(tcase, realloc_circle);
	tcase_add_loop_test(tcase, realloc_overtaken_in_part, 0, 9);
	tcase_add_test(tcase, realloc_of_a_block_in_transit);
	tcase_add_loop_test(tcase, time_of_the_peak, 0, 5);
	tcase_add_loop_test(tcase, clock_error, 0, 3);
	tcase_add_test(tcase, duration);
	tcase_add_test(tcase, nothing_happened);
	suite_add_tcase(suite, tcase);
	return suite;
}
