/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/model/live_set.h"
#include "tests/unit/replayed.h"
#include "tests/unit/suites.h"

#define ADDRESSES 20000
#define OPERATIONS 100000

/* The simplest thing that can be right: is address i live, and what block is it. */
struct oracle {
	uint64_t addr[ADDRESSES];
	struct block block[ADDRESSES];
	bool is_live[ADDRESSES];
	uint64_t count;
};

static bool is_same(const struct block *a, const struct block *b)
{
	return a->size == b->size && a->stack == b->stack && a->thread == b->thread;
}

static uint32_t cells_of(const struct live_set *set, const struct live_page *page)
{
	const uint64_t *run = live_set_run(set, page);
	uint32_t cells = 0;

	if (!page->has_run)
		return 0;

	for (uint32_t i = 0; i < 1u << page->room; i++)
		cells += run[i] != 0;
	return cells;
}

static void compare(struct live_set *set, const struct oracle *oracle)
{
	uint64_t live = 0;

	ck_assert_uint_eq(set->count, oracle->count);
	for (int i = 0; i < ADDRESSES; i++) {
		struct block block;
		const bool is_there = live_set_get(set, oracle->addr[i], &block);

		if (is_there != oracle->is_live[i])
			ck_abort_msg("address %d is %sthere", i, is_there ? "" : "not ");
		if (is_there && !is_same(&block, &oracle->block[i]))
			ck_abort_msg("address %d has what is another's", i);
	}
	for (uint64_t i = 0; i < set->groups << LIVE_PAGE_BITS; i++) {
		const struct live_page *page = &set->group->page[i];

		if (page->live)
			ck_assert_uint_eq(cells_of(set, page), page->live);
		live += page->live;
	}
	ck_assert_uint_eq(live, oracle->count);
}

/* Mostly of one thread and small, as most are. */
static struct block any_block(uint64_t *seed)
{
	const uint64_t x = random_next(seed);
	const uint32_t thread = x % 200 ? 7 : (uint32_t)(x >> 40);

	return (struct block){ x % 300 ? x >> 33 : x, (uint32_t)(x >> 7), thread };
}

static void operate(struct live_set *set, struct oracle *oracle, int i, uint64_t *seed)
{
	struct block block = { 0 }, old;
	const bool is_there = live_set_get(set, oracle->addr[i], &block);

	if (is_there != oracle->is_live[i] || (is_there && !is_same(&block, &oracle->block[i])))
		ck_abort_msg("address %d is not what it should be", i);
	if (is_there && random_next(seed) % 8) {
		live_set_remove(set, oracle->addr[i]);
		oracle->count--;
		oracle->is_live[i] = false;
		return;
	}
	block = any_block(seed);
	if (live_set_put(set, oracle->addr[i], &block, &old) != is_there ||
	    (is_there && !is_same(&old, &oracle->block[i])))
		ck_abort_msg("address %d was not what it should be", i);
	oracle->block[i] = block;
	oracle->count += !is_there;
	oracle->is_live[i] = true;
}

/* Waves, so that it grows, and most of it is removed again. */
static void run(struct live_set *set, struct oracle *oracle, uint64_t seed)
{
	for (int n = 0; n < OPERATIONS; n++) {
		const int wave = (n / (OPERATIONS / 8)) % 2 ? ADDRESSES / 8 : ADDRESSES;
		const int i = (int)(random_next(&seed) % (uint64_t)wave);

		operate(set, oracle, i, &seed);
		if (n % (OPERATIONS / 20) == 0)
			compare(set, oracle);
	}
	for (int i = 0; i < ADDRESSES; i++) {
		while (oracle->is_live[i])
			operate(set, oracle, i, &seed);
	}
	compare(set, oracle);
	ck_assert_uint_eq(set->count, 0);
}

START_TEST(random_operations)
{
	struct oracle *oracle = calloc(1, sizeof(*oracle));
	struct live_set set;
	uint64_t seed = (uint64_t)_i;

	/* Like an allocator's, like a page's, like anything, as near as can be. */
	for (uint64_t i = 0; i < ADDRESSES; i++) {
		const uint64_t like[] = { 0x555500000000 + 32 * i, 0x7F0000000000 + 4096 * i,
					  random_next(&seed) | 1, 1 + i };

		oracle->addr[i] = like[_i % 4];
	}
	live_set_init(&set);
	run(&set, oracle, seed);
	live_set_release(&set);
	free(oracle);
}
END_TEST

