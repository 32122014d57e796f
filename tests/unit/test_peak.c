/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The peak and all that comes with it, against a replay that adds up everything at every step. */
#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/peak.h"
#include "tests/unit/replayed.h"
#include "tests/unit/suites.h"

#define PLACES 40 /* addresses that there are */
#define STACKS 6
#define THREADS 3
#define NOBODY (-1)

struct place {
	bool is_live;
	int taken_by;   /* the thread whose realloc will put its block here, or NOBODY */
	int moved_by;   /* the thread whose realloc takes the block away from here, or NOBODY */
	uint64_t size;
	int stack, thread;
	uint64_t call; /* number of its call among those of its thread */
};

struct move {
	bool is_open, is_done;
	int from, to, stack;
	uint64_t size, stamp0;
};

struct oracle {
	struct place place[PLACES];
	struct move move[THREADS];
	uint64_t calls[THREADS];
	struct stack_totals stack[STACKS];
	struct totals totals;
};

static uint64_t addr_of(int place)
{
	return 0x10000 + 0x10000 * (uint64_t)place; /* none reaches into the next */
}

static void stack_ids(int stack, uint32_t ids[2])
{
	ids[0] = 16;
	ids[1] = 20 + (uint32_t)stack;
}

static void oracle_step(struct oracle *oracle)
{
	uint64_t bytes = 0, blocks = 0;

	for (int i = 0; i < PLACES; i++) {
		bytes += oracle->place[i].is_live ? oracle->place[i].size : 0;
		blocks += oracle->place[i].is_live;
	}
	if (bytes <= oracle->totals.peak_bytes)
		return;
	oracle->totals.peak_bytes = bytes;
	oracle->totals.peak_blocks = blocks;
	for (int i = 0; i < STACKS; i++)
		oracle->stack[i].peak_bytes = oracle->stack[i].peak_blocks = 0;
	for (int i = 0; i < PLACES; i++) {
		const struct place *place = &oracle->place[i];

		if (!place->is_live)
			continue;
		oracle->stack[place->stack].peak_bytes += place->size;
		oracle->stack[place->stack].peak_blocks++;
	}
}

static void oracle_put(struct oracle *oracle, int thread, int where, uint64_t size, int stack)
{
	struct place *place = &oracle->place[where];

	oracle->totals.unseen_frees += place->is_live;
	place->is_live = true;
	place->size = size;
	place->stack = stack;
	place->thread = thread;
	place->call = ++oracle->calls[thread];
	oracle->totals.allocation_calls++;
	oracle->totals.allocated_bytes += size;
	oracle->stack[stack].calls++;
	oracle->stack[stack].bytes += size;
}

static void oracle_temporary(struct oracle *oracle, int thread, int where)
{
	const struct place *place = &oracle->place[where];

	if (place->thread != thread || place->call != oracle->calls[thread])
		return;
	oracle->totals.temporary_calls++;
	oracle->stack[place->stack].temporary++;
}

/* A move is over: where it goes another may have been under way, which was over before. */
static void oracle_finish(struct oracle *oracle, int thread)
{
	struct move *move = &oracle->move[thread];

	if (move->is_done)
		return;
	move->is_done = true;
	if (move->to != move->from && oracle->place[move->to].moved_by != NOBODY)
		oracle_finish(oracle, oracle->place[move->to].moved_by);
	if (move->from != NOBODY) {
		oracle->place[move->from].is_live = false;
		oracle->place[move->from].moved_by = NOBODY;
	}
	oracle->place[move->to].taken_by = NOBODY;
	oracle_put(oracle, thread, move->to, move->size, move->stack);
	oracle_step(oracle);
}

/* Some place that the allocator could hand out now. */
static int free_place(const struct oracle *oracle, uint64_t *seed)
{
	for (int tries = 0; tries < 200; tries++) {
		const int i = (int)(random_next(seed) % PLACES);
		const struct place *place = &oracle->place[i];

		if (place->taken_by == NOBODY && (!place->is_live || place->moved_by != NOBODY))
			return i;
	}
	return NOBODY;
}

