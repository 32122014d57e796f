/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/unwind/jit.h"

#include <stdatomic.h>
#include <stddef.h>

#include "preload/modules.h"
#include "preload/sys/peek.h"
#include "preload/sys/say.h"
#include "preload/sys/stack.h"
#include "preload/sys/sysmem.h"
#include "preload/unwind/rows.h"

#define SLOT_BITS 13u
#define SLOTS (1u << SLOT_BITS)
#define USES_MAX ((1u << (32 - SLOT_BITS)) - 1)
#define SECTION_BYTES_MAX (1u << 20)
#define SECTIONS_MAX 4096u /* of one table */
#define ROOM_LEAST 256u
#define POOL_BYTES (256u << 10)
#define WINDOW_BYTES 2048u

/* A token is the slot's number, and above it, from 1, the number of its use. */
struct slot {
	_Atomic uint32_t token; /* 0: not to be read */
	_Atomic uint32_t is_taken;
	uint32_t uses;
	uint64_t begin, number; /* what was registered, and its number in time */
	uint64_t start, end;    /* addresses covered */
	uint64_t moved, bytes, room;
	uint8_t *copy; /* `room` bytes; stays with the slot */
};

/* Memory for copies, handed out from the front. */
struct pool {
	uint64_t bytes;
	_Atomic uint64_t used;
};

static struct {
	struct slot *_Atomic slot; /* [SLOTS] */
	_Atomic uint32_t count;    /* slots ever taken */
	_Atomic uint64_t number;
	struct pool *_Atomic pool;
} jit;

static uint32_t slot_count(void)
{
	const uint32_t count = atomic_load_explicit(&jit.count, memory_order_acquire);

	return count < SLOTS ? count : SLOTS;
}

static struct slot *slots_make(void)
{
	struct slot *have = atomic_load(&jit.slot), *fresh;

	if (have)
		return have;
	fresh = sysmem_new(SLOTS * sizeof(*fresh));
	if (fresh && !atomic_compare_exchange_strong(&jit.slot, &have, fresh)) {
		sysmem_free(fresh, SLOTS * sizeof(*fresh));
		return have;
	}
	return fresh;
}

static void *pool_get(uint64_t bytes)
{
	for (;;) {
		struct pool *p = atomic_load(&jit.pool), *fresh;
		const uint64_t at = p ? atomic_fetch_add(&p->used, bytes) : 0;
		uint64_t size = POOL_BYTES;

		if (p && at + bytes <= p->bytes)
			return (uint8_t *)p + at;
		while (size < bytes + sizeof(*p))
			size *= 2;
		fresh = sysmem_new(size);
		if (!fresh)
			return NULL;
		fresh->bytes = size;
		atomic_store(&fresh->used, (sizeof(*p) + 63) & ~63ull);
		if (!atomic_compare_exchange_strong(&jit.pool, &p, fresh))
			sysmem_free(fresh, size);
	}
}

static bool take(struct slot *s)
{
	uint32_t free = 0;

	return atomic_compare_exchange_strong(&s->is_taken, &free, 1);
}

static void give_back(struct slot *s)
{
	atomic_store_explicit(&s->is_taken, 0, memory_order_release);
}

/* A slot with room for a copy, ours; or NULL. */
static struct slot *slot_take(uint64_t bytes)
{
	struct slot *slot = slots_make();
	uint64_t room = ROOM_LEAST;
	uint32_t i, count = slot_count();

	for (i = 0; slot && i < count; i++) {
		struct slot *s = &slot[i];

		if (atomic_load_explicit(&s->is_taken, memory_order_relaxed) || s->room < bytes ||
		    !take(s))
			continue;
		if (s->room >= bytes)
			return s;
		give_back(s);
	}
	i = slot ? atomic_fetch_add(&jit.count, 1) : SLOTS;
	if (i >= SLOTS - 1) { /* the last number is no slot's: the count may not run over */
		atomic_store(&jit.count, SLOTS - 1);
		return NULL;
	}
	while (room < bytes)
		room *= 2;
	if (!take(&slot[i]))
		return NULL;
	slot[i].copy = pool_get(room);
	slot[i].room = slot[i].copy ? room : 0;
	if (slot[i].copy)
		return &slot[i];
	give_back(&slot[i]);
	return NULL;
}

/* The bytes of a section, up to the zero that ends it. 0: it has none, or it cannot be read. */
static uint64_t section_bytes(uint64_t begin)
{
	uint8_t window[WINDOW_BYTES];
	uint64_t at = begin, from = begin, to = begin;

	while (at - begin <= SECTION_BYTES_MAX) {
		uint32_t length;

		if (at + sizeof(length) > to) {
			from = at;
			to = at + sys_peek(at, window, sizeof(window));
			if (at + sizeof(length) > to)
				return 0;
		}
		__builtin_memcpy(&length, window + (at - from), sizeof(length));
		if (!length)
			return at - begin;
		at += sizeof(length) + length;
	}
	return 0;
}

