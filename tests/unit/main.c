/* SPDX-License-Identifier: GPL-3.0-or-later */
/* limit: 280 seconds for tests/run: sanitizers on a busy machine. */
#include <check.h>
#include <stddef.h>
#include <stdlib.h>

#include "tests/unit/suites.h"

#define NAME_SUITE(name) name##_suite,

int main(void)
{
	Suite *(*const suite[])(void) = { SUITES(NAME_SUITE) };
	SRunner *runner = srunner_create(suite[0]());
	int failed;

	for (size_t i = 1; i < sizeof(suite) / sizeof(suite[0]); i++)
		srunner_add_suite(runner, suite[i]());
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
