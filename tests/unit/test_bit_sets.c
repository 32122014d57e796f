/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets that are kept once: against sets of bits by themselves. */
#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/bit_sets.h"
#include "tests/unit/suites.h"

#define SETS 1000u
#define WORDS_MAX 4u

static uint64_t random_word(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

START_TEST(empty_set)
{
	struct bit_sets *sets = bit_sets_new(0);

	ck_assert_uint_eq(bit_sets_words(sets), 1);
	ck_assert_uint_eq(bit_sets_count(sets), 1);
	ck_assert_uint_eq(bit_sets_get(sets, 0)[0], 0);
	ck_assert_uint_eq(bit_sets_union(sets, 0, 0), 0);
	bit_sets_free(sets);
}
END_TEST

/* Few bits, so that many sets are equal. */
static void fill_words(uint64_t *words, size_t count, uint64_t *state)
{
	memset(words, 0, count * sizeof(*words));
	for (int i = 0; i < 3; i++)
		bit_set_put(words, random_word(state) % (count * 64) & ~UINT32_C(7));
}

START_TEST(random_sets)
{
	const uint32_t bits = _i ? WORDS_MAX * 64 : 64;
	struct bit_sets *sets = bit_sets_new(bits);
	const size_t words = bit_sets_words(sets);
	uint64_t state = 88172645463325252u;
	uint32_t number[SETS], equal = 0;

	ck_assert_uint_eq(words, bits / 64);
	for (uint32_t i = 0; i < SETS; i++) {
		uint64_t own[WORDS_MAX], both[WORDS_MAX];
		uint32_t other, united;

		fill_words(own, words, &state);
		number[i] = bit_sets_add(sets, own);
		ck_assert(!memcmp(bit_sets_get(sets, number[i]), own, words * sizeof(*own)));
		ck_assert_uint_eq(bit_sets_add(sets, own), number[i]);
		other = number[random_word(&state) % (i + 1)];
		for (size_t j = 0; j < words; j++)
			both[j] = own[j] | bit_sets_get(sets, other)[j];
		united = bit_sets_union(sets, number[i], other);
		ck_assert(!memcmp(bit_sets_get(sets, united), both, words * sizeof(*both)));
		ck_assert_uint_eq(bit_sets_add(sets, both), united);
		ck_assert_uint_eq(bit_sets_union(sets, other, number[i]), united);
	}
	for (uint32_t a = 0; a < bit_sets_count(sets); a += 17)
		for (uint32_t b = 0; b < a; b++)
			equal += !memcmp(bit_sets_get(sets, a), bit_sets_get(sets, b),
					 words * sizeof(uint64_t));
	ck_assert_uint_eq(equal, 0);
	bit_sets_free(sets);
}
END_TEST

Suite *bit_sets_suite(void)
{
	Suite *suite = suite_create("bit_sets");
	TCase *tcase = tcase_create("bit_sets");

	tcase_add_test(tcase, empty_set);
	tcase_add_loop_test(tcase, random_sets, 0, 2);
	suite_add_tcase(suite, tcase);
	return suite;
}
