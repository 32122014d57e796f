/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random traces, and the same made compact. */
#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/model/drop.h"
#include "analyzer/trace/chunk.h"
#include "analyzer/trace/compact.h"
#include "analyzer/trace/event_decoder.h"
#include "tests/unit/replayed.h"
#include "tests/unit/suites.h"

#define STREAMS 3
#define STEPS 4000

static void one_call(struct stream_builder *stream, uint64_t *seed, uint64_t stamp)
{
	const uint64_t x = random_next(seed);
	const uint64_t addr = 0x10000 + (x >> 8) % 300 * (x & 128 ? 8 : 16);
	const uint64_t other = 0x10000 + (x >> 24) % 300 * 16;
	const uint32_t depth = (uint32_t)(x >> 40) % 40;
	uint32_t stack[40];

	for (uint32_t i = 0; i < depth; i++)
		stack[i] = XT_ID_FIRST + i + (uint32_t)(x >> (40 + i % 8)) % 200;
	switch (x % 11) {
	case 0:
		stream_failed(stream, stamp, XT_FN_VALLOC, x >> 30, stack, depth);
		break;
	case 1:
		stream_realloc(stream, stamp, stamp + 2, other, addr, x >> 50, stack, depth);
		break;
	case 2:
		stream_alloc(stream, XT_OP_ALIGNED, stamp, addr, x >> 20, stack, depth);
		break;
	case 3:
		stream_thread(stream, (uint32_t)(x >> 40) % 9, (uint32_t)(x >> 40) % 9 + 100);
		break;
	case 4:
	case 5:
	case 6:
		stream_free(stream, stamp, addr);
		break;
	default:
		stream_alloc(stream, XT_OP_MALLOC, x & 256 ? stamp : 0, addr, x >> 50, stack,
			     depth);
		break;
	}
}

static void build(struct trace_builder *builder, uint64_t seed)
{
	struct stream_builder *stream[STREAMS];
	uint64_t stamp = 1000;

	builder_init(builder, STREAMS);
	builder_ids(builder, 0, XT_ID_FIRST, 300);
	for (uint32_t i = 0; i < STREAMS; i++)
		stream[i] = stream_new(builder, i, i, stamp);
	for (int i = 0; i < STEPS; i++) {
		const uint64_t x = random_next(&seed);

		stamp += 3 + x % 5;
		one_call(stream[x % STREAMS], &seed, stamp);
		if (x >> 10 & 63)
			continue;
		stream_commit(stream[x % STREAMS]);
	}
	for (int i = 0; i < STREAMS; i++) {
		if (stream[i]->events && i)
			stream_to_slot(stream[i]);
		else if (stream[i]->events)
			stream_commit(stream[i]);
		free(stream[i]);
	}
}

/* The trace without these parts, from a file that is not there any more. */
static struct replayed replay_compact(struct trace *trace, struct drop_parts parts)
{
	char path[] = "/tmp/xalloc-unit.XXXXXX";
	struct replayed replayed = { 0 };
	struct replay_watch watch = { 0 };
	struct err err = { 0 };
	struct result result;
	struct drop *drop;

	ck_assert_int_ge(close(mkstemp(path)), 0);
	unlink(path);
	if (parts.addresses || parts.stamps) {
		drop = drop_begin(trace, parts, path, "it", &err);
		ck_assert_msg(drop != NULL, "%s", err.text);
		watch.tap = drop_tap(drop);
		replay_run(trace, &result, &watch);
		result_release(&result);
		ck_assert_msg(!drop_end(drop, &err), "%s", err.text);
	} else {
		ck_assert_msg(!compact_write(trace, path, "it", NULL, &err), "%s", err.text);
	}
	ck_assert_msg(!trace_open(&replayed.trace, path, &err), "%s", err.text);
	unlink(path);
	replay_run(replayed.trace, &replayed.result, NULL);
	check_sums(&replayed.result);
	return replayed;
}

static void forget_times(struct totals *totals)
{
	totals->peak_time_ns = 0;
	totals->peak_time_error_ns = 0;
	totals->duration_ns = 0;
}