/* The first and the last entry of the table are neighbours: groups whose home is at either end, so
 * that runs of them wrap around. Growing moves their homes, so this is at a size that does not. */
START_TEST(groups_that_wrap_around)
{
	enum { COUNT = 60, ROUNDS = 20000 };
	uint64_t addr[COUNT], seed = (uint64_t)_i, count = 0;
	bool is_live[COUNT] = { false };
	const struct block block = { 1, 2, 3 };
	struct live_set set;
	struct block old;

	live_set_init(&set);
	for (int i = 0; i < COUNT; i++) {
		uint64_t home;

		do {
			addr[i] = random_next(&seed) | 1;
			home = (uint64_t)(live_set_home(&set, live_set_key(addr[i])) - set.entry);
		} while (home > 3 && home < set.capacity - 20);
	}
	for (int n = 0; n < ROUNDS; n++) {
		const int i = (int)(random_next(&seed) % COUNT);

		if (is_live[i])
			live_set_remove(&set, addr[i]);
		else
			live_set_put(&set, addr[i], &block, &old);
		is_live[i] = !is_live[i];
		count += is_live[i] ? 1 : UINT64_MAX;
		for (int j = 0; j < COUNT; j++) {
			struct block found;

			if (live_set_get(&set, addr[j], &found) != is_live[j])
				ck_abort_msg("round %d, address %d", n, j);
		}
		ck_assert_uint_eq(set.count, count);
	}
	live_set_release(&set);
}
END_TEST

static uint64_t bytes_of(const struct live_set *set)
{
	return set->capacity * sizeof(*set->entry) + set->limit * sizeof(*set->group) +
	       set->store.next * sizeof(uint64_t);
}

/* All sizes that glibc has, so that pages hold from 128 blocks to less than one. */
START_TEST(at_most_48_bytes_a_block)
{
	const uint64_t step = 32 + (uint64_t)_i * (uint64_t)_i * 80;
	const struct block block = { 100, 1, (uint32_t)_i % 3 };
	struct live_set set;
	struct block old;

	live_set_init(&set);
	for (uint64_t i = 1; i <= 400000; i++) {
		live_set_put(&set, 0x7F0000000010 + i * step, &block, &old);
		if (i > 1024 && bytes_of(&set) > 48 * i)
			ck_abort_msg("%ju bytes for %ju blocks", (uintmax_t)bytes_of(&set),
				     (uintmax_t)i);
	}
	live_set_release(&set);
}
END_TEST

/* Full pages, behind each of which stand three with one block: they begin with as much room as the
 * full one had, less and less of it. */
START_TEST(at_most_48_bytes_a_block_behind_full_pages)
{
	const struct block block = { 10, 1, 0 };
	struct live_set set;
	struct block old;
	uint64_t count = 0;

	live_set_init(&set);
	for (uint64_t page = 1; page <= 8000; page++) {
		const uint64_t step = page % 4 ? 4096 : 32;

		for (uint64_t at = 0; at < 4096; at += step) {
			live_set_put(&set, 0x7F0000000000 + page * 4096 + at, &block, &old);
			count++;
		}
		if (count > 1024 && bytes_of(&set) > 48 * count)
			ck_abort_msg("%ju bytes for %ju blocks", (uintmax_t)bytes_of(&set),
				     (uintmax_t)count);
	}
	/* None is full any more. */
	for (uint64_t page = 8001; page <= 200000; page++, count++)
		live_set_put(&set, 0x7F0000000000 + page * 4096, &block, &old);
	ck_assert_uint_le(bytes_of(&set), 48 * count);
	live_set_release(&set);
}
END_TEST

/* The most that a block takes. */
START_TEST(one_block_a_group)
{
	const struct block block = { 10, 1, 0 };
	struct live_set set;
	struct block old;

	live_set_init(&set);
	for (uint64_t i = 1; i <= 100000; i++) {
		live_set_put(&set, i << 20, &block, &old);
		if (i > 1024 && bytes_of(&set) > 216 * i)
			ck_abort_msg("%ju bytes for %ju blocks", (uintmax_t)bytes_of(&set),
				     (uintmax_t)i);
	}
	live_set_release(&set);
}
END_TEST

