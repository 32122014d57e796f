/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All suites of the unit tests: one a file, named by its noun. */
#ifndef XALLOC_TESTS_SUITES_H
#define XALLOC_TESTS_SUITES_H

#include <check.h>

#define SUITES(X) \
	X(codec) \
	X(helper) \
	X(packed_row) \
	X(stack_tree) \
	X(frame_table) \
	X(file_pages) \
	X(module_map) \
	X(chunk) \
	X(compact) \
	X(records) \
	X(merge) \
	X(ties) \
	X(gaps) \
	X(damage) \
	X(flipped) \
	X(hostile) \
	X(live_set) \
	X(thread_table) \
	X(peak) \
	X(replay) \
	X(depth_cut) \
	X(process_tree) \
	X(progress) \
	X(warnings) \
	X(texts) \
	X(name_parts) \
	X(symbol_file) \
	X(block_tree) \
	X(bit_sets) \
	X(pattern) \
	X(check_place)

#define DECLARE_SUITE(name) Suite *name##_suite(void);
SUITES(DECLARE_SUITE)

#endif