static int live_place(const struct oracle *oracle, uint64_t *seed)
{
	for (int tries = 0; tries < 200; tries++) {
		const int i = (int)(random_next(seed) % PLACES);
		const struct place *place = &oracle->place[i];

		if (place->is_live && place->taken_by == NOBODY && place->moved_by == NOBODY)
			return i;
	}
	return NOBODY;
}

struct scene {
	struct oracle oracle;
	struct trace_builder builder;
	struct stream_builder *stream[THREADS];
	uint64_t seed, stamp;
	int threads;
};

/* With one thread most events have no stamp. */
static uint64_t next_stamp(struct scene *scene)
{
	/* Further apart than the clock can be wrong: their order is the order. */
	scene->stamp += XT_STAMP_ERROR + 1 + random_next(&scene->seed) % 3;
	return scene->threads > 1 || random_next(&scene->seed) % 8 == 0 ? scene->stamp : 0;
}

static void allocate(struct scene *scene, int thread)
{
	/* Seldom where a block is live still: its free was not seen. */
	const bool is_over = random_next(&scene->seed) % 50 == 0;
	const int where = is_over ? live_place(&scene->oracle, &scene->seed)
				  : free_place(&scene->oracle, &scene->seed);
	const uint64_t size = random_next(&scene->seed) % 20 * 10;
	const int stack = (int)(random_next(&scene->seed) % STACKS);
	uint32_t ids[2];

	if (where == NOBODY)
		return;
	stack_ids(stack, ids);
	stream_alloc(scene->stream[thread], XT_OP_MALLOC, next_stamp(scene), addr_of(where), size,
		     ids, 2);
	if (scene->oracle.place[where].moved_by != NOBODY)
		oracle_finish(&scene->oracle, scene->oracle.place[where].moved_by);
	oracle_put(&scene->oracle, thread, where, size, stack);
	oracle_step(&scene->oracle);
}

static void give_back(struct scene *scene, int thread)
{
	const bool is_foreign = random_next(&scene->seed) % 50 == 0;
	const int where = is_foreign ? PLACES : live_place(&scene->oracle, &scene->seed);

	if (where == NOBODY)
		return;
	stream_free(scene->stream[thread], next_stamp(scene), addr_of(where));
	scene->oracle.totals.free_calls++;
	if (is_foreign) {
		scene->oracle.totals.foreign_frees++;
		return;
	}
	oracle_temporary(&scene->oracle, thread, where);
	scene->oracle.place[where].is_live = false;
}

static void end_move(struct scene *scene, int thread)
{
	struct move *move = &scene->oracle.move[thread];
	const uint64_t stamp1 = next_stamp(scene);
	uint32_t ids[2];

	stack_ids(move->stack, ids);
	stream_realloc(scene->stream[thread], move->stamp0, stamp1,
		       addr_of(move->from == NOBODY ? PLACES : move->from), addr_of(move->to),
		       move->size, ids, 2);
	oracle_finish(&scene->oracle, thread);
	move->is_open = false;
}

static void begin_move(struct scene *scene, int thread)
{
	struct oracle *oracle = &scene->oracle;
	struct move *move = &oracle->move[thread];
	const bool is_foreign = random_next(&scene->seed) % 50 == 0;
	const int from = is_foreign ? NOBODY : live_place(oracle, &scene->seed);
	int to = random_next(&scene->seed) % 2 ? from : free_place(oracle, &scene->seed);

	if (to == NOBODY)
		to = free_place(oracle, &scene->seed);
	if ((from == NOBODY && !is_foreign) || to == NOBODY)
		return;
	*move = (struct move){ .is_open = true, .from = from, .to = to };
	move->size = random_next(&scene->seed) % 30 * 10;
	move->stack = (int)(random_next(&scene->seed) % STACKS);
	oracle->place[to].taken_by = thread;
	if (is_foreign) {
		oracle->totals.foreign_frees++;
	} else {
		oracle_temporary(oracle, thread, from);
		oracle->place[from].moved_by = thread;
	}
	if (scene->threads == 1) {
		/* One step without a stamp: as if it had none of its own. */
		uint32_t ids[2];
		const uint64_t stamp = next_stamp(scene);

		stack_ids(move->stack, ids);
		stream_realloc(scene->stream[0], stamp, stamp,
			       addr_of(from == NOBODY ? PLACES : from), addr_of(to), move->size,
			       ids, 2);
		oracle_finish(oracle, thread);
		move->is_open = false;
		return;
	}
	move->stamp0 = next_stamp(scene);
	if (random_next(&scene->seed) % 2)
		end_move(scene, thread);
}

