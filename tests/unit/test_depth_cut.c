/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdlib.h>

#include "analyzer/model/depth_cut.h"
#include "tests/unit/replayed.h"
#include "tests/unit/suites.h"

static struct replayed run(uint32_t depth, const uint32_t (*stack)[5], const uint32_t *depths,
			   int count)
{
	struct trace_builder builder;
	struct stream_builder *stream;
	struct replayed replayed;

	builder_init(&builder, 1);
	builder_ids(&builder, 0, XT_ID_FIRST, 64);
	builder_header(&builder)->depth = depth;
	stream = stream_new(&builder, 0, 0, 0);
	for (int i = 0; i < count; i++)
		stream_alloc(stream, XT_OP_MALLOC, 0, 0x1000 + 16 * (uint64_t)i, 1u << i, stack[i],
			     depths[i]);
	stream_commit(stream);
	replayed = replay_of(&builder);
	free(stream);
	builder_release(&builder);
	return replayed;
}

static void expect(const struct replayed *replayed, const uint32_t *stack, uint32_t depth,
		   uint64_t bytes)
{
	const struct stack_totals *found = find_stack(&replayed->result, stack, depth);

	ck_assert_ptr_nonnull(found);
	ck_assert_uint_eq(found->bytes, bytes);
	ck_assert_uint_eq(found->live_bytes, bytes);
	ck_assert_uint_eq(found->peak_bytes, bytes);
	ck_assert_uint_eq(replayed->result.tree->node[found->node].value,
			  (uint32_t)(found - replayed->result.stack));
}

/* Longer ones keep three frames; what was equal but for the rest is one; marks at the root are no
 * frames. */
START_TEST(three_frames)
{
	const uint32_t stack[][5] = {
		{ 16, 17, 18 }, { 30, 16, 17, 18 }, { 31, 16, 17, 18 }, { 2, 16, 17, 18 },
		{ 1, 16, 17, 18 }, { 1, 40, 16, 17, 18 }, { 2, 17, 18 }, { 16, 17, 18, 19 },
	};
	const uint32_t depths[] = { 3, 4, 4, 4, 4, 5, 3, 4 };
	const uint32_t cut[] = { 2, 16, 17, 18 }, other[] = { 2, 17, 18, 19 };
	struct replayed replayed = run(3, stack, depths, 8);

	ck_assert_uint_eq(replayed.result.stacks, 5);
	expect(&replayed, stack[0], 3, 1);
	expect(&replayed, cut, 4, 2 + 4 + 8 + 32);
	expect(&replayed, stack[4], 4, 16);
	expect(&replayed, stack[6], 3, 64);
	expect(&replayed, other, 4, 128);
	replayed_release(&replayed);
}
END_TEST

START_TEST(nothing_to_cut)
{
	const uint32_t stack[][5] = { { 16, 17, 18 }, { 2, 16, 17, 18 }, { 0 } };
	const uint32_t depths[] = { 3, 4, 0 };
	struct replayed replayed = run((uint32_t)_i, stack, depths, 3);

	ck_assert_uint_eq(replayed.result.stacks, 3);
	expect(&replayed, stack[0], 3, 1);
	expect(&replayed, stack[1], 4, 2);
	expect(&replayed, stack[2], 0, 4);
	replayed_release(&replayed);
}
END_TEST

/* All that a stack has is added up. */
START_TEST(adds_every_figure)
{
	struct stack_totals stack[2] = {
		{ .calls = 1, .bytes = 2, .temporary = 3, .live_bytes = 4, .live_blocks = 5,
		  .peak_bytes = 6, .peak_blocks = 7 },
		{ .calls = 10, .bytes = 20, .temporary = 30, .live_bytes = 40, .live_blocks = 50,
		  .peak_bytes = 60, .peak_blocks = 70 },
	};
	struct stack_tree *tree = stack_tree_new();

	for (uint32_t i = 0; i < 2; i++)
		stack[i].node = stack_tree_child(tree, stack_tree_child(tree, 0, 16 + i), 20);
	ck_assert_uint_eq(depth_cut_run(tree, stack, 2, 1), 1);
	ck_assert_uint_eq(stack[0].calls, 11);
	ck_assert_uint_eq(stack[0].bytes, 22);
	ck_assert_uint_eq(stack[0].temporary, 33);
	ck_assert_uint_eq(stack[0].live_bytes, 44);
	ck_assert_uint_eq(stack[0].live_blocks, 55);
	ck_assert_uint_eq(stack[0].peak_bytes, 66);
	ck_assert_uint_eq(stack[0].peak_blocks, 77);
	stack_tree_free(tree);
}
END_TEST

Suite *depth_cut_suite(void)
{
	Suite *suite = suite_create("depth_cut");
	TCase *tcase = tcase_create("depth_cut");

	tcase_add_test(tcase, three_frames);
	tcase_add_test(tcase, adds_every_figure);
	/* 0 is no setting: all that the recorder can keep. */
	tcase_add_loop_test(tcase, nothing_to_cut, 3, 5);
	tcase_add_loop_test(tcase, nothing_to_cut, 0, 1);
	suite_add_tcase(suite, tcase);
	return suite;
}
