/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chunks that are missing, that are there twice, and what else may stand between them. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/trace/chunk_index.h"
#include "tests/unit/replayed.h"
#include "tests/unit/suites.h"

struct fixture {
	struct trace_builder builder;
	struct stream_builder *stream;
	uint64_t addr;
};

static void setup(struct fixture *fixture)
{
	builder_init(&fixture->builder, 4);
	builder_ids(&fixture->builder, 0, XT_ID_FIRST, 64);
	fixture->stream = stream_new(&fixture->builder, 5, 0, 0);
	fixture->addr = 0;
}

static void allocate(struct fixture *fixture, int count)
{
	const uint32_t stack[] = { 16 };

	while (count--)
		stream_alloc(fixture->stream, XT_OP_MALLOC, 0, fixture->addr += 16, 10, stack, 1);
}

static struct replayed finish(struct fixture *fixture)
{
	struct replayed replayed = replay_of(&fixture->builder);

	free(fixture->stream);
	builder_release(&fixture->builder);
	return replayed;
}

static void expect(struct fixture *fixture, uint64_t calls, uint64_t lost, bool is_damaged)
{
	struct replayed replayed = finish(fixture);

	ck_assert_uint_eq(replayed.result.totals.allocation_calls, calls);
	ck_assert_uint_eq(replayed.result.totals.lost_events, lost);
	ck_assert_uint_eq(trace_lost_events(replayed.trace), lost);
	ck_assert_int_eq(trace_is_damaged(replayed.trace), is_damaged);
	replayed_release(&replayed);
}

START_TEST(nothing_missing)
{
	struct fixture fixture;

	setup(&fixture);
	allocate(&fixture, 3);
	stream_commit(fixture.stream);
	allocate(&fixture, 4);
	stream_commit(fixture.stream);
	allocate(&fixture, 5);
	stream_to_slot(fixture.stream);
	expect(&fixture, 12, 0, false);
}
END_TEST

/* The chunk before a gap, the first, one in the middle, and the count of the header on top. */
START_TEST(missing_chunk)
{
	struct fixture fixture;

	setup(&fixture);
	builder_header(&fixture.builder)->lost_events = 1000 * XT_SURE;
	for (int i = 0; i < 3; i++) {
		const size_t size = fixture.builder.size;

		allocate(&fixture, i + 2);
		stream_commit(fixture.stream);
		if (i == _i)
			fixture.builder.size = size; /* was never written */
	}
	expect(&fixture, 9u - (unsigned)(_i + 2), 1000u + (_i < 2 ? (unsigned)(_i + 2) : 0),
	       _i < 2);
}
END_TEST

START_TEST(missing_before_a_slot)
{
	struct fixture fixture;
	size_t size;

	setup(&fixture);
	allocate(&fixture, 3);
	size = fixture.builder.size;
	stream_commit(fixture.stream);
	fixture.builder.size = size;
	allocate(&fixture, 5);
	stream_to_slot(fixture.stream);
	expect(&fixture, 5, 3, true);
}
END_TEST

/* What the totals say is missing, even at the end, where no later chunk shows it. */
START_TEST(totals_know_more)
{
	struct fixture fixture;
	size_t size;

	setup(&fixture);
	allocate(&fixture, 3);
	stream_commit(fixture.stream);
	allocate(&fixture, 4);
	size = fixture.builder.size;
	stream_commit(fixture.stream);
	fixture.builder.size = size;
	builder_totals(&fixture.builder);
	expect(&fixture, 3, 4, true);
}
END_TEST

/* A chunk committed just before the kill: its slot is dropped. */
START_TEST(slot_of_a_committed_chunk)
{
	struct fixture fixture;
	struct xt_slot head = { .kind = XT_KIND_EVENTS, .stream = 5, .events = 4 };

	setup(&fixture);
	allocate(&fixture, 4);
	builder_slot(&fixture.builder, head, fixture.stream->bytes, (uint32_t)fixture.stream->used);
	allocate(&fixture, 2);
	stream_commit(fixture.stream);
	expect(&fixture, 6, 0, false);
}
END_TEST

