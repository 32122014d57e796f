/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/early.h"

#define POOL_BYTES (64u << 10)

/* Right before each block. */
struct early_head {
	uint64_t size, pc;
};

static _Alignas(16) uint8_t pool[POOL_BYTES];
static uint32_t used; /* before relocation there is one thread */

void *early_alloc(size_t size, size_t align, uint64_t pc)
{
	uintptr_t at = (uintptr_t)pool + used + sizeof(struct early_head);
	struct early_head *head;

	if (align < 16)
		align = 16;
	if (align > POOL_BYTES || size > POOL_BYTES)
		return NULL;
	at = (at + align - 1) & ~(uintptr_t)(align - 1);
	if (at + size > (uintptr_t)pool + POOL_BYTES)
		return NULL;
	head = (struct early_head *)at - 1;
	head->size = size;
	head->pc = pc;
	used = (uint32_t)((at + size + 15 - (uintptr_t)pool) & ~15u);
	return (void *)at;
}

int early_owns(const void *p)
{
	return (uintptr_t)p - (uintptr_t)pool < POOL_BYTES;
}

size_t early_size(const void *p)
{
	return ((const struct early_head *)p - 1)->size;
}

void early_each(void (*fn)(void *, uint64_t, uint64_t, uint64_t), void *arg)
{
	uint32_t at = 0;

	/* A block that was aligned further left a hole of zeros: heads lie on 16-byte steps, with a
	 * caller. */
	while (at < used) {
		const struct early_head *head =
			(const struct early_head *)(const void *)(pool + at);

		if (!head->pc) {
			at += 16;
			continue;
		}
		fn(arg, head->size, (uint64_t)(uintptr_t)(head + 1), head->pc);
		at += (uint32_t)((sizeof(*head) + head->size + 15) & ~15ull);
	}
}