/* Nine neighbours in a page that has no others: for the ninth there is no room in their line. */
START_TEST(at_most_48_bytes_a_block_in_clusters)
{
	const struct block block = { 10, 1, 0 };
	struct live_set set;
	struct block old, found;

	live_set_init(&set);
	for (uint64_t i = 0; i < 90000; i++) {
		const uint64_t addr = 0x7F0000000010 + i / 9 * 4096 + i % 9 * 16;

		live_set_put(&set, addr, &block, &old);
		ck_assert(live_set_get(&set, addr, &found));
		if (i > 1024 && bytes_of(&set) > 48 * i)
			ck_abort_msg("%ju bytes for %ju blocks", (uintmax_t)bytes_of(&set),
				     (uintmax_t)i);
	}
	for (uint64_t i = 0; i < 90000; i += 2)
		live_set_remove(&set, 0x7F0000000010 + i / 9 * 4096 + i % 9 * 16);
	for (uint64_t i = 0; i < 90000; i++)
		ck_assert_int_eq(
			live_set_get(&set, 0x7F0000000010 + i / 9 * 4096 + i % 9 * 16, &found),
			i % 2);
	live_set_release(&set);
}
END_TEST

/* Small blocks in pairs, each two far apart. */
START_TEST(at_most_48_bytes_a_block_in_pairs)
{
	const struct block block = { 10, 1, 0 };
	struct live_set set;
	struct block old;

	live_set_init(&set);
	for (uint64_t i = 2; i <= 200000; i++) {
		live_set_put(&set, 0x7F0000000010 + i / 2 * 8192 + i % 2 * 32, &block, &old);
		if (i > 1024 && bytes_of(&set) > 48 * i)
			ck_abort_msg("%ju bytes for %ju blocks", (uintmax_t)bytes_of(&set),
				     (uintmax_t)i);
	}
	live_set_release(&set);
}
END_TEST

/* One page, so that its run grows to all its granules and wraps around before. */
START_TEST(one_page)
{
	struct oracle *oracle = calloc(1, sizeof(*oracle));
	struct live_set set;
	uint64_t seed = (uint64_t)_i;

	for (uint64_t i = 0; i < ADDRESSES; i++)
		oracle->addr[i] = 0x7F0000000000 + (i << 40) + i % 13 * 4096;
	live_set_init(&set);
	for (int n = 0; n < OPERATIONS; n++) {
		const int most = n % 20000 < 10000 ? 256 : 12;
		const int i = (int)(random_next(&seed) % (uint64_t)most);

		oracle->addr[i] = 0x7F0000000000 + (uint64_t)(i * 89 % 256) * 16;
		operate(&set, oracle, i, &seed);
		ck_assert_uint_eq(cells_of(&set, live_set_page(&set, 0x7F0000000000)), set.count);
	}
	compare(&set, oracle);
	live_set_release(&set);
	free(oracle);
}
END_TEST

/* A program that goes through all its addresses with few blocks live. */
START_TEST(empty_pages_are_used_again)
{
	const struct block block = { 100, 1, 0 };
	struct live_set set;
	struct block old;

	live_set_init(&set);
	for (uint64_t i = 1; i <= 1000000; i++) {
		live_set_put(&set, i * 1040, &block, &old);
		if (i > 100)
			live_set_remove(&set, (i - 100) * 1040);
	}
	ck_assert_uint_eq(set.count, 100);
	ck_assert_uint_lt(bytes_of(&set), 65536);
	live_set_release(&set);
}
END_TEST

Suite *live_set_suite(void)
{
	Suite *suite = suite_create("live_set");
	TCase *tcase = tcase_create("live_set");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, random_operations, 0, 8);
	tcase_add_loop_test(tcase, groups_that_wrap_around, 0, 3);
	tcase_add_loop_test(tcase, at_most_48_bytes_a_block, 0, 10);
	tcase_add_test(tcase, at_most_48_bytes_a_block_behind_full_pages);
	tcase_add_test(tcase, at_most_48_bytes_a_block_in_pairs);
	tcase_add_test(tcase, at_most_48_bytes_a_block_in_clusters);
	tcase_add_test(tcase, one_block_a_group);
	tcase_add_loop_test(tcase, one_page, 0, 4);
	tcase_add_test(tcase, empty_pages_are_used_again);
	suite_add_tcase(suite, tcase);
	return suite;
}