START_TEST(equal_chunks)
{
	struct fixture fixture;
	struct stream_builder *copy = malloc(sizeof(*copy));

	setup(&fixture);
	allocate(&fixture, 6);
	memcpy(copy, fixture.stream, sizeof(*copy));
	stream_commit(fixture.stream);
	stream_commit(copy);
	allocate(&fixture, 1);
	stream_commit(fixture.stream);
	free(copy);
	expect(&fixture, 7, 0, false);
}
END_TEST

/* In the file they may stand in any order. */
START_TEST(later_chunk_first)
{
	struct fixture fixture;
	struct stream_builder *copy = malloc(sizeof(*copy));
	size_t size;

	setup(&fixture);
	allocate(&fixture, 6);
	memcpy(copy, fixture.stream, sizeof(*copy));
	size = fixture.builder.size;
	stream_commit(fixture.stream);
	fixture.builder.size = size;
	allocate(&fixture, 1);
	stream_commit(fixture.stream);
	stream_commit(copy);
	free(copy);
	expect(&fixture, 7, 0, false);
}
END_TEST

START_TEST(what_is_stepped_over)
{
	struct fixture fixture;
	struct xt_slot taken = { .kind = XT_KIND_TAKEN, .stream = 5, .seq = 1 };
	struct xt_slot empty = { .kind = XT_KIND_EVENTS, .stream = 5, .seq = 1 };

	setup(&fixture);
	builder_frame(&fixture.builder, XT_FRAME_CHUNK, NULL, 5000); /* free space */
	builder_frame(&fixture.builder, XT_FRAME_CHUNK, NULL, 0);
	allocate(&fixture, 2);
	stream_commit(fixture.stream);
	builder_frame(&fixture.builder, XT_FRAME_HEADER + 9, "other", 5);
	builder_window(&fixture.builder, 2);
	builder_slot(&fixture.builder, taken, "\x01\x02", 2);
	builder_slot(&fixture.builder, empty, "", 0);
	allocate(&fixture, 3);
	stream_commit(fixture.stream);
	builder_frame(&fixture.builder, XT_FRAME_CHUNK, NULL, 100);
	/* Growth was cut short: zeros. */
	fixture.builder.bytes = realloc(fixture.builder.bytes, fixture.builder.size + 100003);
	memset(fixture.builder.bytes + fixture.builder.size, 0, 100003);
	fixture.builder.size += 100003;
	expect(&fixture, 5, 0, false);
}
END_TEST

/* In a slot the number of ids given out is not known: all entries are looked at. */
START_TEST(ids_in_a_slot)
{
	const uint32_t stack[] = { 16, 4111 };
	const struct xt_slot head = { .kind = XT_KIND_IDS, .seq = 1, .base = 80 };
	struct xt_id *id = calloc(4096, sizeof(*id));
	struct fixture fixture;
	struct replayed replayed;

	setup(&fixture);
	id[0] = (struct xt_id){ 0x1234, 1, XT_IDF_READY };
	id[4031] = (struct xt_id){ 0x5678, 1, XT_IDF_READY };
	builder_slot(&fixture.builder, head, id, 4096 * sizeof(*id))->used = 16;
	stream_alloc(fixture.stream, XT_OP_MALLOC, 0, 0x100, 1, stack, 2);
	stream_to_slot(fixture.stream);
	replayed = finish(&fixture);
	ck_assert_uint_eq(replayed.result.totals.allocation_calls, 1);
	ck_assert(!trace_is_damaged(replayed.trace));
	ck_assert_uint_eq(frame_table_get(trace_frames(replayed.trace), 4111)->pc, 0x5678);
	ck_assert_ptr_null(frame_table_get(trace_frames(replayed.trace), 4110));
	replayed_release(&replayed);
	free(id);
}
END_TEST

/* Two threads may have opened a block of ids at once, and a kill leaves both slots: one has the
 * entries, or each a part of them. The first is empty (0), a slot (1), or a chunk (2). */
