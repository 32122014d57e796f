/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes of events, as trace_builder writes them, through the decoder. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/trace/event_decoder.h"
#include "tests/unit/replayed.h"
#include "tests/unit/suites.h"

#define IDS 3000

struct decoded {
	struct event *event;
	size_t count;
	const char *wrong; /* NULL: it came to the end */
};

struct fixture {
	struct frame_table *frames;
	struct stack_tree *tree;
	struct name_pool *texts;
	struct trace_builder builder;
	struct stream_builder *stream;
};

static void setup(struct fixture *fixture)
{
	fixture->frames = frame_table_new();
	fixture->tree = stack_tree_new();
	fixture->texts = name_pool_new();
	for (uint32_t i = 0; i < IDS; i++) {
		const struct xt_id id = { 0x1000 * i, 1, XT_IDF_READY };

		frame_table_add(fixture->frames, XT_ID_FIRST + i, &id, 1);
	}
	builder_init(&fixture->builder, 0);
	fixture->stream = stream_new(&fixture->builder, 0, 7, 1000);
}

static void teardown(struct fixture *fixture)
{
	frame_table_free(fixture->frames);
	stack_tree_free(fixture->tree);
	name_pool_free(fixture->texts);
	builder_release(&fixture->builder);
	free(fixture->stream);
}

static struct decoded decode(const struct fixture *fixture, size_t size)
{
	struct decoded decoded = { .event = calloc(XT_SLOT_BYTES, sizeof(struct event)) };
	struct chunk chunk = { .size = (uint32_t)size, .first_stamp = 1000, .thread = 7 };
	struct event_decoder decoder;
	uint32_t count;
	int got;

	/* A copy of just that length, so that a tool sees it when a byte too many is read. */
	chunk.bytes = malloc(size ? size : 1);
	memcpy(chunk.bytes, fixture->stream->bytes, size);
	event_decoder_init(&decoder, fixture->tree, fixture->frames, fixture->texts);
	event_decoder_start(&decoder, &chunk);
	do {
		/* Now and then a few of them. */
		got = event_decoder_fill(&decoder, &decoded.event[decoded.count],
					 1 + (uint32_t)decoded.count % 5, &count);
		decoded.count += count;
	} while (got > 0);
	ck_assert_uint_eq(decoder.events, decoded.count);
	decoded.wrong = got < 0 ? decoder.wrong : NULL;
	ck_assert(got == 0 || decoded.wrong);
	event_decoder_release(&decoder);
	free(chunk.bytes);
	return decoded;
}

static struct decoded decode_all(const struct fixture *fixture)
{
	return decode(fixture, fixture->stream->used);
}

static void expect_wrong(const struct fixture *fixture, size_t events, const char *wrong)
{
	struct decoded decoded = decode_all(fixture);

	ck_assert_uint_eq(decoded.count, events);
	ck_assert_ptr_nonnull(decoded.wrong);
	ck_assert_str_eq(decoded.wrong, wrong);
	free(decoded.event);
}

static void expect_stack(const struct fixture *fixture, uint32_t node, const uint32_t *stack,
			 uint32_t depth)
{
	ck_assert_uint_eq(stack_tree_depth(fixture->tree, node), depth);
	for (; depth; depth--) {
		ck_assert_uint_eq(stack_tree_frame(fixture->tree, node), stack[depth - 1]);
		node = stack_tree_parent(fixture->tree, node);
	}
}

