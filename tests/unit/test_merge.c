/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/trace/merge.h"
#include "tests/unit/replayed.h"
#include "tests/unit/suites.h"

#define STREAMS_MAX 4

struct fixture {
	struct trace_builder builder;
	struct stream_builder *stream[STREAMS_MAX];
};

static void setup(struct fixture *fixture)
{
	builder_init(&fixture->builder, STREAMS_MAX);
	builder_ids(&fixture->builder, 0, XT_ID_FIRST, 64);
	for (uint32_t i = 0; i < STREAMS_MAX; i++)
		fixture->stream[i] = stream_new(&fixture->builder, i, i, 0);
}

static struct trace *save(struct fixture *fixture)
{
	char path[] = "/tmp/xalloc-unit.XXXXXX";
	struct trace *trace;
	struct err err = { 0 };
	int status;

	for (uint32_t i = 0; i < STREAMS_MAX; i++) {
		if (fixture->stream[i]->used)
			stream_commit(fixture->stream[i]);
		free(fixture->stream[i]);
	}
	builder_save(&fixture->builder, path);
	builder_release(&fixture->builder);
	status = trace_open(&trace, path, &err);
	unlink(path);
	ck_assert_msg(status == 0, "%s", err.text);
	return trace;
}

/* The order as text: addresses, with '(' for the first and ')' for the second half of a realloc. */
static void expect_order(struct fixture *fixture, const char *want)
{
	struct trace *trace = save(fixture);
	struct stack_tree *tree = stack_tree_new();
	struct merge *merge = merge_new(trace, tree);
	struct batch batch;
	char got[4096] = "";
	size_t used = 0;

	while (merge_next(merge, &batch)) {
		ck_assert_uint_ge(batch.count, 1);
		for (size_t i = 0; i < batch.count; i++) {
			const unsigned flags = batch.event[i].flags;

			used += (size_t)snprintf(got + used, sizeof(got) - used, "%s%s%x%s",
						 used ? " " : "", flags & EVENT_BEGIN ? "(" : "",
						 (unsigned)(batch.event[i].addr >> 4),
						 flags & EVENT_END ? ")" : "");
		}
	}
	ck_assert_str_eq(got, want);
	ck_assert(!trace_is_damaged(trace));
	merge_free(merge);
	stack_tree_free(tree);
	trace_close(trace);
}

static void alloc(struct fixture *fixture, int stream, uint64_t stamp, uint64_t name)
{
	stream_alloc(fixture->stream[stream], XT_OP_MALLOC, stamp, name << 4, 1, NULL, 0);
}

static void give(struct fixture *fixture, int stream, uint64_t stamp, uint64_t name)
{
	stream_free(fixture->stream[stream], stamp, name << 4);
}

START_TEST(no_streams)
{
	struct fixture fixture;

	setup(&fixture);
	expect_order(&fixture, "");
}
END_TEST

START_TEST(by_stamp)
{
	struct fixture fixture;

	setup(&fixture);
	alloc(&fixture, 0, 10, 1);
	alloc(&fixture, 0, 40, 4);
	alloc(&fixture, 1, 20, 2);
	alloc(&fixture, 1, 50, 5);
	alloc(&fixture, 2, 30, 3);
	alloc(&fixture, 2, 60, 6);
	alloc(&fixture, 2, 70, 7);
	alloc(&fixture, 1, 80, 8);
	expect_order(&fixture, "1 2 3 4 5 6 7 8");
}
END_TEST

/* At equal stamps frees first, then the lower stream. */
START_TEST(equal_stamps)
{
	struct fixture fixture;

	setup(&fixture);
	alloc(&fixture, 0, 10, 3);
	give(&fixture, 2, 10, 2);
	give(&fixture, 1, 10, 1);
	alloc(&fixture, 3, 10, 4);
	expect_order(&fixture, "1 2 3 4");
}
END_TEST

