/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/unwind/rows.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

#include "preload/jit_names.h"
#include "preload/modules.h"
#include "preload/store/ids.h"
#include "preload/sys/stack.h"
#include "preload/sys/sysmem.h"
#include "preload/unwind/cfi.h"
#include "preload/unwind/jit.h"
#include "preload/unwind/object.h"

#define TABLE_ENTRIES_FIRST 2048u
#define KEY_FORGOTTEN (~0ull)

/* A table that is three quarters full is followed by one four times as large; entries move along
 * when they are asked for. Old tables stay: a reader may be in them. */
struct rows_table *_Atomic rows_newest;
_Atomic uint64_t rows_version;
static _Atomic uint32_t process; /* how often rows_init was called: a fork child's is another */
static struct link_map *own_map;

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
	struct dl_find_object own;

	if (_dl_find_object((void *)(uintptr_t)rows_init, &own) == 0)
		own_map = own.dlfo_link_map;
	atomic_store(&rows_newest, table_new(TABLE_ENTRIES_FIRST, NULL));
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

/* Is what holds the address still what held it when the entry was made? */
static __attribute__((noinline)) int is_true_still(const struct row_entry *e, uint64_t key)
{
	const uint64_t address = (key >> 1) - !(key & 1);
	struct dl_find_object object;

	if (_dl_find_object((void *)address, &object) == 0)
		return 0;
	if (e->no_object == ROWS_UNKNOWN)
		return !jit_covers(address);
	return jit_is_there(e->no_object);
}

static const struct row_entry *find(const struct rows_table *t, uint64_t key)
{
	uint32_t at = rows_hash(key) & t->mask, tries;

	for (tries = 0; tries <= t->mask; tries++, at = (at + 1) & t->mask) {
		const struct row_entry *e = &t->entry[at];

		if (__builtin_expect(__atomic_load_n(&e->key, __ATOMIC_ACQUIRE) == key, 1))
			return e;
		if (!__atomic_load_n(&e->claim, __ATOMIC_RELAXED))
			return NULL;
	}
	return NULL;
}

static const struct row_entry *insert(struct rows_table *t, uint64_t key, uint32_t id,
				      const struct row *row, uint32_t no_object)
{
	uint32_t at = rows_hash(key) & t->mask, tries;

	for (tries = 0; tries <= t->mask; tries++, at = (at + 1) & t->mask) {
		struct row_entry *e = &t->entry[at];
		uint32_t unclaimed = 0;

		if (!__atomic_compare_exchange_n(&e->claim, &unclaimed, 1, 0, __ATOMIC_RELAXED,
						 __ATOMIC_RELAXED))
			continue;
		e->id = id;
		e->row = *row;
		e->no_object = no_object;
		__atomic_store_n(&e->key, key, __ATOMIC_RELEASE);
		atomic_fetch_add_explicit(&t->count, 1, memory_order_relaxed);
		return e;
	}
	return NULL;
}

static struct rows_table *with_room(void)
{
	struct rows_table *t = atomic_load_explicit(&rows_newest, memory_order_acquire), *larger;
	uint32_t entries;

	if (!t)
		return NULL;
	entries = t->mask + 1;
	if (atomic_load_explicit(&t->count, memory_order_relaxed) < entries - entries / 4)
		return t;
	larger = table_new(entries * 4, t);
	if (!larger)
		return NULL;
	if (atomic_compare_exchange_strong(&rows_newest, &t, larger))
		return larger;
	sysmem_free(larger, table_bytes(entries * 4));
	return t;
}

/* Not in the newest table: in an older one, or new. */
static const struct row_entry *make(const struct rows_table *t, uint64_t key)
{
	const struct row_entry *e = NULL;
	struct dl_find_object object;
	struct row row = { .kind = ROW_NO_CFI };
	struct eh_section section;
	const uint64_t pc = key >> 1;
	const int exact = key & 1;
	uint32_t no_object = 0;
	struct rows_table *room;
	uint32_t id;
	int known;

	for (t = t ? t->older : NULL; t && !e; t = t->older)
		e = find(t, key);
	room = with_room();
	if (!room)
		return e;
	if (e && (!e->no_object || is_true_still(e, key)))
		return insert(room, key, e->id, &e->row, e->no_object);
	known = _dl_find_object((void *)(pc - !exact), &object) == 0;
	if (known) {
		modules_note(&object);
		object_widen(&object);
		cfi_row(pc, exact, &object, &row);
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
		return insert(room, key, XT_ID_NONE, &row, 0);
	id = ids_add(pc, modules_epoch(),
		     (exact ? XT_IDF_EXACT : 0) | (no_object ? XT_IDF_NO_MODULE : 0));
	if (id == XT_ID_NONE)
		return NULL;
	if (no_object)
		jit_names_note(pc - !exact, id);
	return insert(room, key, id, &row, no_object);
}

struct make_job {
	const struct rows_table *table;
	const struct row_entry *entry;
	uint64_t key;
	int forget; /* what is known is void */
};

static void make_job(void *arg, int is_private)
{
	struct make_job *job = arg;

	(void)is_private;
	if (job->forget) /* the one address: pc and pc - 1 are looked up alike */
		rows_forget(job->key >> 1, (job->key >> 1) + 1);
	job->entry = make(job->table, job->key);
}

static __attribute__((noinline)) const struct row_entry *run_make(const struct rows_table *t,
								  uint64_t key, int forget)
{
	struct make_job job = { t, NULL, key, forget };

	stack_run(make_job, &job);
	return job.entry;
}

const struct row_entry *rows_get_slow(uint64_t key)
{
	const struct rows_table *t = atomic_load_explicit(&rows_newest, memory_order_acquire);
	const struct row_entry *e = t && key ? find(t, key) : NULL;

	if (__builtin_expect(e != NULL, 1)) {
		if (__builtin_expect(!e->no_object, 1) || is_true_still(e, key))
			return e;
		/* Code without a module has become a module's, or another registration's: what was
		 * known of it is void. */
		return run_make(t, key, 1);
	}
	return key ? run_make(t, key, 0) : NULL;
}