/* Every figure that needs nothing that was dropped. */
START_TEST(all_the_same)
{
	const struct drop_parts parts = { _i & 1, _i & 2 };
	struct trace_builder builder;
	struct replayed rows, columns, twice;

	build(&builder, (uint64_t)_i);
	rows = replay_of(&builder);
	ck_assert(!trace_is_damaged(rows.trace));
	columns = replay_compact(rows.trace, parts);
	ck_assert_int_eq(trace_has_dropped(columns.trace, TRACE_ADDRESSES), parts.addresses);
	ck_assert_int_eq(trace_has_dropped(columns.trace, TRACE_STAMPS), parts.stamps);
	if (parts.stamps) {
		ck_assert_uint_eq(columns.result.totals.duration_ns, 0);
		forget_times(&rows.result.totals);
		forget_times(&columns.result.totals);
	}
	ck_assert(!trace_is_damaged(columns.trace));
	ck_assert(trace_header(columns.trace)->is_compact);
	ck_assert_mem_eq(&rows.result.totals, &columns.result.totals, sizeof(struct totals));
	ck_assert_uint_gt(rows.result.totals.allocation_calls, STEPS / 4);
	ck_assert_uint_eq(rows.result.stacks, columns.result.stacks);
	for (size_t i = 0; i < rows.result.stacks; i++) {
		const struct stack_totals *a = &rows.result.stack[i], *b = &columns.result.stack[i];

		ck_assert_uint_eq(a->calls, b->calls);
		ck_assert_uint_eq(a->peak_bytes, b->peak_bytes);
		ck_assert_uint_eq(stack_tree_frame(rows.result.tree, a->node),
				  stack_tree_frame(columns.result.tree, b->node));
	}
	twice = replay_compact(columns.trace, parts);
	forget_times(&twice.result.totals);
	forget_times(&columns.result.totals);
	ck_assert_mem_eq(&twice.result.totals, &columns.result.totals, sizeof(struct totals));
	replayed_release(&twice);
	replayed_release(&rows);
	replayed_release(&columns);
	builder_release(&builder);
}
END_TEST

static int decode(struct event_decoder *decoder, const struct chunk *chunk, uint32_t *events)
{
	struct event event[64];
	uint32_t count;
	int got;

	*events = 0;
	event_decoder_start(decoder, chunk);
	do {
		got = event_decoder_fill(decoder, event, 64, &count);
		*events += count;
	} while (got > 0);
	return got;
}

/* malloc(228) at 0x10000 from one frame, and its free. */
static const uint8_t two_events[] = { XT_OP_MALLOC, XT_OP_FREE, 0x00, 0x01, 0x10,
				      0xE4,         0x02,       0x80, 0x40, 0x01 };
static const uint32_t sizes[XT_COLUMNS] = { 2, 0, 1, 2, 1, 1, 2, 0, 0, 1, 0 };

/* What the head of the columns says is not trusted: one byte more or less anywhere is damage, and
 * nothing is read that is not there. */
START_TEST(sizes_of_columns)
{
	const int wrong = _i / 2 - 1; /* -1: none */
	const uint32_t size = sizeof(struct xt_columns) + sizeof(two_events);
	struct frame_table *frames = frame_table_new();
	struct stack_tree *tree = stack_tree_new();
	struct event_decoder decoder;
	struct xt_columns head;
	uint32_t events;
	struct chunk chunk = { .bytes = malloc(size), .size = size, .is_columns = true };
	int got;

	memcpy(head.bytes, sizes, sizeof(sizes));
	if (wrong >= 0)
		head.bytes[wrong] += _i % 2 ? 1u : UINT32_MAX;
	memcpy(chunk.bytes, &head, sizeof(head));
	memcpy(chunk.bytes + sizeof(head), two_events, sizeof(two_events));
	event_decoder_init(&decoder, tree, frames, NULL); /* no marks */
	got = decode(&decoder, &chunk, &events);
	if (wrong < 0) {
		ck_assert_int_eq(got, 0);
		ck_assert_uint_eq(events, 2);
	} else {
		ck_assert_int_lt(got, 0);
	}
	event_decoder_release(&decoder);
	free(chunk.bytes);
	stack_tree_free(tree);
	frame_table_free(frames);
}
END_TEST

Suite *compact_suite(void)
{
	Suite *suite = suite_create("compact");
	TCase *tcase = tcase_create("compact");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, all_the_same, 0, 20);
	tcase_add_loop_test(tcase, sizes_of_columns, 0, 2 + 2 * (int)XT_COLUMNS);
	suite_add_tcase(suite, tcase);
	return suite;
}
