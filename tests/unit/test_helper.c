/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>

#include "analyzer/base/helper.h"
#include "tests/unit/replayed.h"
#include "tests/unit/suites.h"

#define JOBS 50

struct counted {
	struct helper_job job; /* first */
	unsigned done;
	unsigned *all; /* of all jobs: two at once would lose some */
};

static void count(struct helper_job *job)
{
	struct counted *counted = (struct counted *)job;
	const unsigned all = *counted->all;

	counted->done++;
	for (volatile int i = 0; i < 200; i++)
		;
	*counted->all = all + 1;
}

/* Posted and waited for in any order each is done once, never two at a time; some are left. With a
 * thread (0) and without (1). */
START_TEST(each_once)
{
	enum { ROUNDS = 20000 };
	struct helper *helper = helper_new(count, !_i);
	struct counted job[JOBS] = { { .done = 0 } };
	unsigned want[JOBS] = { 0 }, all = 0, waited = 0;
	bool is_posted[JOBS] = { false };
	uint64_t seed = 1;

	for (int i = 0; i < JOBS; i++)
		job[i].all = &all;
	for (int n = 0; n < ROUNDS; n++) {
		const int i = (int)(random_next(&seed) % JOBS);

		if (is_posted[i]) {
			helper_wait(helper, &job[i].job);
			ck_assert_uint_eq(job[i].done, want[i]);
			ck_assert_int_eq(job[i].job.state, HELPER_IDLE);
			waited++;
		} else {
			helper_post(helper, &job[i].job);
			want[i]++;
		}
		is_posted[i] = !is_posted[i];
	}
	for (int i = 0; i < JOBS; i++) {
		if (is_posted[i] && i % 2) {
			helper_wait(helper, &job[i].job);
			waited++;
		}
	}
	helper_free(helper);
	ck_assert_uint_ge(all, waited);
	for (int i = 0; i < JOBS; i++)
		ck_assert_uint_le(want[i] - job[i].done, 1);
}
END_TEST

struct numbered {
	struct helper_job job; /* first */
	unsigned number;
	unsigned *next;
};

static void number(struct helper_job *job)
{
	struct numbered *numbered = (struct numbered *)job;

	for (volatile int i = 0; i < 2000; i++)
		;
	numbered->number = (*numbered->next)++;
}

/* With a thread they are done in the order in which they were posted, whichever is waited for. */
START_TEST(in_their_order)
{
	struct helper *helper = helper_new(number, true);
	struct numbered job[JOBS] = { { .number = 0 } };
	unsigned next = 0;

	for (int round = 0; helper_has_thread(helper) && round < 100; round++) {
		for (int i = 0; i < JOBS; i++) {
			job[i].next = &next;
			helper_post(helper, &job[i].job);
		}
		for (int i = JOBS; i--;)
			helper_wait(helper, &job[i].job);
		for (int i = 0; i < JOBS; i++)
			ck_assert_uint_eq(job[i].number, (unsigned)(round * JOBS + i));
	}
	helper_free(helper);
}
END_TEST

Suite *helper_suite(void)
{
	Suite *suite = suite_create("helper");
	TCase *tcase = tcase_create("helper");

	tcase_add_loop_test(tcase, each_once, 0, 2);
	tcase_add_test(tcase, in_their_order);
	suite_add_tcase(suite, tcase);
	return suite;
}
