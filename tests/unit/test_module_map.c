/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/trace/module_map.h"
#include "tests/unit/suites.h"

static void add(struct module_map *map, uint32_t index, uint32_t epoch, uint64_t start,
		uint64_t end)
{
	const struct module module = { .index = index, .first_epoch = epoch, .map_start = start,
				       .map_end = end, .path = strdup("m") };

	module_map_add(map, &module);
}

static int owner(const struct module_map *map, uint32_t epoch, uint64_t pc)
{
	const struct module *module = module_map_find(map, epoch, pc);

	return module ? (int)module->index : -1;
}

START_TEST(empty)
{
	struct module_map *map = module_map_new();

	module_map_unload(map, 3, 1);
	module_map_seal(map);
	ck_assert_uint_eq(module_map_count(map), 0);
	ck_assert_int_eq(owner(map, 1, 0x1000), -1);
	module_map_free(map);
}
END_TEST

/* The second module came to where the first had been; a third lies inside the range of a long
 * one. */
START_TEST(epochs_and_ranges)
{
	struct module_map *map = module_map_new();

	module_map_unload(map, 0, 5);
	add(map, 2, 1, 0x8000, 0x20000);
	add(map, 0, 1, 0x1000, 0x3000);
	add(map, 1, 6, 0x2000, 0x4000);
	add(map, 3, 7, 0x9000, 0xA000);
	module_map_seal(map);
	ck_assert_uint_eq(module_map_count(map), 4);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_eq(module_map_get(map, i)->index, i);
	ck_assert_uint_eq(module_map_get(map, 0)->unload_epoch, 5);
	ck_assert_uint_eq(module_map_get(map, 1)->unload_epoch, UINT32_MAX);
	ck_assert_int_eq(owner(map, 1, 0xFFF), -1);
	ck_assert_int_eq(owner(map, 1, 0x1000), 0);
	ck_assert_int_eq(owner(map, 0, 0x1000), -1);
	ck_assert_int_eq(owner(map, 4, 0x2FFF), 0);
	ck_assert_int_eq(owner(map, 4, 0x3000), -1);
	ck_assert_int_eq(owner(map, 5, 0x2FFF), -1);
	ck_assert_int_eq(owner(map, 6, 0x2FFF), 1);
	ck_assert_int_eq(owner(map, 6, 0x9800), 2);
	ck_assert_int_eq(owner(map, 7, 0x9800), 3);
	ck_assert_int_eq(owner(map, 7, 0xA000), 2);
	ck_assert_int_eq(owner(map, 7, 0x1FFFF), 2);
	ck_assert_int_eq(owner(map, 7, 0x20000), -1);
	module_map_free(map);
}
END_TEST

START_TEST(equal_indexes_are_one)
{
	struct module_map *map = module_map_new();

	add(map, 0, 4, 0x1000, 0x2000);
	add(map, 0, 2, 0x1000, 0x2000);
	add(map, 0, 3, 0x5000, 0x6000);
	module_map_unload(map, 0, 9);
	module_map_unload(map, 0, 8);
	module_map_seal(map);
	ck_assert_uint_eq(module_map_count(map), 1);
	ck_assert_uint_eq(module_map_get(map, 0)->first_epoch, 2);
	ck_assert_uint_eq(module_map_get(map, 0)->unload_epoch, 8);
	ck_assert_int_eq(owner(map, 2, 0x1800), 0);
	module_map_free(map);
}
END_TEST

Suite *module_map_suite(void)
{
	Suite *suite = suite_create("module_map");
	TCase *tcase = tcase_create("module_map");

	tcase_add_test(tcase, empty);
	tcase_add_test(tcase, epochs_and_ranges);
	tcase_add_test(tcase, equal_indexes_are_one);
	suite_add_tcase(suite, tcase);
	return suite;
}
