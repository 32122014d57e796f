/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/verify/step_blocks.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"

enum { NAMED = 4096, CLASSES = 128, FREED_MAX = 7, LARGEST = 2024, FAST = 8, LATE_MAX = 256 };

struct step_blocks {
	uint64_t returned; /* in all */
	struct {
		uint64_t addr;
		unsigned size_class;
	} last[NAMED]; /* in a circle */
	struct {
		unsigned count;
		uint64_t addr[FREED_MAX];
		uint64_t behind; /* of the last that was neither freed nor late */
	} freed[CLASSES];
	struct {
		unsigned count;
		uint64_t addr[LATE_MAX];
	} late[FAST + 1];
	uint64_t behind; /* of all classes */
};

static unsigned class_of(uint64_t size)
{
	if (size > LARGEST)
		return 0;
	return size < 25 ? 2 : (unsigned)((size + 23) / 16);
}

struct step_blocks *step_blocks_new(void)
{
	return xcalloc(1, sizeof(struct step_blocks));
}

void step_blocks_free(struct step_blocks *blocks)
{
	free(blocks);
}

void step_blocks_forget(struct step_blocks *blocks)
{
	blocks->returned = 0;
	blocks->behind = 0;
	for (int i = 0; i < CLASSES; i++) {
		blocks->freed[i].count = 0;
		blocks->freed[i].behind = 0;
	}
	for (int i = 0; i <= FAST; i++)
		blocks->late[i].count = 0;
}

uint64_t step_blocks_aged(const struct step_blocks *blocks, uint64_t age)
{
	if (!age || age > NAMED || age > blocks->returned)
		return 0;
	return blocks->last[(blocks->returned - age) % NAMED].addr;
}

void step_blocks_give_back(struct step_blocks *blocks, uint64_t age)
{
	const uint64_t number = (blocks->returned - age) % NAMED;
	const unsigned size_class = blocks->last[number].size_class;
	unsigned *const count = &blocks->freed[size_class].count;

	if (!size_class)
		return;
	if (*count < FREED_MAX)
		blocks->freed[size_class].addr[(*count)++] = blocks->last[number].addr;
	else if (size_class <= FAST && blocks->late[size_class].count < LATE_MAX)
		blocks->late[size_class].addr[blocks->late[size_class].count++] =
			blocks->last[number].addr;
}

uint64_t step_blocks_expected(const struct step_blocks *blocks, uint64_t size)
{
	const unsigned size_class = class_of(size), count = blocks->freed[size_class].count;

	if (count)
		return blocks->freed[size_class].addr[count - 1];
	if (size_class <= FAST && blocks->late[size_class].count)
		return blocks->late[size_class].addr[blocks->late[size_class].count - 1];
	return blocks->behind;
}

uint64_t step_blocks_near(const struct step_blocks *blocks, uint64_t size)
{
	const uint64_t behind = blocks->freed[class_of(size)].behind;

	return behind ? behind : blocks->behind;
}

void step_blocks_stayed(struct step_blocks *blocks, uint64_t addr, uint64_t size)
{
	const uint64_t number = blocks->returned++ % NAMED;

	blocks->last[number].addr = addr;
	blocks->last[number].size_class = class_of(size);
}

/* The stack of its class is empty: is the block the last that was freed late? */
static bool took_late(struct step_blocks *blocks, unsigned size_class, uint64_t addr)
{
	unsigned count = blocks->late[size_class].count;

	blocks->late[size_class].count = 0;
	if (!count || blocks->late[size_class].addr[count - 1] != addr)
		return false;
	for (count--; count && blocks->freed[size_class].count < FREED_MAX; count--)
		blocks->freed[size_class].addr[blocks->freed[size_class].count++] =
			blocks->late[size_class].addr[count - 1];
	blocks->late[size_class].count = count;
	return true;
}

void step_blocks_returned(struct step_blocks *blocks, uint64_t addr, uint64_t size)
{
	const unsigned size_class = class_of(size);
	const uint64_t chunk = size < 25 ? 32 : (size + 23) / 16 * 16;

	step_blocks_stayed(blocks, addr, size);
	for (unsigned i = blocks->freed[size_class].count; i-- > 0;)
		if (blocks->freed[size_class].addr[i] == addr) {
			blocks->freed[size_class].count = i;
			return;
		}
	if (size_class <= FAST && !blocks->freed[size_class].count &&
	    took_late(blocks, size_class, addr))
		return;
	blocks->behind = addr + chunk;
	blocks->freed[size_class].behind = addr + chunk;
}
