/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/unwind/rows.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "preload/jit_names.h"
#include "preload/modules.h"
#include "preload/store/ids.h"
#include "preload/sys/stack.h"
#include "preload/sys/sysmem.h"
#include "preload/unwind/cfi.h"
#include "preload/unwind/eh_pages.h"
#include "preload/unwind/jit.h"
#include "preload/unwind/object.h"

#define TABLE_ENTRIES_FIRST 2048u
#define KEY_FORGOTTEN (~0ull)

/* A table that is three quarters full is followed by one twice as large; entries move along when
 * they are asked for. Old tables stay: a reader may be in them. More room would spare second looks,
 * but the rows that are used would lie in more lines of the cache. */
struct rows_table *_Atomic rows_newest;
_Atomic uint64_t rows_version;
static _Atomic uint32_t process; /* how often rows_init was called: a fork child's is another */
static struct link_map *own_map;

/* What does not fit into a packed row; block b has MORE_FIRST << b of them. A fork child goes on in
 * its parent's, which kept stacks may mean. */
#define MORE_FIRST 256u
#define MORE_BLOCKS 17u
/* The last block is for those who add at once when all else is full. */
#define MORE_MAX (MORE_FIRST * ((1u << (MORE_BLOCKS - 1)) - 1))
struct more {
	struct row row;
	uint32_t no_object;
};
static struct more *_Atomic more_block[MORE_BLOCKS];
static _Atomic uint32_t more_next = 1; /* 0 is none */

static size_t table_bytes(uint32_t entries)
{
	return sizeof(struct rows_table) + entries * sizeof(struct row_entry);
}

static struct rows_table *table_new(uint32_t entries, struct rows_table *older)
{
	struct rows_table *t = sysmem_new(table_bytes(entries));

	if (t) {
		t->mask = entries - 1;
		t->older = older;
	}
	return t;
}

void rows_init(void)
{
	struct rows_table *table = table_new(TABLE_ENTRIES_FIRST, NULL),
			  *inherited = atomic_load(&rows_newest);
	struct dl_find_object own;

	if (!table && inherited) { /* a fork child that gets no memory */
		memset(inherited, 0, table_bytes(0));
		memset(inherited->entry, 0, TABLE_ENTRIES_FIRST * sizeof(*inherited->entry));
		inherited->mask = TABLE_ENTRIES_FIRST - 1;
		table = inherited;
	}
	if (_dl_find_object((void *)(uintptr_t)rows_init, &own) == 0)
		own_map = own.dlfo_link_map;
	atomic_store(&rows_newest, table);
	eh_pages_init();
	atomic_fetch_add(&process, 1);
	atomic_fetch_and(&rows_version, ~ROWS_CLOSING);
}

void rows_forget(uint64_t start, uint64_t end)
{
	struct rows_table *t;
	uint32_t i;

	for (t = atomic_load(&rows_newest); t; t = t->older)
		for (i = 0; i <= t->mask; i++) {
			uint64_t key = __atomic_load_n(&t->entry[i].key, __ATOMIC_ACQUIRE);

			/* no pc makes this key; the place stays claimed, for a reader may be in it
			 */
			if (key >> 1 >= start && key >> 1 < end)
				__atomic_store_n(&t->entry[i].key, KEY_FORGOTTEN, __ATOMIC_RELEASE);
		}
	rows_are_void();
}

void rows_are_void(void)
{
	atomic_fetch_add(&rows_version, ROWS_CLOSING + 1);
}

uint32_t rows_close_begins(void)
{
	atomic_fetch_add(&rows_version, 1);
	return atomic_load(&process);
}

void rows_close_ends(uint32_t begun)
{
	if (begun == atomic_load(&process))
		atomic_fetch_sub(&rows_version, 1);
}

static unsigned more_block_of(uint32_t number)
{
	return 31 - (unsigned)__builtin_clz(number / MORE_FIRST + 1);
}

static struct more *more_at(struct more *block, uint32_t number)
{
	return &block[number - MORE_FIRST * ((1u << more_block_of(number)) - 1)];
}

