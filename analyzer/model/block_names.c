/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/block_names.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/seed.h"

#define FIRST_CLASSES 1024u
#define NOTHING UINT32_MAX

/* Blocks that may stand for each other. */
struct block_class {
	struct block block; /* what each of them is */
	uint32_t last;      /* node of the one named last; NOTHING */
};

struct name_node {
	uint64_t name;
	uint32_t before; /* NOTHING; of a free node the next free one */
};

/* The latest block of a thread. */
struct latest_block {
	uint32_t class_number;
	bool is_live;
};

struct block_names {
	struct block_class *class_of; /* in the order of appearance */
	uint32_t classes, class_capacity;
	uint32_t *place; /* a hash: number of a class plus 1, 0: free */
	uint32_t places;
	uint64_t seed;
	struct name_node *node;
	uint32_t nodes, node_capacity, free_node;
	struct latest_block *latest; /* by thread */
	uint32_t threads;
};

struct block_names *block_names_new(void)
{
	struct block_names *names = xcalloc(1, sizeof(*names));

	names->seed = seed_make();
	names->places = FIRST_CLASSES * 2;
	names->place = xcalloc(names->places, sizeof(*names->place));
	names->free_node = NOTHING;
	return names;
}

void block_names_free(struct block_names *names)
{
	free(names->class_of);
	free(names->place);
	free(names->node);
	free(names->latest);
	free(names);
}

static uint32_t *find_place(const struct block_names *names, const struct block *block)
{
	const uint64_t who = seed_hash(names->seed, (uint64_t)block->stack << 32 | block->thread);
	uint32_t at = (uint32_t)seed_hash(who, block->size) & (names->places - 1);

	while (names->place[at]) {
		const struct block *other = &names->class_of[names->place[at] - 1].block;

		if (other->size == block->size && other->stack == block->stack &&
		    other->thread == block->thread)
			break;
		at = (at + 1) & (names->places - 1);
	}
	return &names->place[at];
}

static void grow_places(struct block_names *names)
{
	free(names->place);
	names->places *= 2;
	names->place = xcalloc(names->places, sizeof(*names->place));
	for (uint32_t i = 0; i < names->classes; i++)
		*find_place(names, &names->class_of[i].block) = i + 1;
}

static uint32_t class_number(struct block_names *names, const struct block *block)
{
	uint32_t *place = find_place(names, block);

	if (*place)
		return *place - 1;
	if (names->classes == names->class_capacity) {
		names->class_capacity = names->class_capacity * 2 + FIRST_CLASSES;
		names->class_of = xreallocarray(names->class_of, names->class_capacity,
						sizeof(*names->class_of));
	}
	names->class_of[names->classes] = (struct block_class){ .block = *block, .last = NOTHING };
	*place = ++names->classes;
	if (names->classes > names->places / 2)
		grow_places(names);
	return names->classes - 1;
}

static struct latest_block *latest_of(struct block_names *names, uint32_t thread)
{
	if (thread >= names->threads) {
		const uint32_t threads = thread * 2 + 16;

		names->latest = xreallocarray(names->latest, threads, sizeof(*names->latest));
		memset(names->latest + names->threads, 0,
		       (threads - names->threads) * sizeof(*names->latest));
		names->threads = threads;
	}
	return &names->latest[thread];
}

static uint32_t take_node(struct block_names *names)
{
	const uint32_t node = names->free_node;

	if (node != NOTHING) {
		names->free_node = names->node[node].before;
		return node;
	}
	if (names->nodes == names->node_capacity) {
		names->node_capacity += names->node_capacity / 2 + FIRST_CLASSES;
		names->node =
			xrealloclarge(names->node, names->node_capacity, sizeof(*names->node));
	}
	return names->nodes++;
}

void block_names_add(struct block_names *names, const struct block *block, uint64_t name)
{
	const uint32_t number = class_number(names, block), node = take_node(names);
	struct block_class *class_of = &names->class_of[number];

	names->node[node] = (struct name_node){ name, class_of->last };
	class_of->last = node;
	*latest_of(names, block->thread) = (struct latest_block){ number, true };
}

uint64_t block_names_take(struct block_names *names, const struct block *block, bool is_latest)
{
	const uint32_t number = class_number(names, block);
	struct latest_block *latest = latest_of(names, block->thread);
	uint32_t *link = &names->class_of[number].last, node;

	if (is_latest)
		latest->is_live = false;
	else if (latest->is_live && latest->class_number == number)
		link = &names->node[*link].before;
	node = *link;
	*link = names->node[node].before;
	names->node[node].before = names->free_node;
	names->free_node = node;
	return names->node[node].name;
}
