/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/verify/stack_sums.h"

#include <stdlib.h>
#include <sys/random.h>

#include "analyzer/base/mem.h"
#include "preload/trace/format.h"

#define PRIME ((UINT64_C(1) << 61) - 1)

static uint64_t reduce(uint64_t x)
{
	x = (x & PRIME) + (x >> 61);
	return x >= PRIME ? x - PRIME : x;
}

static uint64_t times(uint64_t x, uint64_t y)
{
	const unsigned __int128 product = (unsigned __int128)x * y;

	return reduce((uint64_t)(product & PRIME) + (uint64_t)(product >> 61));
}

static struct stack_key key_times(struct stack_key x, struct stack_key y)
{
	return (struct stack_key){ times(x.a, y.a), times(x.b, y.b) };
}

static struct stack_key key_plus(struct stack_key x, struct stack_key y)
{
	return (struct stack_key){ reduce(x.a + y.a), reduce(x.b + y.b) };
}

static struct stack_key key_minus(struct stack_key x, struct stack_key y)
{
	return (struct stack_key){ reduce(x.a + PRIME - y.a), reduce(x.b + PRIME - y.b) };
}

static struct stack_key key_of(uint32_t frame)
{
	return (struct stack_key){ frame, frame };
}

void stack_sums_init(struct stack_sums *sums, uint32_t limit)
{
	uint64_t seed[2] = { (uintptr_t)sums, (uintptr_t)&limit };

	*sums = (struct stack_sums){ .limit = limit, .slot_mask = 1023 };
	sums->slot = xcalloc(sums->slot_mask + 1, sizeof(*sums->slot));
	if (getrandom(seed, sizeof(seed), GRND_NONBLOCK) < 0)
		seed[0] ^= seed[1] << 7; /* where there is none: addresses differ, too */
	/* Above any frame id, so that small stacks cannot meet by design. */
	sums->base.a = reduce(seed[0]) | UINT64_C(1) << 60;
	sums->base.b = reduce(seed[1]) | UINT64_C(1) << 59;
	sums->base_to_limit = key_of(1);
	for (uint32_t i = 0; i < limit; i++)
		sums->base_to_limit = key_times(sums->base_to_limit, sums->base);
}

void stack_sums_release(struct stack_sums *sums)
{
	free(sums->sum);
	free(sums->slot);
}

struct stack_key stack_sums_push(const struct stack_sums *sums, struct stack_key key,
				 uint32_t frame)
{
	return key_plus(key_times(key, sums->base), key_of(frame));
}

/* The slot of a key, or the free one where it belongs. */
static uint32_t *find_slot(const struct stack_sums *sums, struct stack_key key)
{
	uint32_t at = (uint32_t)(key.a ^ key.a >> 32) & sums->slot_mask;

	while (sums->slot[at]) {
		const struct stack_sum *sum = &sums->sum[sums->slot[at] - 1];

		if (sum->key.a == key.a && sum->key.b == key.b)
			break;
		at = (at + 1) & sums->slot_mask;
	}
	return &sums->slot[at];
}

static void grow(struct stack_sums *sums)
{
	free(sums->slot);
	sums->slot_mask = sums->slot_mask * 2 + 1;
	sums->slot = xcalloc((size_t)sums->slot_mask + 1, sizeof(*sums->slot));
	for (uint32_t i = 0; i < sums->count; i++)
		*find_slot(sums, sums->sum[i].key) = i + 1;
}

uint32_t stack_sums_index(struct stack_sums *sums, const struct stack_key *prefix,
			  const uint32_t *frame, uint32_t depth)
{
	const uint32_t marks = depth && frame[0] < XT_ID_FIRST;
	struct stack_key key = prefix[depth];
	uint32_t *slot;

	if (depth - marks > sums->limit) {
		key = key_minus(key, key_times(prefix[depth - sums->limit], sums->base_to_limit));
		key = key_plus(key, key_times(key_of(XT_ID_ELIDED), sums->base_to_limit));
	}
	slot = find_slot(sums, key);
	if (*slot)
		return *slot - 1;
	if (sums->count == sums->capacity) {
		sums->capacity = sums->capacity * 2 + 64;
		sums->sum = xreallocarray(sums->sum, sums->capacity, sizeof(*sums->sum));
	}
	sums->sum[sums->count++] = (struct stack_sum){
		.key = key,
		.leaf = depth ? frame[depth - 1] : XT_ID_NONE,
		.depth = depth - marks > sums->limit ? sums->limit + 1 : depth,
	};
	*slot = sums->count;
	if (sums->count > sums->slot_mask / 2)
		grow(sums);
	return sums->count - 1;
}

uint32_t stack_sums_find(const struct stack_sums *sums, const uint32_t *frame, uint32_t depth)
{
	struct stack_key key = { 0, 0 };
	uint32_t slot;

	for (uint32_t i = 0; i < depth; i++)
		key = stack_sums_push(sums, key, frame[i]);
	slot = *find_slot(sums, key);
	return slot ? slot - 1 : STACK_SUMS_NONE;
}