START_TEST(every_op)
{
	const uint32_t a[] = { 16, 17, 18 }, b[] = { 16, 20 };
	struct fixture fixture;
	struct decoded decoded;
	const struct event *event;

	setup(&fixture);
	stream_alloc(fixture.stream, XT_OP_MALLOC, 1005, 0x10010, 100, a, 3);
	stream_alloc(fixture.stream, XT_OP_CALLOC, 0, 0x20020, 100, a, 3);
	stream_free(fixture.stream, 1010, 0x10010);
	stream_realloc(fixture.stream, 1020, 1030, 0x20020, 0x10010, 5000, b, 2);
	stream_alloc(fixture.stream, XT_OP_REALLOC_NULL, 0, 0x3000B, 0, b, 2);
	stream_alloc(fixture.stream, XT_OP_ALIGNED, 0, 0x40000, 64, NULL, 0);
	stream_time(fixture.stream, 2000);
	stream_thread(fixture.stream, 9, 4711);
	stream_alloc(fixture.stream, XT_OP_NEW, 0, 0x50000, UINT64_MAX, a, 3);
	stream_failed(fixture.stream, 2005, XT_FN_VALLOC, UINT64_C(1) << 60, b, 2);
	stream_realloc(fixture.stream, 0, 0, 0x3000B, 0x30005, 1, b, 2);
	decoded = decode_all(&fixture);
	ck_assert_ptr_null(decoded.wrong);
	ck_assert_uint_eq(decoded.count, 9);
	event = decoded.event;
#define EXPECT(i, o, f, t, s0, s1, sz, ad, old, fl) do { \
	ck_assert_uint_eq(event[i].op, o); \
	ck_assert_uint_eq(event[i].fn, f); \
	ck_assert_uint_eq(event[i].thread, t); \
	ck_assert_uint_eq(event[i].stamp0, s0); \
	ck_assert_uint_eq(event[i].stamp1, s1); \
	if ((o) != XT_OP_FREE) \
		ck_assert_uint_eq(event[i].size, sz); \
	ck_assert_uint_eq(event[i].addr, ad); \
	ck_assert_uint_eq(event[i].old_addr, old); \
	ck_assert_uint_eq(event[i].flags, fl); \
} while (0)
	EXPECT(0, XT_OP_MALLOC, 0, 7, 1005, 1005, 100, 0x10010, 0, EVENT_STAMPED);
	EXPECT(1, XT_OP_CALLOC, 0, 7, 1005, 1005, 100, 0x20020, 0, 0);
	EXPECT(2, XT_OP_FREE, 0, 7, 1010, 1010, 0, 0x10010, 0, EVENT_STAMPED);
	EXPECT(3, XT_OP_REALLOC, 0, 7, 1020, 1030, 5000, 0x10010, 0x20020,
	       EVENT_STAMPED | EVENT_BEGIN | EVENT_END);
	EXPECT(4, XT_OP_REALLOC_NULL, 0, 7, 1030, 1030, 0, 0x3000B, 0, 0);
	EXPECT(5, XT_OP_ALIGNED, XT_FN_MEMALIGN, 7, 1030, 1030, 64, 0x40000, 0, 0);
	EXPECT(6, XT_OP_NEW, 0, 9, 2000, 2000, UINT64_MAX, 0x50000, 0, 0);
	EXPECT(7, XT_OP_FAILED, XT_FN_VALLOC, 9, 2005, 2005, UINT64_C(1) << 60, 0, 0,
	       EVENT_STAMPED);
	EXPECT(8, XT_OP_REALLOC, 0, 9, 2005, 2005, 1, 0x30005, 0x3000B, EVENT_BEGIN | EVENT_END);
	expect_stack(&fixture, event[0].node, a, 3);
	ck_assert_uint_eq(event[0].node, event[1].node);
	ck_assert_uint_eq(event[0].node, event[6].node);
	expect_stack(&fixture, event[3].node, b, 2);
	expect_stack(&fixture, event[5].node, NULL, 0);
	free(decoded.event);
	teardown(&fixture);
}
END_TEST

/* Random calls: what goes in comes out. */
START_TEST(random_events)
{
	enum { COUNT = 1000 };
	struct event *want = calloc(COUNT, sizeof(*want));
	uint32_t stack[60];
	struct fixture fixture;
	struct decoded decoded;
	uint64_t seed = (uint64_t)_i, stamp = 1000;
	uint32_t depth = 0;

	setup(&fixture);
	for (int i = 0; i < COUNT; i++) {
		const uint32_t keep = depth ? (uint32_t)(random_next(&seed) % (depth + 1)) : 0;
		struct event *event = &want[i];

		/* Two in three go on from nearly the same stack, some have none. */
		depth = random_next(&seed) % 3 ? keep : depth;
		for (uint32_t more = random_next(&seed) % 4 ? 0 : random_next(&seed) % 20;
		     more && depth < 60; more--)
			stack[depth++] = XT_ID_FIRST + (uint32_t)(random_next(&seed) % IDS);
		event->op = random_next(&seed) % 3 ? XT_OP_MALLOC : XT_OP_REALLOC;
		event->op = random_next(&seed) % 3 ? event->op : XT_OP_FREE;
		event->addr = random_next(&seed) >> (random_next(&seed) % 60) | 1;
		event->old_addr = event->op == XT_OP_REALLOC ? random_next(&seed) | 16 : 0;
		event->size = random_next(&seed) >> (random_next(&seed) % 64);
		event->stamp0 = random_next(&seed) % 2 ? stamp += random_next(&seed) % 1000 + 1 : 0;
		event->stamp1 = event->stamp0;
		if (event->op == XT_OP_REALLOC && event->stamp0)
			event->stamp1 = stamp += random_next(&seed) % 1000;
		if (event->op == XT_OP_FREE)
			stream_free(fixture.stream, event->stamp0, event->addr);
		else if (event->op == XT_OP_MALLOC)
			stream_alloc(fixture.stream, event->op, event->stamp0, event->addr,
				     event->size, stack, depth);
		else
			stream_realloc(fixture.stream, event->stamp0, event->stamp1,
				       event->old_addr, event->addr, event->size, stack, depth);
		/* The tree is its own check that a node is one stack: see test_stack_tree.c. */
		for (uint32_t j = 0; event->op != XT_OP_FREE && j < depth; j++)
			event->node = stack_tree_child(fixture.tree, event->node, stack[j]);
	}
	ck_assert_uint_eq(fixture.stream->seq, 0);
	decoded = decode_all(&fixture);
	ck_assert_ptr_null(decoded.wrong);
	ck_assert_uint_eq(decoded.count, COUNT);
	stamp = 1000;
	for (int i = 0; i < COUNT; i++) {
		const struct event *event = &decoded.event[i];

		ck_assert_uint_eq(event->op, want[i].op);
		ck_assert_uint_eq(event->addr, want[i].addr);
		ck_assert_uint_eq(event->old_addr, want[i].old_addr);
		ck_assert_uint_eq(event->stamp0, want[i].stamp0 ? want[i].stamp0 : stamp);
		ck_assert_uint_eq(event->stamp1, want[i].stamp0 ? want[i].stamp1 : stamp);
		ck_assert_uint_eq(event->flags,
				  (want[i].stamp0 ? EVENT_STAMPED : 0) |
				  (event->op == XT_OP_REALLOC ? EVENT_BEGIN | EVENT_END : 0));
		stamp = event->stamp1;
		if (event->op == XT_OP_FREE)
			continue;
		ck_assert_uint_eq(event->size, want[i].size);
		ck_assert_uint_eq(event->node, want[i].node);
	}
	free(decoded.event);
	free(want);
	teardown(&fixture);
}
END_TEST

