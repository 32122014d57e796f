/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/render/progress.h"
#include "tests/unit/suites.h"

#define SECOND UINT64_C(1000000000)

struct fixture {
	struct progress progress;
	FILE *out;
	char *text;
	size_t size;
};

static void setup(struct fixture *fixture)
{
	fixture->text = NULL;
	fixture->out = open_memstream(&fixture->text, &fixture->size);
	ck_assert_ptr_nonnull(fixture->out);
	progress_init(&fixture->progress, fixture->out, "reading a\033b", 7 * SECOND);
}

static void expect(struct fixture *fixture, const char *want)
{
	fflush(fixture->out);
	ck_assert_str_eq(fixture->text, want);
}

static void teardown(struct fixture *fixture)
{
	fclose(fixture->out);
	free(fixture->text);
}

START_TEST(short_work)
{
	struct fixture fixture;

	setup(&fixture);
	for (uint64_t i = 0; i < 20; i++)
		progress_tell(&fixture.progress, 7 * SECOND + i * SECOND / 10, i, 20);
	progress_clear(&fixture.progress);
	expect(&fixture, "");
	teardown(&fixture);
}
END_TEST

/* Five times a second from the third second on, and gone in the end. */
START_TEST(long_work)
{
	struct fixture fixture;

	setup(&fixture);
	progress_tell(&fixture.progress, 9 * SECOND, 1, 3);
	expect(&fixture, "\r\033[Kreading a?b: 33 %");
	progress_tell(&fixture.progress, 9 * SECOND + SECOND / 10, 2, 3);
	expect(&fixture, "\r\033[Kreading a?b: 33 %");
	progress_tell(&fixture.progress, 9 * SECOND + SECOND / 5, 3, 3);
	expect(&fixture, "\r\033[Kreading a?b: 33 %\r\033[Kreading a?b: 100 %");
	progress_clear(&fixture.progress);
	progress_clear(&fixture.progress);
	expect(&fixture, "\r\033[Kreading a?b: 33 %\r\033[Kreading a?b: 100 %\r\033[K");
	teardown(&fixture);
}
END_TEST

/* Of nothing there is no part, and of more than all no more. */
START_TEST(odd_numbers)
{
	struct fixture fixture;

	setup(&fixture);
	progress_tell(&fixture.progress, 20 * SECOND, 0, 0);
	expect(&fixture, "");
	progress_tell(&fixture.progress, 20 * SECOND, UINT64_MAX, 5);
	expect(&fixture, "\r\033[Kreading a?b: 100 %");
	progress_tell(&fixture.progress, 21 * SECOND, 1, UINT64_MAX);
	expect(&fixture, "\r\033[Kreading a?b: 100 %\r\033[Kreading a?b: 0 %");
	teardown(&fixture);
}
END_TEST

Suite *progress_suite(void)
{
	Suite *suite = suite_create("progress");
	TCase *tcase = tcase_create("progress");

	tcase_add_test(tcase, short_work);
	tcase_add_test(tcase, long_work);
	tcase_add_test(tcase, odd_numbers);
	suite_add_tcase(suite, tcase);
	return suite;
}