static void act(struct scene *scene)
{
	const int thread = (int)(random_next(&scene->seed) % (uint64_t)scene->threads);
	/* Phases that grow and such that shrink, so that there are many peaks and long ways
	 * down. */
	const bool is_growing = scene->stamp / 300 % 2 == 0;
	const uint64_t choice = random_next(&scene->seed) % 10;

	if (scene->oracle.move[thread].is_open)
		end_move(scene, thread);
	else if (choice < 3)
		begin_move(scene, thread);
	else if (choice < (is_growing ? 8u : 5u))
		allocate(scene, thread);
	else
		give_back(scene, thread);
	if (random_next(&scene->seed) % 200 == 0 && scene->stream[thread]->used)
		stream_commit(scene->stream[thread]);
}

static void compare_stack(const struct result *result, const struct oracle *oracle, int stack)
{
	const struct stack_totals *want = &oracle->stack[stack], *got;
	uint64_t live_bytes = 0, live_blocks = 0;
	uint32_t ids[2];

	stack_ids(stack, ids);
	got = find_stack(result, ids, 2);
	if (!got) {
		ck_assert_uint_eq(want->calls, 0);
		return;
	}
	for (int i = 0; i < PLACES; i++) {
		if (oracle->place[i].is_live && oracle->place[i].stack == stack) {
			live_bytes += oracle->place[i].size;
			live_blocks++;
		}
	}
	ck_assert_uint_eq(got->calls, want->calls);
	ck_assert_uint_eq(got->bytes, want->bytes);
	ck_assert_uint_eq(got->temporary, want->temporary);
	ck_assert_uint_eq(got->peak_bytes, want->peak_bytes);
	ck_assert_uint_eq(got->peak_blocks, want->peak_blocks);
	ck_assert_uint_eq(got->live_bytes, live_bytes);
	ck_assert_uint_eq(got->live_blocks, live_blocks);
}

static void compare(const struct replayed *replayed, const struct oracle *oracle)
{
	const struct totals *got = &replayed->result.totals, *want = &oracle->totals;

	ck_assert(!trace_is_damaged(replayed->trace));
	ck_assert_uint_eq(got->allocation_calls, want->allocation_calls);
	ck_assert_uint_eq(got->allocated_bytes, want->allocated_bytes);
	ck_assert_uint_eq(got->free_calls, want->free_calls);
	ck_assert_uint_eq(got->foreign_frees, want->foreign_frees);
	ck_assert_uint_eq(got->unseen_frees, want->unseen_frees);
	ck_assert_uint_eq(got->temporary_calls, want->temporary_calls);
	ck_assert_uint_eq(got->peak_bytes, want->peak_bytes);
	ck_assert_uint_eq(got->peak_blocks, want->peak_blocks);
	for (int i = 0; i < STACKS; i++)
		compare_stack(&replayed->result, oracle, i);
}

static void play(uint64_t seed, int threads, int steps)
{
	struct scene *scene = calloc(1, sizeof(*scene));
	struct replayed replayed;

	scene->seed = seed;
	scene->threads = threads;
	for (int i = 0; i < PLACES; i++)
		scene->oracle.place[i].taken_by = scene->oracle.place[i].moved_by = NOBODY;
	builder_init(&scene->builder, THREADS);
	builder_ids(&scene->builder, 0, XT_ID_FIRST, 64);
	for (int i = 0; i < threads; i++)
		scene->stream[i] = stream_new(&scene->builder, (uint32_t)i, (uint32_t)i, 0);
	for (int i = 0; i < steps; i++)
		act(scene);
	for (int i = 0; i < threads; i++) {
		if (scene->oracle.move[i].is_open)
			end_move(scene, i);
	}
	for (int i = 0; i < threads; i++) {
		if (scene->stream[i]->used)
			stream_to_slot(scene->stream[i]);
		free(scene->stream[i]);
	}
	replayed = replay_of(&scene->builder);
	compare(&replayed, &scene->oracle);
	replayed_release(&replayed);
	builder_release(&scene->builder);
	free(scene);
}

