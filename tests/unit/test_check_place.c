/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures with units, and where in the source a stack is shown. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/amount.h"
#include "analyzer/report/check_place.h"
#include "tests/unit/suites.h"

static const struct {
	const char *file, *root, *place;
	bool is_below_root;
} places[] = {
	{ "/src/a.c", "/src", "a.c", true },
	{ "/src/lib/a.c", "/src/", "lib/a.c", true },
	{ "/src/./build//../lib/a.c", "/src", "lib/a.c", true },
	{ "/src/../other/a.c", "/src", "/other/a.c", false },
	{ "/source/a.c", "/src", "/source/a.c", false },
	{ "/../../src/a.c", "/src", "a.c", true },
	{ "/usr/include/c++/vector", "/src", "/usr/include/c++/vector", false },
	{ "/a.c", "/", "a.c", true },
	{ "./lib/a.c", "/src", "lib/a.c", true },
	{ "lib/../a.c", "/src", "a.c", true },
	{ "../a.c", "/src", "../a.c", false },
	{ "lib/../../../a.c", "/src", "../../a.c", false },
};

START_TEST(paths_are_from_the_root)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		const struct check_frame frame = { .file = (char *)places[i].file, .line = 7 };
		const struct check_place place = check_place_of_frame(&frame, places[i].root);

		ck_assert_str_eq(place.file, places[i].place);
		ck_assert_uint_eq(place.line, 7);
		ck_assert_msg(place.is_below_root == places[i].is_below_root, "%s",
			      places[i].file);
		free(place.file);
	}
}
END_TEST

START_TEST(the_innermost_below_the_root)
{
	struct check_frame frame[] = { { .file = "" },
				       { .file = "/usr/include/vector", .line = 3 },
				       { .file = "/src/a.c", .line = 5 },
				       { .file = "/src/main.c", .line = 9 } };
	const struct check_stack stack = { .frame = frame, .frames = 4 };
	struct check_place place = check_place_of(&stack, "/src");

	ck_assert_str_eq(place.file, "a.c");
	ck_assert_uint_eq(place.line, 5);
	free(place.file);
	place = check_place_of(&stack, "/elsewhere");
	ck_assert_str_eq(place.file, "/usr/include/vector");
	free(place.file);
	frame[1].line = frame[2].line = frame[3].line = 0;
	ck_assert_ptr_null(check_place_of(&stack, "/src").file);
}
END_TEST

static const struct {
	const char *text;
	double value; /* below 0: it is none */
	enum amount_unit unit;
} amounts[] = {
	{ "0", 0, AMOUNT_PLAIN },
	{ "1200", 1200, AMOUNT_PLAIN },
	{ "2.5", 2.5, AMOUNT_PLAIN },
	{ "3 MiB", 3145728, AMOUNT_BYTES },
	{ "3MiB", 3145728, AMOUNT_BYTES },
	{ "1 kB", 1000, AMOUNT_BYTES },
	{ "1 KiB", 1024, AMOUNT_BYTES },
	{ "2 TiB", 2199023255552, AMOUNT_BYTES },
	{ "7 B", 7, AMOUNT_BYTES },
	{ "30%", 0.3, AMOUNT_PERCENT },
	{ "0 %", 0, AMOUNT_PERCENT },
	{ "9007199254740992", 9007199254740992, AMOUNT_PLAIN },
	{ "", -1, AMOUNT_PLAIN },
	{ "-1", -1, AMOUNT_PLAIN },
	{ "+1", -1, AMOUNT_PLAIN },
	{ " 1", -1, AMOUNT_PLAIN },
	{ ".5", -1, AMOUNT_PLAIN },
	{ "1e3", -1, AMOUNT_PLAIN },
	{ "1,200", -1, AMOUNT_PLAIN },
	{ "0x10", -1, AMOUNT_PLAIN },
	{ "nan", -1, AMOUNT_PLAIN },
	{ "3 mib", -1, AMOUNT_PLAIN },
	{ "3 MiB ", -1, AMOUNT_PLAIN },
};

START_TEST(figures_have_units)
{
	for (size_t i = 0; i < sizeof(amounts) / sizeof(*amounts); i++) {
		struct amount amount;
		struct err err;
		const int ret = amount_parse(&amount, amounts[i].text, &err);

		ck_assert_msg((ret != 0) == (amounts[i].value < 0), "\"%s\"", amounts[i].text);
		if (ret)
			continue;
		ck_assert_msg(amount.value == amounts[i].value && amount.unit == amounts[i].unit,
			      "\"%s\" is %.17g", amounts[i].text, amount.value);
	}
}
END_TEST

Suite *check_place_suite(void)
{
	Suite *suite = suite_create("check_place");
	TCase *tcase = tcase_create("check_place");

	tcase_add_test(tcase, paths_are_from_the_root);
	tcase_add_test(tcase, the_innermost_below_the_root);
	tcase_add_test(tcase, figures_have_units);
	suite_add_tcase(suite, tcase);
	return suite;
}
