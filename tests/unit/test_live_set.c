/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/model/live_set.h"
#include "tests/unit/replayed.h"
#include "tests/unit/suites.h"

#define ADDRESSES 20000
#define OPERATIONS 100000

/* The simplest thing that can be right: is address i live, and with which size. */
struct oracle {
	uint64_t addr[ADDRESSES];
	uint64_t size[ADDRESSES];
	bool is_live[ADDRESSES];
	uint64_t count;
};

static void compare(const struct live_set *set, const struct oracle *oracle)
{
	uint64_t occupied = 0;

	ck_assert_uint_eq(set->count, oracle->count);
	for (int i = 0; i < ADDRESSES; i++) {
		const struct block *block = live_set_find(set, oracle->addr[i]);

		if (!block != !oracle->is_live[i])
			ck_abort_msg("address %d is %sthere", i, block ? "" : "not ");
		if (block && block->size != oracle->size[i])
			ck_abort_msg("address %d has the size of another", i);
	}
	for (uint64_t i = 0; i < set->capacity; i++)
		occupied += set->entry[i].addr != 0;
	ck_assert_uint_eq(occupied, oracle->count);
}

static void operate(struct live_set *set, struct oracle *oracle, int i, uint64_t size)
{
	struct block *block = live_set_find(set, oracle->addr[i]);

	if (!block != !oracle->is_live[i] || (block && block->size != oracle->size[i]))
		ck_abort_msg("address %d is not what it should be", i);
	if (block) {
		live_set_remove(set, block);
		oracle->count--;
	} else {
		block = live_set_add(set, oracle->addr[i]);
		block->size = size;
		oracle->size[i] = size;
		oracle->count++;
	}
	oracle->is_live[i] = !oracle->is_live[i];
}

/* Waves, so that it grows, and most of it is removed again. */
static void run(struct live_set *set, struct oracle *oracle, uint64_t seed)
{
	for (int n = 0; n < OPERATIONS; n++) {
		const int wave = (n / (OPERATIONS / 8)) % 2 ? ADDRESSES / 8 : ADDRESSES;
		const int i = (int)(random_next(&seed) % (uint64_t)wave);

		operate(set, oracle, i, random_next(&seed));
		if (n % (OPERATIONS / 20) == 0)
			compare(set, oracle);
	}
	for (int i = 0; i < ADDRESSES; i++) {
		if (oracle->is_live[i])
			operate(set, oracle, i, 0);
	}
	compare(set, oracle);
	ck_assert_uint_eq(set->count, 0);
}

START_TEST(random_operations)
{
	struct oracle *oracle = calloc(1, sizeof(*oracle));
	struct live_set set;
	uint64_t seed = (uint64_t)_i;

	/* Like an allocator's, like a page's, like anything. */
	for (uint64_t i = 0; i < ADDRESSES; i++) {
		const uint64_t like[] = { 0x555500000000 + 32 * i, 0x7F0000000000 + 4096 * i,
					  random_next(&seed) | 1 };

		oracle->addr[i] = like[_i % 3];
	}
	live_set_init(&set);
	run(&set, oracle, seed);
	live_set_release(&set);
	free(oracle);
}
END_TEST

/* Addresses whose home is at either end of the table: long runs, and such that wrap around. Growing
 * moves their homes, so this is at a size that does not grow. */
START_TEST(runs_that_wrap_around)
{
	enum { COUNT = 300, ROUNDS = 20000 };
	uint64_t addr[COUNT], seed = (uint64_t)_i, count = 0;
	bool is_live[COUNT] = { false };
	struct live_set set;

	live_set_init(&set);
	for (int i = 0; i < COUNT; i++) {
		do {
			addr[i] = random_next(&seed) | 1;
		} while (live_set_home(&set, addr[i]) > 3 &&
			 live_set_home(&set, addr[i]) < set.capacity - 20);
	}
	for (int n = 0; n < ROUNDS; n++) {
		const int i = (int)(random_next(&seed) % COUNT);

		if (is_live[i]) {
			live_set_remove(&set, live_set_find(&set, addr[i]));
			count--;
		} else {
			live_set_add(&set, addr[i]);
			count++;
		}
		is_live[i] = !is_live[i];
		for (int j = 0; j < COUNT; j += n % 50 ? 37 : 1) {
			if (!live_set_find(&set, addr[j]) != !is_live[j])
				ck_abort_msg("round %d, address %d", n, j);
		}
		ck_assert_uint_eq(set.count, count);
	}
	ck_assert_uint_eq(set.capacity, 1024);
	live_set_release(&set);
}
END_TEST

/* And one that grows out of them. */
START_TEST(growing_from_a_run_that_wraps_around)
{
	enum { COUNT = 5000 };
	uint64_t *addr = calloc(COUNT, sizeof(*addr)), seed = 7;
	struct live_set set;

	live_set_init(&set);
	for (int i = 0; i < COUNT; i++) {
		const bool is_at_end = i < 500;

		do {
			addr[i] = random_next(&seed) | 1;
		} while (is_at_end && live_set_home(&set, addr[i]) < set.capacity - 50);
		live_set_add(&set, addr[i])->size = (uint64_t)i;
	}
	ck_assert_uint_gt(set.capacity, COUNT);
	for (int i = 0; i < COUNT; i++) {
		const struct block *block = live_set_find(&set, addr[i]);

		ck_assert_ptr_nonnull(block);
		ck_assert_uint_eq(block->size, i);
	}
	live_set_release(&set);
	free(addr);
}
END_TEST

START_TEST(at_most_48_bytes_a_block)
{
	struct live_set set;

	live_set_init(&set);
	for (uint64_t i = 1; i <= 1000000; i++) {
		live_set_add(&set, i * 48);
		if (i > 1024 && set.capacity * sizeof(struct block) > 48 * i)
			ck_abort_msg("%ju entries for %ju blocks", (uintmax_t)set.capacity,
				     (uintmax_t)i);
	}
	live_set_release(&set);
}
END_TEST

Suite *live_set_suite(void)
{
	Suite *suite = suite_create("live_set");
	TCase *tcase = tcase_create("live_set");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, random_operations, 0, 6);
	tcase_add_loop_test(tcase, runs_that_wrap_around, 0, 3);
	tcase_add_test(tcase, growing_from_a_run_that_wraps_around);
	tcase_add_test(tcase, at_most_48_bytes_a_block);
	suite_add_tcase(suite, tcase);
	return suite;
}
