/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>

#include "analyzer/model/thread_table.h"
#include "tests/unit/suites.h"

/* Dense numbers, far ones and the greatest: each has one index, in order of appearance. */
START_TEST(one_index_each)
{
	enum { COUNT = 3000 };
	struct thread_table table;

	thread_table_init(&table);
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < COUNT; i++) {
			const uint32_t like[] = { i, i << 20 | 0xFFFF, UINT32_MAX - i };

			if (thread_table_index(&table, like[_i]) != i)
				ck_abort_msg("round %d, thread %u", round, i);
			if (table.thread[i].number != like[_i] || table.thread[i].latest_addr)
				ck_abort_msg("thread %u is another", i);
		}
		ck_assert_uint_eq(table.count, COUNT);
	}
	thread_table_release(&table);
}
END_TEST

/* Numbers of a hostile trace, all alike in their low bits, take no longer than others: with a hash
 * of those bits this would not end in time. */
START_TEST(alike_in_low_bits)
{
	enum { COUNT = 120000 };
	struct thread_table table;

	thread_table_init(&table);
	for (uint32_t i = 0; i < COUNT; i++)
		thread_table_index(&table, i << 15);
	ck_assert_uint_eq(table.count, COUNT);
	thread_table_release(&table);
}
END_TEST

Suite *thread_table_suite(void)
{
	Suite *suite = suite_create("thread_table");
	TCase *tcase = tcase_create("thread_table");

	tcase_add_loop_test(tcase, one_index_each, 0, 3);
	tcase_add_test(tcase, alike_in_low_bits);
	suite_add_tcase(suite, tcase);
	return suite;
}
