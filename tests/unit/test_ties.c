/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stamps of two threads that are equal, or next to each other: the addresses say what was first.
 * Blocks that live before have stamp 1, the tie is at T.
 */
#include <check.h>
#include <stdlib.h>

#include "tests/unit/replayed.h"
#include "tests/unit/suites.h"

#define THREADS 3
#define T 100
#define P 0x1000
#define Q 0x2000
#define R 0x3000

static const uint32_t stack[] = { 16, 17 };

struct fixture {
	struct trace_builder builder;
	struct stream_builder *thread[THREADS];
};

static void setup(struct fixture *fixture)
{
	builder_init(&fixture->builder, 1);
	builder_ids(&fixture->builder, 0, XT_ID_FIRST, 8);
	for (uint32_t i = 0; i < THREADS; i++)
		fixture->thread[i] = stream_new(&fixture->builder, i, i, 0);
}

static void get(struct fixture *fixture, int thread, uint64_t stamp, uint64_t addr)
{
	stream_alloc(fixture->thread[thread], XT_OP_MALLOC, stamp, addr, 10, stack, 2);
}

static void give(struct fixture *fixture, int thread, uint64_t stamp, uint64_t addr)
{
	stream_free(fixture->thread[thread], stamp, addr);
}

static void move(struct fixture *fixture, int thread, uint64_t stamp0, uint64_t stamp1,
		 uint64_t old_addr, uint64_t addr)
{
	stream_realloc(fixture->thread[thread], stamp0, stamp1, old_addr, addr, 10, stack, 2);
}

static struct totals finish(struct fixture *fixture, uint64_t *looked_at)
{
	struct replayed replayed;
	struct totals totals;

	for (int i = 0; i < THREADS; i++) {
		if (fixture->thread[i]->used)
			stream_commit(fixture->thread[i]);
		free(fixture->thread[i]);
	}
	replayed = replay_of(&fixture->builder);
	builder_release(&fixture->builder);
	ck_assert(!trace_is_damaged(replayed.trace));
	totals = replayed.result.totals;
	if (looked_at)
		*looked_at = replayed.result.looked_at;
	replayed_release(&replayed);
	return totals;
}

static void expect(struct fixture *fixture, uint64_t foreign_frees, uint64_t unseen_frees,
		   uint64_t leaked_calls)
{
	const struct totals totals = finish(fixture, NULL);

	ck_assert_uint_eq(totals.foreign_frees, foreign_frees);
	ck_assert_uint_eq(totals.unseen_frees, unseen_frees);
	ck_assert_uint_eq(totals.leaked_calls, leaked_calls);
}

/* What one thread allocates another frees at the same stamp, or seemingly one before (1). Two
 * before (2) it is another block; so it is one before when the clock is a counter (3). */
START_TEST(free_waits)
{
	const uint64_t later[] = { 0, 1, 2, 1 };
	const unsigned is_foreign = _i >= 2;
	struct fixture fixture;

	setup(&fixture);
	if (_i == 3)
		builder_header(&fixture.builder)->clock = XT_CLOCK_COUNTER;
	get(&fixture, 1, 1, Q);
	get(&fixture, 1, T + later[_i], P);
	give(&fixture, 0, T, P);
	expect(&fixture, is_foreign, 0, 1 + is_foreign);
}
END_TEST

/* An address is handed out, and the free of it stands behind another event of the same stamp, or
 * one later. */
START_TEST(allocation_waits)
{
	const uint64_t later[] = { 0, 1, 2 };
	struct fixture fixture;

	setup(&fixture);
	get(&fixture, 0, 1, P);
	get(&fixture, 0, T, P);
	get(&fixture, 1, T, Q);
	give(&fixture, 1, T + later[_i], P);
	/* Two later: it is the new block that was freed, of the old one nothing was seen. */
	expect(&fixture, 0, _i == 2, 1 + (_i < 2));
}
END_TEST

/* Whatever order the numbers of the streams suggest. */
START_TEST(handed_on)
{
	const int first = _i % 3, second = (_i + 1 + _i / 3) % 3, third = 3 - first - second;
	struct fixture fixture;

	setup(&fixture);
	get(&fixture, first, T, P);
	give(&fixture, second, T, P);
	get(&fixture, second, T, Q);
	give(&fixture, third, T, Q);
	expect(&fixture, 0, 0, 0);
}
END_TEST

/* What an event waits for waits itself. */
START_TEST(chain)
{
	struct fixture fixture;

	setup(&fixture);
	give(&fixture, 0, T, P);
	get(&fixture, 1, T, Q);
	give(&fixture, 1, T, R);
	get(&fixture, 1, T, P);
	get(&fixture, 2, T, R);
	expect(&fixture, 0, 0, 1);
}
END_TEST

