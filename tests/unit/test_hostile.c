/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces that an enemy wrote: small files that ask for much. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/replayed.h"
#include "tests/unit/suites.h"

#define BOMB_BYTES (32u << 20)

/* A chunk of any kind that says it has 64 KB, and whose zstd frame expands to much more: refused,
 * and the good chunks around it are read. */
START_TEST(bomb)
{
	struct xt_meta meta = { .kind = (uint32_t)_i, .seq = 1, .base = 20, .events = 3 };
	const uint32_t stack[] = { 16, 17 };
	uint8_t *zeros = calloc(BOMB_BYTES, 1);
	struct trace_builder builder;
	struct stream_builder *stream;
	struct replayed replayed;
	uint64_t offset;

	builder_init(&builder, 0);
	builder_ids(&builder, 0, XT_ID_FIRST, 4);
	stream = stream_new(&builder, 0, 0, 0);
	for (uint64_t i = 1; i <= 20; i++)
		stream_alloc(stream, XT_OP_MALLOC, 0, 16 * i, 1, stack, 2);
	stream_commit(stream);
	offset = builder_chunk(&builder, meta, zeros, BOMB_BYTES);
	meta = builder_meta(&builder, offset);
	meta.raw_bytes = XT_SLOT_BYTES;
	builder_set_meta(&builder, offset, meta);
	ck_assert_uint_lt(builder.size - offset, 2 * XT_SLOT_BYTES);
	replayed = replay_of(&builder);
	ck_assert_uint_eq(replayed.result.totals.allocation_calls, 20);
	ck_assert_uint_eq(replayed.result.totals.lost_events, _i == XT_KIND_EVENTS ? 3 : 0);
	ck_assert(trace_is_damaged(replayed.trace));
	ck_assert(has_warning(
		replayed.trace,
		"is damaged: it does not unpack (zstd: Destination buffer is too small)"));
	replayed_release(&replayed);
	free(stream);
	builder_release(&builder);
	free(zeros);
}
END_TEST

/* It says that itself: then its metadata is impossible, and nothing is made of it. */
START_TEST(too_large)
{
	const struct xt_meta meta = { .kind = (uint32_t)_i, .events = 3 };
	struct trace_builder builder;
	struct replayed replayed;
	uint8_t *zeros = calloc(XT_SLOT_BYTES + 1, 1);

	builder_init(&builder, 0);
	builder_chunk(&builder, meta, zeros, XT_SLOT_BYTES + 1);
	replayed = replay_of(&builder);
	ck_assert(trace_is_damaged(replayed.trace));
	ck_assert(has_warning(replayed.trace, "the metadata of a chunk is damaged"));
	replayed_release(&replayed);
	builder_release(&builder);
	free(zeros);
}
END_TEST

/* Ids that no recorder gives out. */
START_TEST(great_ids)
{
	const uint32_t first[] = { XT_IDS_MAX - 1, XT_IDS_MAX, 0xF0000000 };
	const uint32_t stack[] = { first[_i] };
	struct trace_builder builder;
	struct stream_builder *stream;
	struct replayed replayed;

	builder_init(&builder, 0);
	builder_ids(&builder, 0, first[_i], 1);
	stream = stream_new(&builder, 0, 0, 0);
	stream_alloc(stream, XT_OP_MALLOC, 0, 16, 1, stack, 1);
	stream_commit(stream);
	replayed = replay_of(&builder);
	ck_assert_int_eq(has_warning(replayed.trace, "impossible frame ids"), _i > 0);
	ck_assert_int_eq(trace_is_damaged(replayed.trace), _i > 0);
	ck_assert_uint_eq(replayed.result.totals.allocation_calls, _i == 0);
	replayed_release(&replayed);
	free(stream);
	builder_release(&builder);
}
END_TEST

Suite *hostile_suite(void)
{
	Suite *suite = suite_create("hostile");
	TCase *tcase = tcase_create("hostile");

	tcase_add_loop_test(tcase, bomb, XT_KIND_EVENTS, XT_KIND_RECORDS + 1);
	tcase_add_loop_test(tcase, too_large, XT_KIND_EVENTS, XT_KIND_RECORDS + 1);
	tcase_add_loop_test(tcase, great_ids, 0, 3);
	suite_add_tcase(suite, tcase);
	return suite;
}
