/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/base/bit_sets.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/seed.h"

#define FIRST_ROOM 256u
#define UNIONS (1u << 16) /* remembered, one in each slot */

struct known_union {
	uint32_t a, b, is; /* is 0: none; the union of nothing is never asked here */
};

struct set_slot {
	uint32_t number; /* + 1; 0: free */
	uint32_t hash;
};

struct bit_sets {
	size_t words;
	uint64_t *word; /* of all sets, in their order */
	uint32_t count, room;
	struct set_slot *slot; /* open addressing, twice the room */
	uint64_t *scratch;     /* one set */
	struct known_union *known;
	uint64_t seed;
};

static uint64_t *get_words(const struct bit_sets *sets, uint32_t set)
{
	return sets->word + set * sets->words;
}

static uint32_t hash_words(const struct bit_sets *sets, const uint64_t *words)
{
	uint64_t hash = sets->seed;

	for (size_t i = 0; i < sets->words; i++)
		hash = seed_hash(hash, words[i]);
	return (uint32_t)(hash >> 32);
}

static bool is_in(const struct bit_sets *sets, const struct set_slot *slot, uint32_t hash,
		  const uint64_t *words)
{
	return slot->hash == hash &&
	       !memcmp(get_words(sets, slot->number - 1), words, sets->words * sizeof(*words));
}

/* The slot of the set, or the free one where it belongs. */
static struct set_slot *find_slot(const struct bit_sets *sets, uint32_t hash, const uint64_t *words)
{
	const uint32_t mask = sets->room * 2 - 1;
	uint32_t at = hash & mask;

	while (sets->slot[at].number && !is_in(sets, &sets->slot[at], hash, words))
		at = (at + 1) & mask;
	return &sets->slot[at];
}

static void move_slot(struct bit_sets *sets, struct set_slot slot)
{
	const uint32_t mask = sets->room * 2 - 1;
	uint32_t at = slot.hash & mask;

	while (sets->slot[at].number)
		at = (at + 1) & mask;
	sets->slot[at] = slot;
}

static size_t slot_bytes(uint32_t room)
{
	return 2 * (size_t)room * sizeof(struct set_slot);
}

static void set_room(struct bit_sets *sets, uint32_t room)
{
	struct set_slot *old = sets->slot;
	const uint32_t slots = sets->room * 2;

	sets->room = room;
	sets->word = xrealloclarge(sets->word, room, sets->words * sizeof(*sets->word));
	sets->slot = mem_map(slot_bytes(room), true);
	for (uint32_t i = 0; i < slots; i++)
		if (old[i].number)
			move_slot(sets, old[i]);
	if (old)
		mem_unmap(old, slot_bytes(slots / 2));
}

struct bit_sets *bit_sets_new(uint32_t bits)
{
	struct bit_sets *sets = xcalloc(1, sizeof(*sets));

	sets->words = bits ? (bits + 63) / 64 : 1;
	sets->seed = seed_make();
	sets->scratch = xcalloc(sets->words, sizeof(*sets->scratch));
	sets->known = xcalloc(UNIONS, sizeof(*sets->known));
	set_room(sets, FIRST_ROOM);
	bit_sets_add(sets, sets->scratch);
	return sets;
}

void bit_sets_free(struct bit_sets *sets)
{
	if (!sets)
		return;
	free(sets->known);
	free(sets->scratch);
	mem_unmap(sets->slot, slot_bytes(sets->room));
	free(sets->word);
	free(sets);
}

size_t bit_sets_words(const struct bit_sets *sets)
{
	return sets->words;
}

uint32_t bit_sets_count(const struct bit_sets *sets)
{
	return sets->count;
}

const uint64_t *bit_sets_get(const struct bit_sets *sets, uint32_t set)
{
	return get_words(sets, set);
}

uint32_t bit_sets_add(struct bit_sets *sets, const uint64_t *words)
{
	const uint32_t hash = hash_words(sets, words);
	struct set_slot *slot = find_slot(sets, hash, words);

	if (slot->number)
		return slot->number - 1;
	if (sets->count == sets->room) {
		if (sets->room > UINT32_MAX / 8)
			out_of_memory(0);
		set_room(sets, sets->room * 2);
		slot = find_slot(sets, hash, words);
	}
	memcpy(get_words(sets, sets->count), words, sets->words * sizeof(*words));
	*slot = (struct set_slot){ ++sets->count, hash };
	return sets->count - 1;
}

static uint32_t add_union(struct bit_sets *sets, uint32_t a, uint32_t b)
{
	const uint64_t *a_words = get_words(sets, a), *b_words = get_words(sets, b);
	uint64_t more = 0;

	for (size_t i = 0; i < sets->words; i++) {
		sets->scratch[i] = a_words[i] | b_words[i];
		more |= b_words[i] & ~a_words[i];
	}
	return more ? bit_sets_add(sets, sets->scratch) : a;
}

uint32_t bit_sets_union(struct bit_sets *sets, uint32_t a, uint32_t b)
{
	struct known_union *known;

	if (a == b || !b)
		return a;
	if (!a)
		return b;
	known = &sets->known[seed_hash(sets->seed, (uint64_t)a << 32 | b) >> 32 & (UNIONS - 1)];
	if (known->is && known->a == a && known->b == b)
		return known->is;
	*known = (struct known_union){ a, b, add_union(sets, a, b) };
	return known->is;
}
