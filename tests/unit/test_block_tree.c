/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verify's map of blocks against a sorted array. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/verify/block_tree.h"
#include "tests/unit/replayed.h"
#include "tests/unit/suites.h"

#define PLACES 20000 /* addresses, 16 bytes apart: more than the leaves of three levels hold */

static uint64_t addr_of(uint32_t place)
{
	return 0x10000 + 16 * (uint64_t)place;
}

static void add(struct block_tree *tree, uint8_t *is_there, uint32_t place)
{
	const struct held held = { .addr = addr_of(place), .size = place };

	block_tree_add(tree, &held);
	is_there[place] = 1;
}

static void take_away(struct block_tree *tree, uint8_t *is_there, uint32_t place)
{
	block_tree_remove(tree, addr_of(place));
	is_there[place] = 0;
}

static void check_place(const struct block_tree *tree, const uint8_t *is_there, uint32_t place)
{
	/* Between two addresses, too. */
	for (uint64_t addr = addr_of(place); addr < addr_of(place) + 16; addr += 15) {
		const struct neighbours around = block_tree_around(tree, addr);
		const struct held *at = block_tree_at(tree, addr);
		uint32_t low = place + 1, high = place + 1;

		while (low && !is_there[low - 1])
			low--;
		while (high < PLACES && !is_there[high])
			high++;
		ck_assert((around.floor != NULL) == (low != 0));
		ck_assert((around.above != NULL) == (high != PLACES));
		if (low)
			ck_assert_uint_eq(around.floor->addr, addr_of(low - 1));
		if (low)
			ck_assert_uint_eq(around.floor->size, low - 1);
		if (high != PLACES)
			ck_assert_uint_eq(around.above->addr, addr_of(high));
		ck_assert((at != NULL) == (is_there[place] && addr == addr_of(place)));
	}
}

/* Grows until nearly all is there, shrinks until nearly nothing is, again and again. */
START_TEST(random_places)
{
	uint8_t *is_there = calloc(PLACES, 1);
	struct block_tree tree;
	uint64_t seed = (uint64_t)_i, count = 0;

	block_tree_init(&tree);
	for (uint32_t i = 0; i < 12 * PLACES; i++) {
		const uint32_t place = (uint32_t)(random_next(&seed) % PLACES);
		const int is_growing = i / (2 * PLACES) % 2 == 0;

		if (!is_there[place] && (is_growing || random_next(&seed) % 50 == 0)) {
			add(&tree, is_there, place);
			count++;
		} else if (is_there[place] && (!is_growing || random_next(&seed) % 50 == 0)) {
			take_away(&tree, is_there, place);
			count--;
		}
		if (i % 7 == 0)
			check_place(&tree, is_there, (uint32_t)(random_next(&seed) % PLACES));
		ck_assert_uint_eq(tree.count, count);
	}
	block_tree_release(&tree);
	free(is_there);
}
END_TEST

/* In order, up or down, and away again in either: 0 to 3. */
START_TEST(one_after_the_other)
{
	uint8_t *is_there = calloc(PLACES, 1);
	struct block_tree tree;

	block_tree_init(&tree);
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < PLACES; i++) {
			add(&tree, is_there, _i & 1 ? PLACES - 1 - i : i);
			if (i % 97 == 0)
				check_place(&tree, is_there, i);
		}
		for (uint32_t i = 0; i < PLACES; i++) {
			if (i % 97 == 0)
				check_place(&tree, is_there, i);
			take_away(&tree, is_there, _i & 2 ? PLACES - 1 - i : i);
		}
		check_place(&tree, is_there, PLACES / 2);
		ck_assert_uint_eq(tree.height, 0);
	}
	block_tree_release(&tree);
	free(is_there);
}
END_TEST

Suite *block_tree_suite(void)
{
	Suite *suite = suite_create("block_tree");
	TCase *tcase = tcase_create("block_tree");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, random_places, 0, 3);
	tcase_add_loop_test(tcase, one_after_the_other, 0, 4);
	suite_add_tcase(suite, tcase);
	return suite;
}