START_TEST(ids_twice)
{
	const uint32_t stack[] = { 80, 81 };
	const struct xt_slot head = { .kind = XT_KIND_IDS, .seq = 1, .base = 80 };
	const struct xt_id id[] = { { 0x1234, 1, XT_IDF_READY }, { 0x5678, 1, XT_IDF_READY } };
	const struct xt_id none[2] = { { 0, 0, 0 }, { 0, 0, 0 } };
	struct fixture fixture;
	struct replayed replayed;

	setup(&fixture);
	if (_i == 2)
		builder_ids(&fixture.builder, 1, 80, 1);
	else
		builder_slot(&fixture.builder, head, _i ? id : none, sizeof(*id));
	builder_slot(&fixture.builder, head, _i ? none : id, 2 * sizeof(*id));
	if (_i)
		builder_slot(&fixture.builder, head, id, 2 * sizeof(*id));
	stream_alloc(fixture.stream, XT_OP_MALLOC, 0, 0x100, 1, stack, 2);
	stream_to_slot(fixture.stream);
	replayed = finish(&fixture);
	ck_assert_uint_eq(replayed.result.totals.allocation_calls, 1);
	ck_assert(!trace_is_damaged(replayed.trace));
	ck_assert_uint_eq(frame_table_get(trace_frames(replayed.trace), 81)->pc, 0x5678);
	replayed_release(&replayed);
}
END_TEST

/* A slot counts its events as a chunk does: what does not hold is lost, by number. Its bytes are
 * cut (0), are nonsense (1), are impossibly many (2); or its count is too small (3) or impossible
 * (4), as when both numbers are (5). */
START_TEST(damaged_slot)
{
	static const uint64_t calls[] = { 4, 4, 0, 7, 0, 0 }, lost[] = { 3, 3, 7, 0, 1, 1 };
	struct fixture fixture;
	struct xt_slot *slot;

	setup(&fixture);
	allocate(&fixture, 4);
	if (_i == 1)
		stream_byte(fixture.stream, XT_OP_END);
	allocate(&fixture, 3);
	slot = stream_to_slot(fixture.stream);
	ck_assert_uint_eq(slot->events, 7);
	if (_i == 0)
		slot->used -= 5; /* two events, and a part of one */
	if (_i == 2 || _i == 5)
		slot->used = XT_SLOT_BYTES + 1;
	if (_i == 3)
		slot->events = 6;
	if (_i >= 4)
		slot->events = UINT32_MAX;
	expect(&fixture, calls[_i], lost[_i], true);
}
END_TEST

/* A chunk was published where the walk had passed: what is known is its slot as it was, and a chunk
 * after it. Of a running process (1) that is no damage. */
START_TEST(too_soon)
{
	struct xt_slot head = { .kind = XT_KIND_EVENTS, .stream = 5, .events = 4 };
	struct fixture fixture;
	struct replayed replayed;
	size_t size;

	setup(&fixture);
	allocate(&fixture, 4);
	builder_slot(&fixture.builder, head, fixture.stream->bytes, (uint32_t)fixture.stream->used);
	allocate(&fixture, 1);
	size = fixture.builder.size;
	stream_commit(fixture.stream);
	fixture.builder.size = size;
	for (int i = 0; i < 3; i++) {
		allocate(&fixture, 2);
		stream_commit(fixture.stream);
	}
	replayed = _i ? replay_live(&fixture.builder) : replay_of(&fixture.builder);
	ck_assert_uint_eq(replayed.result.totals.allocation_calls, _i ? 4 : 10);
	ck_assert_int_eq(trace_is_damaged(replayed.trace), !_i);
	ck_assert(_i || has_warning(replayed.trace, "contradicts the one before it"));
	replayed_release(&replayed);
	free(fixture.stream);
	builder_release(&fixture.builder);
}
END_TEST

Suite *gaps_suite(void)
{
	Suite *suite = suite_create("gaps");
	TCase *tcase = tcase_create("gaps");

	tcase_add_test(tcase, nothing_missing);
	tcase_add_loop_test(tcase, missing_chunk, 0, 3);
	tcase_add_test(tcase, missing_before_a_slot);
	tcase_add_test(tcase, totals_know_more);
	tcase_add_test(tcase, slot_of_a_committed_chunk);
	tcase_add_test(tcase, equal_chunks);
	tcase_add_test(tcase, later_chunk_first);
	tcase_add_test(tcase, what_is_stepped_over);
	tcase_add_test(tcase, ids_in_a_slot);
	tcase_add_loop_test(tcase, ids_twice, 0, 3);
	tcase_add_loop_test(tcase, damaged_slot, 0, 6);
	tcase_add_loop_test(tcase, too_soon, 0, 2);
	suite_add_tcase(suite, tcase);
	return suite;
}
