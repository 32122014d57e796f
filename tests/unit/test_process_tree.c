/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose child a process was, by headers that recorders write and by such that none does. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/report/process_tree.h"
#include "tests/unit/suites.h"

#define ROOT_PID 100

/* A process of the session that ROOT_PID began at 1000; one call of so many bytes. */
static struct process_row *add(struct process_tree *tree, uint32_t pid, uint32_t ppid,
			       uint64_t start_time, uint64_t begun_ns)
{
	struct process_row *row;

	tree->row = xreallocarray(tree->row, tree->count + 1, sizeof(*tree->row));
	row = &tree->row[tree->count++];
	*row = (struct process_row){
		.path = xasprintf("t.%u.%zu.zst", pid, tree->count),
		.exe = xstrdup("/x/program"),
		.header = { .boot_id = "boot",
			    .pid = pid,
			    .ppid = ppid,
			    .start_time = start_time,
			    .session_pid = ROOT_PID,
			    .session_start_time = 1000,
			    .first_pair.ns = begun_ns },
		.totals = { .allocation_calls = 1, .allocated_bytes = 10, .peak_bytes = pid },
		.end = "exit:0",
	};
	return row;
}

static size_t place_of(const struct process_tree *tree, size_t row)
{
	size_t place = 0;

	while (tree->order[place] != row)
		place++;
	return place;
}

/* A number that is given again is the latest process's that is not younger than the child. */
START_TEST(reused_number)
{
	struct process_tree tree = { .count = 0 };

	add(&tree, 300, 200, 1005, 50);
	add(&tree, 200, ROOT_PID, 1002, 20);
	add(&tree, ROOT_PID, 1, 1000, 10);
	add(&tree, 200, ROOT_PID, 1004, 40);
	add(&tree, 301, 200, 1003, 30);
	add(&tree, 200, ROOT_PID, 1006, 60);
	process_tree_build(&tree);
	ck_assert_uint_eq(tree.processes, 6);
	ck_assert_uint_eq(tree.row[0].parent, 3);
	ck_assert_uint_eq(tree.row[4].parent, 1);
	ck_assert_uint_eq(tree.row[1].parent, 2);
	ck_assert_uint_eq(tree.row[2].parent, PROCESS_NONE);
	ck_assert_uint_eq(tree.row[0].depth, 2);
	ck_assert_uint_eq(tree.greatest_peak, 4);
	ck_assert_uint_eq(tree.allocation_calls, 6);
	process_tree_release(&tree);
}
END_TEST

/* The first process says of which of its programs a child is; of others time tells. */
START_TEST(programs)
{
	struct process_tree tree = { .count = 0 };

	add(&tree, ROOT_PID, 1, 1000, 10)->header.image = 0;
	add(&tree, ROOT_PID, 1, 1000, 20)->header.image = 1;
	/* It was started by the first, and had its first event when the second ran. */
	add(&tree, 200, ROOT_PID, 1001, 30);
	add(&tree, 200, ROOT_PID, 1001, 50);
	strcpy(add(&tree, 200, ROOT_PID, 1001, 40)->end, "exec");
	add(&tree, 201, ROOT_PID, 1001, 35)->header.session_image = 1;
	add(&tree, 300, 200, 1001, 45);
	strcpy(tree.row[1].end, "exec");
	process_tree_build(&tree);
	ck_assert_uint_eq(tree.processes, 4);
	ck_assert_uint_eq(tree.row[2].parent, 0);
	ck_assert_uint_eq(tree.row[5].parent, 1);
	ck_assert_uint_eq(tree.row[4].before, 2);
	ck_assert_uint_eq(tree.row[3].before, 4);
	ck_assert_uint_eq(tree.row[6].parent, 4);
	ck_assert(!tree.row[4].misses_next);
	ck_assert(tree.row[1].misses_next);
	ck_assert_uint_eq(place_of(&tree, 2), 1);
	ck_assert_uint_eq(place_of(&tree, 6), 3);
	ck_assert_uint_eq(place_of(&tree, 3), 4);
	ck_assert_uint_eq(place_of(&tree, 1), 5);
	process_tree_release(&tree);
}
END_TEST

START_TEST(missing_parents)
{
	struct process_tree tree = { .count = 0 };

	add(&tree, 201, 200, 1001, 20);
	add(&tree, ROOT_PID, 1, 1000, 10);
	add(&tree, 202, 1, 1001, 30)->header.session_pid = 99;
	process_tree_build(&tree);
	ck_assert(tree.row[0].misses_parent);
	ck_assert_uint_eq(tree.row[0].parent, 1);
	ck_assert(tree.row[2].misses_parent);
	ck_assert_uint_eq(tree.row[2].parent, PROCESS_NONE);
	ck_assert(!tree.row[1].misses_parent);
	process_tree_release(&tree);
}
END_TEST

START_TEST(circles)
{
	struct process_tree tree = { .count = 0 };

	add(&tree, 200, 201, 1000, 0);
	add(&tree, 201, 202, 1000, 0);
	add(&tree, 202, 200, 1000, 0);
	add(&tree, 203, 203, 1000, 0);
	process_tree_build(&tree);
	ck_assert_uint_eq(place_of(&tree, 0) + place_of(&tree, 1) + place_of(&tree, 2) +
				  place_of(&tree, 3),
			  6);
	process_tree_release(&tree);
}
END_TEST

/* Whatever headers say, each trace has its place once, behind what it stands below. */
START_TEST(any_headers)
{
	struct process_tree tree = { .count = 0 };

	srand((unsigned)_i + 1);
	for (int i = 0; i < 400; i++) {
		struct process_row *row = add(&tree, ROOT_PID + (uint32_t)rand() % 40,
					      ROOT_PID + (uint32_t)rand() % 40,
					      1000 + (uint64_t)rand() % 4, (uint64_t)rand() % 50);

		row->header.session_pid = ROOT_PID + (uint32_t)rand() % 3;
		row->header.image = (uint32_t)rand() % 3;
		row->header.session_image = (uint32_t)rand() % 3;
	}
	process_tree_build(&tree);
	for (size_t i = 0; i < tree.count; i++) {
		const struct process_row *row = &tree.row[i];

		if (row->parent != PROCESS_NONE) {
			ck_assert_uint_lt(place_of(&tree, row->parent), place_of(&tree, i));
			ck_assert_uint_eq(row->depth, tree.row[row->parent].depth + 1);
		}
		if (row->before != PROCESS_NONE)
			ck_assert_uint_lt(place_of(&tree, row->before), place_of(&tree, i));
	}
	process_tree_release(&tree);
}
END_TEST

START_TEST(long_chain)
{
	struct process_tree tree = { .count = 0 };

	add(&tree, ROOT_PID, 1, 1000, 10);
	for (uint32_t i = 1; i < 5000; i++)
		add(&tree, ROOT_PID + i, ROOT_PID + i - 1, 1000, 10 + i);
	process_tree_build(&tree);
	ck_assert_uint_eq(tree.row[4999].depth, 4999);
	process_tree_release(&tree);
}
END_TEST

Suite *process_tree_suite(void)
{
	Suite *suite = suite_create("process_tree");
	TCase *tcase = tcase_create("process_tree");

	tcase_add_test(tcase, reused_number);
	tcase_add_test(tcase, programs);
	tcase_add_test(tcase, missing_parents);
	tcase_add_test(tcase, circles);
	tcase_add_loop_test(tcase, any_headers, 0, 20);
	tcase_add_test(tcase, long_chain);
	suite_add_tcase(suite, tcase);
	return suite;
}