START_TEST(deepest_stack)
{
	uint32_t *stack = calloc(XT_STACK_MAX + 1, sizeof(*stack));
	struct fixture fixture;
	struct decoded decoded;

	setup(&fixture);
	stack[0] = XT_ID_ELIDED;
	for (uint32_t i = 1; i <= XT_STACK_MAX; i++)
		stack[i] = XT_ID_FIRST + i % 100;
	stream_alloc(fixture.stream, XT_OP_MALLOC, 0, 0x10, 1, stack, XT_STACK_MAX);
	stream_alloc(fixture.stream, XT_OP_MALLOC, 0, 0x20, 1, stack, 1);
	decoded = decode_all(&fixture);
	ck_assert_ptr_null(decoded.wrong);
	ck_assert_uint_eq(decoded.count, 2);
	expect_stack(&fixture, decoded.event[0].node, stack, XT_STACK_MAX);
	expect_stack(&fixture, decoded.event[1].node, stack, 1);
	free(decoded.event);
	teardown(&fixture);
	setup(&fixture);
	stream_alloc(fixture.stream, XT_OP_MALLOC, 0, 0x30, 1, stack, XT_STACK_MAX + 1);
	expect_wrong(&fixture, 0, "a stack is too deep");
	teardown(&fixture);
	free(stack);
}
END_TEST

/* Wherever it is cut, the events that are whole come, and no other. */
START_TEST(cut_anywhere)
{
	const uint32_t stack[] = { 16, 17, 3000, 19 };
	size_t end[8];
	struct fixture fixture;
	size_t whole = 0;

	setup(&fixture);
	stream_alloc(fixture.stream, XT_OP_ALIGNED, 5000000, 0x7FFF00000010, 70000, stack, 4);
	end[0] = fixture.stream->used;
	stream_free(fixture.stream, 0, 0x10);
	end[1] = fixture.stream->used;
	stream_realloc(fixture.stream, 5000100, 5900000, 0x7FFF00000010, 0x555500001000, 12, stack,
		       2);
	end[2] = fixture.stream->used;
	stream_alloc(fixture.stream, XT_OP_MALLOC, 0, 0x10003, 12, stack, 4);
	end[3] = fixture.stream->used;
	for (size_t size = 0; size <= end[3]; size++) {
		struct decoded decoded = decode(&fixture, size);
		const bool is_boundary = size == 0 || (whole && size == end[whole - 1]);

		while (whole < 4 && size >= end[whole])
			whole++;
		ck_assert_uint_eq(decoded.count, whole);
		if (is_boundary || (whole && size == end[whole - 1]))
			ck_assert_ptr_null(decoded.wrong);
		/* Behind an EXT LOW a chunk may end as well: nothing says that an event has to
		 * come. */
		else if (size != end[2] + 5)
			ck_assert_ptr_nonnull(decoded.wrong);
		free(decoded.event);
	}
	teardown(&fixture);
}
END_TEST