/* Without a stamp: where the last one before it stands. */
START_TEST(without_stamps)
{
	struct fixture fixture;

	setup(&fixture);
	alloc(&fixture, 0, 10, 1);
	alloc(&fixture, 0, 0, 2);
	give(&fixture, 0, 0, 3);
	alloc(&fixture, 0, 30, 5);
	alloc(&fixture, 1, 20, 4);
	alloc(&fixture, 1, 40, 6);
	stream_time(fixture.stream[0], 50);
	alloc(&fixture, 0, 0, 8);
	alloc(&fixture, 1, 45, 7);
	expect_order(&fixture, "1 2 3 4 5 6 7 8");
}
END_TEST

START_TEST(realloc_in_halves)
{
	struct fixture fixture;

	setup(&fixture);
	stream_realloc(fixture.stream[0], 10, 40, 0x990, 0x10, 1, NULL, 0);
	alloc(&fixture, 0, 60, 6);
	alloc(&fixture, 1, 20, 2);
	alloc(&fixture, 1, 50, 5);
	stream_realloc(fixture.stream[2], 70, 80, 0x990, 0x70, 1, NULL, 0); /* nothing between */
	stream_realloc(fixture.stream[1], 90, 100, 0x990, 0x80, 1, NULL, 0);
	stream_realloc(fixture.stream[2], 95, 105, 0x990, 0x90, 1, NULL, 0);
	expect_order(&fixture, "(1 2 1) 5 6 (7) (8 (9 8) 9)");
}
END_TEST

/* A realloc's first half counts as a free at equal stamps, its second as an allocation. */
START_TEST(realloc_at_equal_stamps)
{
	struct fixture fixture;

	setup(&fixture);
	alloc(&fixture, 0, 10, 2);
	stream_realloc(fixture.stream[1], 10, 20, 0x990, 0x10, 1, NULL, 0);
	give(&fixture, 2, 20, 3);
	alloc(&fixture, 0, 20, 4);
	expect_order(&fixture, "(1 2 3 4 1)");
}
END_TEST

/* Chunks, a slot, more events than are decoded at a time: order and number stay. */
START_TEST(random_streams)
{
	enum { COUNT = 20000 };
	uint64_t seed = (uint64_t)_i + 1, next = 1;
	struct fixture fixture;
	struct trace *trace;
	struct stack_tree *tree = stack_tree_new();
	struct merge *merge;
	struct batch batch;

	setup(&fixture);
	for (uint64_t i = 1; i <= COUNT; i++) {
		struct stream_builder *stream = fixture.stream[random_next(&seed) % STREAMS_MAX];
		uint64_t run = random_next(&seed) % 8 ? 1 : random_next(&seed) % 200;

		for (; run && i <= COUNT; run--, i++)
			stream_alloc(stream, XT_OP_MALLOC, i, i << 4, i % 3000, NULL, 0);
		i--;
		if (random_next(&seed) % 100 == 0 && stream->used)
			stream_commit(stream);
	}
	if (fixture.stream[3]->used)
		stream_to_slot(fixture.stream[3]);
	trace = save(&fixture);
	merge = merge_new(trace, tree);
	while (merge_next(merge, &batch)) {
		for (size_t i = 0; i < batch.count; i++)
			ck_assert_uint_eq(batch.event[i].addr, next++ << 4);
	}
	ck_assert_uint_eq(next, COUNT + 1);
	ck_assert_uint_eq(merge_last_stamp(merge), COUNT);
	ck_assert(!trace_is_damaged(trace));
	merge_free(merge);
	stack_tree_free(tree);
	trace_close(trace);
}
END_TEST

Suite *merge_suite(void)
{
	Suite *suite = suite_create("merge");
	TCase *tcase = tcase_create("merge");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, no_streams);
	tcase_add_test(tcase, by_stamp);
	tcase_add_test(tcase, equal_stamps);
	tcase_add_test(tcase, without_stamps);
	tcase_add_test(tcase, realloc_in_halves);
	tcase_add_test(tcase, realloc_at_equal_stamps);
	tcase_add_loop_test(tcase, random_streams, 0, 10);
	suite_add_tcase(suite, tcase);
	return suite;
}