/* 0 when there is no memory. */
static uint32_t more_add(const struct row *row, uint32_t no_object)
{
	struct more *block, *none = NULL;
	uint32_t number;
	unsigned b;
	size_t bytes;

	if (atomic_load_explicit(&more_next, memory_order_relaxed) > MORE_MAX)
		return 0;
	number = atomic_fetch_add_explicit(&more_next, 1, memory_order_relaxed);
	b = more_block_of(number);
	bytes = (MORE_FIRST << b) * sizeof(struct more);
	block = atomic_load_explicit(&more_block[b], memory_order_acquire);
	if (!block) {
		block = sysmem_new(bytes);
		if (!block)
			return 0;
		if (!atomic_compare_exchange_strong(&more_block[b], &none, block)) {
			sysmem_free(block, bytes);
			block = none;
		}
	}
	*more_at(block, number) = (struct more){ *row, no_object };
	return number;
}

static const struct more *more_get(uint32_t number)
{
	return more_at(
		atomic_load_explicit(&more_block[more_block_of(number)], memory_order_acquire),
		number);
}

struct row rows_other(struct packed_row p)
{
	return packed_more(p) ? more_get(packed_more(p))->row
			      : (struct row){ .kind = packed_kind(p) };
}

uint32_t rows_no_object(struct packed_row p)
{
	if (packed_is_step(p))
		return 0;
	if (packed_more(p))
		return more_get(packed_more(p))->no_object;
	return p.bits & PACKED_IS_UNKNOWN ? ROWS_UNKNOWN : 0;
}

/* None when there is no memory. */
static struct packed_row pack(uint32_t id, const struct row *row, uint32_t no_object)
{
	const struct packed_row step = packed_of_step(id, row);
	uint32_t more = 0;

	if (!no_object && step.bits)
		return step;
	if (row->kind == ROW_STEP || no_object > ROWS_UNKNOWN) {
		more = more_add(row, no_object);
		if (!more)
			return (struct packed_row){ 0 };
	}
	return packed_other(id, row->kind, no_object == ROWS_UNKNOWN, more);
}

/* Is what holds the address still what held it when the entry was made? */
static __attribute__((noinline)) int is_true_still(uint32_t no_object, uint64_t key)
{
	const uint64_t address = (key >> 1) - !(key & 1);
	struct dl_find_object object;

	if (_dl_find_object((void *)address, &object) == 0)
		return 0;
	if (no_object == ROWS_UNKNOWN)
		return !jit_covers(address);
	return jit_is_there(no_object);
}

/* The place after `at` for a key of that hash: the rest of its line first. */
static uint32_t next_place(uint32_t at, uint32_t tries)
{
	const uint32_t line = ROWS_LINE - 1;

	return (at & ~line) + ((at + 1) & line) + (tries % ROWS_LINE == line ? ROWS_LINE : 0);
}

static __attribute__((noinline)) struct packed_row find(const struct rows_table *t, uint64_t key)
{
	uint32_t at = rows_hash(key) & t->mask, tries;

	for (tries = 0; tries <= t->mask; tries++) {
		const struct row_entry *e = &t->entry[at];

		if (__builtin_expect(__atomic_load_n(&e->key, __ATOMIC_ACQUIRE) == key, 1))
			return e->row;
		if (!__atomic_load_n(&e->row.bits, __ATOMIC_RELAXED))
			break;
		at = next_place(at, tries) & t->mask;
	}
	return (struct packed_row){ 0 };
}

static struct packed_row insert(struct rows_table *t, uint64_t key, struct packed_row row)
{
	uint32_t at = rows_hash(key) & t->mask, tries;

	for (tries = 0; row.bits && tries <= t->mask; tries++) {
		struct row_entry *e = &t->entry[at];
		uint64_t unclaimed = 0;

		if (__atomic_compare_exchange_n(&e->row.bits, &unclaimed, row.bits, 0,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
			__atomic_store_n(&e->key, key, __ATOMIC_RELEASE);
			atomic_fetch_add_explicit(&t->count, 1, memory_order_relaxed);
			return row;
		}
		at = next_place(at, tries) & t->mask;
	}
	return (struct packed_row){ 0 };
}

static int has_room(const struct rows_table *t)
{
	const uint32_t entries = t->mask + 1;

	return atomic_load_explicit(&t->count, memory_order_relaxed) < entries - entries / 4;
}

static struct rows_table *with_room(void)
{
	struct rows_table *t = atomic_load_explicit(&rows_newest, memory_order_acquire), *larger;
	uint32_t entries;

