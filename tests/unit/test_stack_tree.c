/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>

#include "analyzer/trace/stack_tree.h"
#include "tests/unit/replayed.h"
#include "tests/unit/suites.h"

START_TEST(finds_what_it_added)
{
	struct stack_tree *tree = stack_tree_new();
	const uint32_t a = stack_tree_child(tree, 0, 16), b = stack_tree_child(tree, a, 17);
	const uint32_t c = stack_tree_child(tree, a, 16), d = stack_tree_child(tree, 0, 17);

	ck_assert_uint_ne(a, 0);
	ck_assert_uint_eq(stack_tree_child(tree, 0, 16), a);
	ck_assert_uint_eq(stack_tree_find(tree, a, 17), b);
	ck_assert_uint_eq(stack_tree_find(tree, a, 16), c);
	ck_assert_uint_eq(stack_tree_find(tree, b, 17), 0);
	ck_assert_uint_ne(d, b);
	ck_assert_uint_eq(stack_tree_parent(tree, b), a);
	ck_assert_uint_eq(stack_tree_frame(tree, b), 17);
	ck_assert_uint_eq(stack_tree_depth(tree, b), 2);
	ck_assert_uint_eq(stack_tree_depth(tree, 0), 0);
	ck_assert_uint_eq(stack_tree_frame(tree, 0), 0);
	ck_assert_uint_eq(tree->node[c].value, STACK_TREE_NO_VALUE);
	ck_assert_uint_eq(tree->count, 5);
	stack_tree_free(tree);
}
END_TEST

/* One node with 100,000 children and chains below them: each is found again, and none twice. */
START_TEST(wide_and_deep)
{
	const uint32_t width = 100000, depth = 8;
	struct stack_tree *tree = stack_tree_new();

	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < width; i++) {
			uint32_t node = 0;

			for (uint32_t j = 0; j < depth; j++) {
				const uint32_t frame = j ? 16 + j : 16 + i;
				const uint32_t child = stack_tree_child(tree, node, frame);

				if (child <= node || tree->node[child].parent != node ||
				    tree->node[child].frame != frame)
					ck_abort_msg("node %u is not the child asked for", child);
				node = child;
			}
		}
		ck_assert_uint_eq(tree->count, 1 + width * depth);
	}
	stack_tree_free(tree);
}
END_TEST

/* The same stacks lie elsewhere in each tree: none can be chosen so that they collide. */
START_TEST(is_seeded)
{
	struct stack_tree *tree[2] = { stack_tree_new(), stack_tree_new() };

	for (uint32_t i = 0; i < 500; i++) {
		stack_tree_child(tree[0], 0, 16 + i);
		stack_tree_child(tree[1], 0, 16 + i);
	}
	ck_assert_uint_eq(tree[0]->slot_mask, tree[1]->slot_mask);
	ck_assert_mem_ne(tree[0]->slot, tree[1]->slot,
			 (tree[0]->slot_mask + 1) * sizeof(*tree[0]->slot));
	stack_tree_free(tree[0]);
	stack_tree_free(tree[1]);
}
END_TEST

Suite *stack_tree_suite(void)
{
	Suite *suite = suite_create("stack_tree");
	TCase *tcase = tcase_create("stack_tree");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, finds_what_it_added);
	tcase_add_test(tcase, wide_and_deep);
	tcase_add_test(tcase, is_seeded);
	suite_add_tcase(suite, tcase);
	return suite;
}