/* Two that wait for each other: one free is foreign, and that is all. */
START_TEST(circle)
{
	struct fixture fixture;

	setup(&fixture);
	give(&fixture, 0, T, P);
	get(&fixture, 0, T, Q);
	give(&fixture, 1, T, Q);
	get(&fixture, 1, T, P);
	expect(&fixture, 1, 0, 1);
}
END_TEST

/* A block that a realloc has just made is freed (0), or reallocated (1, 2: that takes a while, and
 * an event comes between its halves). */
START_TEST(after_a_realloc)
{
	struct fixture fixture;

	setup(&fixture);
	get(&fixture, 1, 1, P);
	move(&fixture, 1, T - 5, T + 1, P, Q);
	get(&fixture, 2, T - 4, 0x9000);
	if (_i == 0)
		give(&fixture, 0, T, Q);
	else
		move(&fixture, 0, T, T + 10 * ((unsigned)_i - 1), Q, R);
	get(&fixture, 2, T + 5, 0x8000);
	expect(&fixture, 0, 0, 2 + (_i > 0));
}
END_TEST

/* The address that a realloc gives back is handed out at once, when it has just begun (0) or is
 * over as well (1). */
START_TEST(address_of_a_realloc)
{
	struct fixture fixture;

	setup(&fixture);
	get(&fixture, 0, 1, P);
	get(&fixture, 0, T, P);
	get(&fixture, 1, T, R);
	move(&fixture, 1, T + 1, _i ? T + 1 : T + 50, P, Q);
	get(&fixture, 2, T + 20, 0x9000);
	expect(&fixture, 0, 0, 4);
}
END_TEST

/* What it waits for is some way off, over the end of a chunk: found among the next 32 events of a
 * stream, beyond those not looked for. */
START_TEST(how_far)
{
	const unsigned between = _i ? 31 : 40;
	struct fixture fixture;

	setup(&fixture);
	give(&fixture, 0, T, P);
	for (unsigned i = 0; i < between; i++) {
		get(&fixture, 1, T, 0x10000 + 16 * i);
		if (i == 9)
			stream_commit(fixture.thread[1]);
	}
	get(&fixture, 1, T, P);
	expect(&fixture, !_i, 0, between + !_i);
}
END_TEST

/* Foreign frees are nobody's match. Alone at their stamps they cost nothing (0); with an event of
 * another thread at the same stamp, a look at that thread and at two of its events (1). */
START_TEST(foreign_frees_cost_nothing)
{
	enum { COUNT = 300000 };
	struct fixture fixture;
	struct totals totals;
	uint64_t looked_at;

	setup(&fixture);
	for (uint64_t i = 1; i <= COUNT; i++) {
		give(&fixture, 0, 10 * i, 0x100000 + 16 * i);
		stream_failed(fixture.thread[1], 10 * i + (_i ? 0 : 5), XT_FN_MALLOC, 1, stack, 2);
	}
	totals = finish(&fixture, &looked_at);
	ck_assert_uint_eq(totals.foreign_frees, COUNT);
	ck_assert_uint_le(looked_at, _i ? 3 * COUNT : 0);
	ck_assert_uint_ge(looked_at, _i ? COUNT : 0);
}
END_TEST

/* All events at one stamp, of three threads, as no clock makes them: the work stays bounded. */
START_TEST(bounded_work)
{
	enum { COUNT = 20000 };
	struct fixture fixture;
	uint64_t looked_at;

	setup(&fixture);
	for (uint64_t i = 1; i <= COUNT; i++)
		for (int thread = 0; thread < THREADS; thread++)
			give(&fixture, thread, T, 0x100000 + 16 * i);
	ck_assert_uint_eq(finish(&fixture, &looked_at).foreign_frees, THREADS * COUNT);
	ck_assert_uint_le(looked_at, (uint64_t)THREADS * COUNT * (THREADS - 1) * 33);
}
END_TEST

Suite *ties_suite(void)
{
	Suite *suite = suite_create("ties");
	TCase *tcase = tcase_create("ties");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, free_waits, 0, 4);
	tcase_add_loop_test(tcase, allocation_waits, 0, 3);
	tcase_add_loop_test(tcase, handed_on, 0, 6);
	tcase_add_test(tcase, chain);
	tcase_add_test(tcase, circle);
	tcase_add_loop_test(tcase, after_a_realloc, 0, 3);
	tcase_add_loop_test(tcase, address_of_a_realloc, 0, 2);
	tcase_add_loop_test(tcase, how_far, 0, 2);
	tcase_add_loop_test(tcase, foreign_frees_cost_nothing, 0, 2);
	tcase_add_test(tcase, bounded_work);
	suite_add_tcase(suite, tcase);
	return suite;
}
