/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>

#include "analyzer/trace/frame_table.h"
#include "tests/unit/suites.h"

START_TEST(keeps_the_first_of_an_id)
{
	const struct xt_id id[] = { { 0x1000, 1, XT_IDF_READY }, { 0x2000, 2, 0 },
				    { 0x3000, 3, XT_IDF_READY | XT_IDF_EXACT } };
	const struct xt_id other = { 0x9000, 9, XT_IDF_READY };
	struct frame_table *table = frame_table_new();

	ck_assert(frame_table_add(table, 100, id, 3));
	ck_assert(frame_table_add(table, 100, &other, 1));
	ck_assert_uint_eq(frame_table_get(table, 100)->pc, 0x1000);
	ck_assert_ptr_null(frame_table_get(table, 101)); /* not ready */
	ck_assert_uint_eq(frame_table_get(table, 102)->flags, XT_IDF_READY | XT_IDF_EXACT);
	ck_assert_ptr_null(frame_table_get(table, 99));
	ck_assert_ptr_null(frame_table_get(table, 103));
	frame_table_free(table);
}
END_TEST

START_TEST(ids_at_the_limits)
{
	const struct xt_id id[] = { { 0x1000, 1, XT_IDF_READY }, { 0x2000, 2, XT_IDF_READY } };
	struct frame_table *table = frame_table_new();

	ck_assert(frame_table_add(table, 0, id, 2)); /* reserved */
	ck_assert(frame_table_add(table, XT_ID_FIRST - 1, id, 2));
	ck_assert(!frame_table_add(table, XT_IDS_MAX - 1, id, 2)); /* the second is no id */
	ck_assert(!frame_table_add(table, XT_IDS_MAX, id, 1));
	ck_assert(!frame_table_add(table, UINT32_MAX, id, 2));
	ck_assert(!frame_table_add(table, UINT64_MAX, id, 2));
	ck_assert(!frame_table_add(table, UINT64_C(1) << 32, id, 2));
	ck_assert_ptr_null(frame_table_get(table, 0));
	ck_assert_ptr_null(frame_table_get(table, 1));
	ck_assert_ptr_null(frame_table_get(table, XT_ID_FIRST - 1));
	ck_assert_uint_eq(frame_table_get(table, XT_ID_FIRST)->pc, 0x2000);
	ck_assert_uint_eq(frame_table_get(table, XT_IDS_MAX - 1)->pc, 0x1000);
	ck_assert_ptr_null(frame_table_get(table, XT_IDS_MAX));
	ck_assert_ptr_null(frame_table_get(table, UINT32_MAX));
	frame_table_free(table);
}
END_TEST

Suite *frame_table_suite(void)
{
	Suite *suite = suite_create("frame_table");
	TCase *tcase = tcase_create("frame_table");

	tcase_add_test(tcase, keeps_the_first_of_an_id);
	tcase_add_test(tcase, ids_at_the_limits);
	suite_add_tcase(suite, tcase);
	return suite;
}