	if (!t)
		return NULL;
	if (has_room(t))
		return t;
	entries = t->mask + 1;
	larger = table_new(entries * 2, t);
	if (!larger) /* a slow one is better than none */
		return atomic_load(&t->count) < entries - entries / 16 ? t : NULL;
	if (atomic_compare_exchange_strong(&rows_newest, &t, larger))
		return larger;
	sysmem_free(larger, table_bytes(entries * 2));
	return t;
}

/* Not in the newest table; old is what an older one has. */
static struct packed_row make(uint64_t key, struct packed_row old, int is_private)
{
	struct dl_find_object object;
	struct row row = { .kind = ROW_NO_CFI };
	struct eh_section section;
	const uint64_t pc = key >> 1;
	const int exact = key & 1;
	uint32_t no_object = 0;
	struct rows_table *room;
	uint32_t id;
	int known;

	room = with_room();
	if (!room)
		return old;
	if (old.bits && (!rows_no_object(old) || is_true_still(rows_no_object(old), key)))
		return insert(room, key, old);
	known = _dl_find_object((void *)(pc - !exact), &object) == 0;
	if (known) {
		modules_note(&object);
		object_widen(&object);
		cfi_row(pc, exact, &object, &row);
		if (is_private)
			eh_pages_were_read(pc - !exact, &object);
	} else if (pc == 0) {
		row.kind = ROW_END;
		no_object = ROWS_UNKNOWN;
	} else {
		no_object = jit_find(pc - !exact, &section);
		if (no_object)
			cfi_row_in(pc, exact, &section, &row);
		else
			no_object = ROWS_UNKNOWN;
	}
	if (known && object.dlfo_link_map == own_map)
		return insert(room, key, pack(XT_ID_NONE, &row, 0));
	id = ids_add(pc, modules_epoch(),
		     (exact ? XT_IDF_EXACT : 0) | (no_object ? XT_IDF_NO_MODULE : 0));
	if (id == XT_ID_NONE)
		return (struct packed_row){ 0 };
	if (no_object)
		jit_names_note(pc - !exact, id);
	return insert(room, key, pack(id, &row, no_object));
}

struct make_job {
	struct packed_row row;
	uint64_t key;
	int forget; /* what is known is void */
};

static void make_job(void *arg, int is_private)
{
	struct make_job *job = arg;

	if (job->forget) /* the one address: pc and pc - 1 are looked up alike */
		rows_forget(job->key >> 1, (job->key >> 1) + 1);
	job->row = make(job->key, job->row, is_private);
}

static __attribute__((noinline)) struct packed_row run_make(uint64_t key, struct packed_row old,
							    int forget)
{
	struct make_job job = { old, key, forget };

	stack_run(make_job, &job);
	return job.row;
}

/* In an older table, or new. */
static __attribute__((noinline)) struct packed_row get_elsewhere(struct rows_table *t, uint64_t key)
{
	const struct rows_table *older;
	struct packed_row row = { 0 };

	for (older = t->older; older && !row.bits; older = older->older)
		row = find(older, key);
	if (row.bits && !rows_no_object(row) && has_room(t))
		return insert(t, key, row);
	return run_make(key, row, 0);
}

static __attribute__((noinline)) struct packed_row get_by_search(struct rows_table *t, uint64_t key)
{
	const struct packed_row row = find(t, key);
	uint32_t no_object;

	if (__builtin_expect(!row.bits, 0))
		return get_elsewhere(t, key);
	no_object = rows_no_object(row);
	if (__builtin_expect(!no_object, 1) || is_true_still(no_object, key))
		return row;
	/* Code without a module has become a module's, or another registration's: what was
	 * known of it is void. */
	return run_make(key, (struct packed_row){ 0 }, 1);
}

struct packed_row rows_get_slow(uint64_t key)
{
	struct rows_table *t = atomic_load_explicit(&rows_newest, memory_order_acquire);
	uint32_t at, tries;

	if (!t || !key)
		return (struct packed_row){ 0 };
	/* the rest of the line, where nearly all others are */
	at = next_place(rows_hash(key) & t->mask, 0);
	for (tries = 1; tries < ROWS_LINE; tries++) {
		const struct row_entry *e = &t->entry[at];

		if (__atomic_load_n(&e->key, __ATOMIC_ACQUIRE) == key && packed_is_step(e->row))
			return e->row;
		at = next_place(at, tries);
	}
	return get_by_search(t, key);
}