START_TEST(what_no_recorder_writes)
{
	const uint32_t good[] = { 16 }, beyond[] = { 16, XT_IDS_MAX }, inside[] = { 16, 2 };
	const uint32_t reserved[] = { 3 }, none[] = { 0 };
	const struct {
		uint8_t byte[6];
		size_t size;
		const char *wrong;
	} bad[] = {
		{ { 0x00 }, 1, "an event is of no known kind" },
		{ { 0x09 }, 1, "an event is of no known kind" },
		{ { 0x0E, 0 }, 2, "an event is of no known kind" },
		{ { 0x83, 2 }, 2, "an event is of no known kind" },
		{ { 0x8F, 2, 0 }, 3, "an event is of no known kind" },
		{ { 0x06, 0, 0, 1, 2 }, 5, "an event is of no known function" },
		{ { 0x08, 11, 0, 1 }, 4, "an event is of no known function" },
		{ { 0x01, 0x20, 1, 2 }, 4, "it takes more frames than the stack has" },
		{ { 0x01, 0xF0, 0xFF, 1, 1, 2 }, 6, "it takes more frames than the stack has" },
		{ { 0x0F, 3, 2, 16, 0 }, 5, "the low bits of an address are too large" },
		{ { 0x0F, 3, 1, 1 }, 4, "it is cut short" },
		{ { 0x0F, 3, 9, 1, 1 }, 5, "it is cut short" },
		{ { 0x03, 0x41 }, 2, "the address of a block is 0" },
	};
	struct fixture fixture;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		setup(&fixture);
		stream_alloc(fixture.stream, XT_OP_MALLOC, 0, 0x210, 1, good, 1);
		for (size_t j = 0; j < bad[i].size; j++)
			stream_byte(fixture.stream, bad[i].byte[j]);
		expect_wrong(&fixture, 1, bad[i].wrong);
		teardown(&fixture);
	}
	setup(&fixture);
	stream_alloc(fixture.stream, XT_OP_MALLOC, 0, 0x10, 1, beyond, 2);
	expect_wrong(&fixture, 0, "a frame id is impossible");
	teardown(&fixture);
	setup(&fixture);
	stream_alloc(fixture.stream, XT_OP_MALLOC, 0, 0x10, 1, reserved, 1);
	expect_wrong(&fixture, 0, "a frame id is impossible");
	teardown(&fixture);
	setup(&fixture);
	stream_alloc(fixture.stream, XT_OP_MALLOC, 0, 0x10, 1, none, 1);
	expect_wrong(&fixture, 0, "a frame id is impossible");
	teardown(&fixture);
	setup(&fixture);
	stream_alloc(fixture.stream, XT_OP_MALLOC, 0, 0x10, 1, inside, 2);
	expect_wrong(&fixture, 0, "the mark of a cut stack stands inside a stack");
	teardown(&fixture);
	setup(&fixture);
	stream_alloc(fixture.stream, XT_OP_MALLOC, UINT64_MAX, 0x10, 1, good, 1);
	stream_byte(fixture.stream, XT_OP_FREE | XT_EV_STAMP);
	stream_byte(fixture.stream, 1);
	stream_byte(fixture.stream, 2);
	expect_wrong(&fixture, 1, "a stamp is too large");
	teardown(&fixture);
}
END_TEST

/* A subtype of a later version is stepped over, and the events around it are read. */
START_TEST(unknown_ext)
{
	const uint8_t ext[] = { XT_OP_EXT, 99, 3, 0xFF, 0xFF, 0xFF };
	struct fixture fixture;
	struct decoded decoded;

	setup(&fixture);
	stream_alloc(fixture.stream, XT_OP_MALLOC, 0, 0x20, 5, NULL, 0);
	for (size_t i = 0; i < sizeof(ext); i++)
		stream_byte(fixture.stream, ext[i]);
	stream_free(fixture.stream, 0, 0x20);
	decoded = decode_all(&fixture);
	ck_assert_ptr_null(decoded.wrong);
	ck_assert_uint_eq(decoded.count, 2);
	ck_assert_uint_eq(decoded.event[1].addr, 0x20);
	free(decoded.event);
	teardown(&fixture);
}
END_TEST

Suite *chunk_suite(void)
{
	Suite *suite = suite_create("chunk");
	TCase *tcase = tcase_create("chunk");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, every_op);
	tcase_add_loop_test(tcase, random_events, 0, 20);
	tcase_add_test(tcase, deepest_stack);
	tcase_add_test(tcase, cut_anywhere);
	tcase_add_test(tcase, what_no_recorder_writes);
	tcase_add_test(tcase, unknown_ext);
	suite_add_tcase(suite, tcase);
	return suite;
}