static void add(uint64_t section, uint64_t begin, uint64_t number)
{
	const uint64_t bytes = section_bytes(section);
	struct slot *s = bytes ? slot_take(bytes) : NULL;
	static _Atomic int is_said;
	struct eh_section copy;

	if (!s) {
		if (bytes && !atomic_exchange(&is_said, 1))
			say("more than 8191 registrations of unwind information at once: stacks "
			    "through the rest are truncated",
			    NULL);
		return;
	}
	s->begin = begin;
	s->number = number;
	s->bytes = bytes;
	s->moved = section - (uint64_t)(uintptr_t)s->copy;
	copy = (struct eh_section){ s->copy, s->copy + bytes, s->moved };
	if (sys_peek(section, s->copy, bytes) != bytes || !eh_extent(&copy, &s->start, &s->end)) {
		give_back(s);
		return;
	}
	s->uses = s->uses % USES_MAX + 1;
	atomic_store_explicit(&s->token,
			      s->uses << SLOT_BITS | (uint32_t)(s - atomic_load(&jit.slot)),
			      memory_order_release);
}

struct job {
	uint64_t begin;
	bool is_table;
};

static void register_job(void *arg, int is_private)
{
	const struct job *job = arg;
	const uint64_t number = atomic_fetch_add(&jit.number, 1) + 1;
	uint64_t section, i;

	if (!is_private)
		return;
	if (!job->is_table) {
		add(job->begin, job->begin, number);
		return;
	}
	for (i = 0; i < SECTIONS_MAX; i++) {
		if (sys_peek(job->begin + i * sizeof(section), &section, sizeof(section)) !=
			    sizeof(section) ||
		    !section)
			break;
		add(section, job->begin, number);
	}
}

void jit_register(const void *begin, bool is_table)
{
	struct job job = { (uint64_t)(uintptr_t)begin, is_table };

	if (begin)
		stack_run(register_job, &job);
}

void jit_deregister(const void *begin)
{
	struct slot *slot = atomic_load_explicit(&jit.slot, memory_order_acquire);
	const uint32_t count = slot ? slot_count() : 0;
	uint64_t last = 0;
	uint32_t i;

	for (i = 0; i < count; i++)
		if (atomic_load_explicit(&slot[i].token, memory_order_acquire) &&
		    slot[i].begin == (uint64_t)(uintptr_t)begin && slot[i].number > last)
			last = slot[i].number;
	if (!last)
		return;
	modules_new_epoch();
	for (i = 0; i < count; i++) {
		struct slot *s = &slot[i];
		uint32_t token = atomic_load_explicit(&s->token, memory_order_acquire);

		if (token && s->number == last &&
		    atomic_compare_exchange_strong(&s->token, &token, 0))
			give_back(s);
	}
	rows_are_void();
}

/* Some entry may cover it. */
static bool is_within(const struct slot *s, uint64_t address)
{
	return address - s->start < s->end - s->start;
}

uint32_t jit_find(uint64_t address, struct eh_section *section)
{
	const struct slot *slot = atomic_load_explicit(&jit.slot, memory_order_acquire);
	const uint32_t count = slot ? slot_count() : 0;
	struct eh_fde fde;
	uint32_t i;

	for (i = 0; i < count; i++) {
		const struct slot *s = &slot[i];
		const uint32_t token = atomic_load_explicit(&s->token, memory_order_acquire);

		if (!token || !is_within(s, address))
			continue;
		*section = (struct eh_section){ s->copy, s->copy + s->bytes, s->moved };
		if (eh_find_in(address, section, &fde) != EH_NONE && jit_is_there(token))
			return token;
	}
	return 0;
}

struct find_job {
	uint64_t address;
	uint32_t token;
};

static void find_job(void *arg, int is_private)
{
	struct find_job *job = arg;
	struct eh_section section;

	(void)is_private;
	job->token = jit_find(job->address, &section);
}

bool jit_covers(uint64_t address)
{
	const struct slot *slot = atomic_load_explicit(&jit.slot, memory_order_acquire);
	const uint32_t count = slot ? slot_count() : 0;
	struct find_job job = { address, 0 };
	uint32_t i;

	for (i = 0; i < count; i++)
		if (atomic_load_explicit(&slot[i].token, memory_order_acquire) &&
		    is_within(&slot[i], address)) {
			stack_run(find_job, &job);
			break;
		}
	return job.token != 0;
}

bool jit_is_there(uint32_t token)
{
	const struct slot *slot = atomic_load_explicit(&jit.slot, memory_order_acquire);

	atomic_thread_fence(memory_order_acquire);
	return slot && atomic_load_explicit(&slot[token & (SLOTS - 1)].token,
					    memory_order_relaxed) == token;
}