START_TEST(one_thread_against_the_oracle)
{
	for (uint64_t i = 0; i < 40; i++)
		play((uint64_t)_i * 1000 + i, 1, 20 + 40 * (int)i);
}
END_TEST

START_TEST(threads_against_the_oracle)
{
	for (uint64_t i = 0; i < 40; i++)
		play((uint64_t)_i * 1000 + i, 2 + (int)(i % 2), 20 + 40 * (int)i);
}
END_TEST

/* The first of two equal maxima, with what was live then. */
START_TEST(equal_maxima)
{
	const uint32_t a[] = { 16 }, b[] = { 17 };
	struct trace_builder builder;
	struct stream_builder *stream;
	struct replayed replayed;

	builder_init(&builder, 1);
	builder_ids(&builder, 0, XT_ID_FIRST, 64);
	stream = stream_new(&builder, 0, 0, 0);
	stream_alloc(stream, XT_OP_MALLOC, 10, 0x1000, 100, a, 1);
	/* no byte more: no peak of its own */
	stream_alloc(stream, XT_OP_MALLOC, 20, 0x3000, 0, b, 1);
	stream_free(stream, 30, 0x1000);
	stream_alloc(stream, XT_OP_MALLOC, 40, 0x2000, 100, b, 1);
	stream_commit(stream);
	replayed = replay_of(&builder);
	ck_assert_uint_eq(replayed.result.totals.peak_bytes, 100);
	ck_assert_uint_eq(replayed.result.totals.peak_blocks, 1);
	ck_assert_uint_eq(replayed.result.totals.peak_time_ns, 10);
	ck_assert_uint_eq(find_stack(&replayed.result, a, 1)->peak_bytes, 100);
	ck_assert_uint_eq(find_stack(&replayed.result, b, 1)->peak_bytes, 0);
	ck_assert_uint_eq(find_stack(&replayed.result, b, 1)->peak_blocks, 0);
	replayed_release(&replayed);
	free(stream);
	builder_release(&builder);
}
END_TEST

/* The number of peaks passes the greatest that an epoch can say. */
START_TEST(epoch_begins_again)
{
	struct stack_totals stack[3] = { 0 };
	struct peak peak;

	peak_init(&peak);
	peak.epoch = UINT32_MAX;
	stack[1].peak_epoch = 1; /* of the round before, with an old value */
	stack[1].peak_bytes = 99;
	peak_add(&peak, &stack[0], 10);
	peak_add(&peak, &stack[2], 5);
	ck_assert(peak_step(&peak, stack, 3)); /* 15: the epoch begins again */
	peak_remove(&peak, &stack[0], 10);
	ck_assert(!peak_step(&peak, stack, 3));
	peak_add(&peak, &stack[1], 10);
	ck_assert(!peak_step(&peak, stack, 3)); /* equal */
	peak_settle(&peak, stack, 3);
	ck_assert_uint_eq(peak.bytes, 15);
	ck_assert_uint_eq(peak.blocks, 2);
	ck_assert_uint_eq(stack[0].peak_bytes, 10);
	ck_assert_uint_eq(stack[1].peak_bytes, 0);
	ck_assert_uint_eq(stack[2].peak_bytes, 5);
	ck_assert_uint_eq(stack[2].peak_blocks, 1);
}
END_TEST

Suite *peak_suite(void)
{
	Suite *suite = suite_create("peak");
	TCase *tcase = tcase_create("peak");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, one_thread_against_the_oracle, 0, 4);
	tcase_add_loop_test(tcase, threads_against_the_oracle, 0, 8);
	tcase_add_test(tcase, equal_maxima);
	tcase_add_test(tcase, epoch_begins_again);
	suite_add_tcase(suite, tcase);
	return suite;
}
