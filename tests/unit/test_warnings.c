/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>

#include "analyzer/base/warnings.h"
#include "tests/unit/suites.h"

START_TEST(each_text_once)
{
	struct warnings warnings = { 0 };

	warnings_add(&warnings, "one %d", 1);
	warnings_add(&warnings, "two\nlines");
	warnings_add(&warnings, "one %d", 1);
	ck_assert_uint_eq(warnings.count, 2);
	ck_assert_str_eq(warnings.text[0], "one 1");
	ck_assert_str_eq(warnings.text[1], "two lines");
	warnings_release(&warnings);
	ck_assert_uint_eq(warnings.count, 0);
}
END_TEST

START_TEST(the_list_stays_short)
{
	struct warnings warnings = { 0 };

	for (int i = 0; i < WARNINGS_MAX + 1; i++)
		warnings_add(&warnings, "text %d", i);
	ck_assert_str_eq(warnings.text[WARNINGS_MAX], "1 more warning is not shown");
	for (int i = 0; i < 2; i++)
		warnings_add(&warnings, "more %d", i);
	warnings_add(&warnings, "text %d", 7);
	ck_assert_uint_eq(warnings.count, WARNINGS_MAX + 1);
	ck_assert_str_eq(warnings.text[WARNINGS_MAX], "3 more warnings are not shown");
	ck_assert_str_eq(warnings.text[WARNINGS_MAX - 1], "text 99");
	warnings_release(&warnings);
}
END_TEST

Suite *warnings_suite(void)
{
	Suite *suite = suite_create("warnings");
	TCase *tcase = tcase_create("warnings");

	tcase_add_test(tcase, each_text_once);
	tcase_add_test(tcase, the_list_stays_short);
	suite_add_tcase(suite, tcase);
	return suite;
}
