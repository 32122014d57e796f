/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces that an enemy wrote: small files that ask for much. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/verify/verify.h"
#include "tests/unit/replayed.h"
#include "tests/unit/suites.h"

#define BOMB_BYTES (32u << 20)

/* A chunk of any kind that says it has 128 KB, and whose zstd frame expands to much more: refused,
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

static bool no_stack(void *owner, struct verify_stack *stack)
{
	(void)owner;
	(void)stack;
	return false;
}

/* Many places that a frame could begin at, each of which ends where many zeros are: these are not
 * read through for each. */
START_TEST(zeros_again_and_again)
{
	const uint32_t places = 4096, zero_bytes = BOMB_BYTES;
	const uint32_t wrong_size = 100;
	const size_t bytes = places * XT_FRAME_HEAD_BYTES + zero_bytes + 8;
	uint8_t *garbage = calloc(bytes, 1);
	char path[] = "/tmp/xalloc-unit.XXXXXX";
	struct verify_claim claim = { .next = no_stack };
	struct verify_report report;
	struct trace_builder builder;
	struct trace *trace;
	uint64_t offset;

	for (uint32_t i = 0; i < places; i++) {
		const uint32_t head[] = { XT_FRAME_WINDOW + 5,
					  (places - i - 1) * XT_FRAME_HEAD_BYTES + 8 * (i + 1) };

		memcpy(garbage + i * XT_FRAME_HEAD_BYTES, head, sizeof(head));
	}
	garbage[bytes - 1] = 1;
	builder_init(&builder, 0);
	offset = builder_frame(&builder, XT_FRAME_CHUNK, garbage, (uint32_t)bytes);
	memcpy(builder.bytes + offset + 4, &wrong_size, sizeof(wrong_size));
	builder_save(&builder, path);
	ck_assert_int_eq(trace_open(&trace, path, NULL), 0);
	ck_assert(trace_is_damaged(trace));
	ck_assert(has_warning(trace, "nothing to read after it"));
	trace_close(trace);
	ck_assert_int_eq(verify_run(&report, path, &claim, NULL), 0);
	ck_assert(!verify_holds(&report));
	verify_release(&report);
	unlink(path);
	builder_release(&builder);
	free(garbage);
}
END_TEST

Suite *hostile_suite(void)
{
	Suite *suite = suite_create("hostile");
	TCase *tcase = tcase_create("hostile");

	tcase_add_loop_test(tcase, bomb, XT_KIND_EVENTS, XT_KIND_RECORDS + 1);
	tcase_add_loop_test(tcase, too_large, XT_KIND_EVENTS, XT_KIND_RECORDS + 1);
	tcase_add_loop_test(tcase, great_ids, 0, 3);
	tcase_add_test(tcase, zeros_again_and_again);
	suite_add_tcase(suite, tcase);
	return suite;
}
