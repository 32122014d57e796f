/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/modules.h"

#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "preload/real.h"
#include "preload/store/records.h"
#include "preload/sys/say.h"
#include "preload/sys/syscall.h"
#include "preload/sys/sysmem.h"
#include "preload/sys/text.h"
#include "preload/unwind/object.h"
#include "preload/unwind/unwind.h"
#include "preload/visible.h"

#define MODULES_MAX 8192u
#define SEGMENTS_MAX 16u
#define BUILD_ID_MAX 64u

#define START_NONE 0u  /* free, or unloaded: to be used again */
#define START_BUSY 1u  /* somebody fills it */
#define START_GOING 2u /* somebody found it gone: rows of its addresses are not void yet */

#define GOING_TRIES 1000 /* of a yield */

/* Addresses of a module, [start, end). */
struct range {
	uint64_t start, end;
};

struct known {
	_Atomic uintptr_t start;
	struct range range;
	struct link_map *map;
	uint32_t index;
};

static struct {
	const char *exe;
	_Atomic uint32_t epoch, count, indexes;
	struct known *known; /* [MODULES_MAX] */
} modules;

void modules_init(const char *exe)
{
	uint32_t i;

	modules.exe = exe;
	if (!modules.known)
		modules.known = sysmem_new(MODULES_MAX * sizeof(*modules.known));
	for (i = 0; modules.known && i < modules.count && i < MODULES_MAX; i++)
		modules.known[i].start = 0;
	modules.count = 0;
	modules.indexes = 0;
	modules.epoch = 0;
}

uint32_t modules_epoch(void)
{
	return atomic_load_explicit(&modules.epoch, memory_order_acquire);
}

static uint32_t known_count(void)
{
	uint32_t count = atomic_load_explicit(&modules.count, memory_order_acquire);

	return count < MODULES_MAX ? count : MODULES_MAX;
}

void modules_new_epoch(void)
{
	atomic_fetch_add_explicit(&modules.epoch, 1, memory_order_acq_rel);
}

/* The GNU build ID among the notes at [at, end). */
static uint32_t build_id_find(const uint8_t *at, const uint8_t *end, const uint8_t **id)
{
	while ((size_t)(end - at) >= sizeof(Elf64_Nhdr)) {
		const Elf64_Nhdr *note = (const Elf64_Nhdr *)(const void *)at;
		uint64_t name = ((uint64_t)note->n_namesz + 3) & ~3ull,
			 desc = ((uint64_t)note->n_descsz + 3) & ~3ull;

		at += sizeof(*note);
		if (name > (size_t)(end - at) || desc > (size_t)(end - at) - name)
			return 0;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    memcmp(at, "GNU", 4) == 0) {
			*id = at + name;
			return note->n_descsz <= BUILD_ID_MAX ? note->n_descsz : 0;
		}
		at += name + desc;
	}
	return 0;
}

static struct range write_record(uint32_t index, struct dl_find_object found)
{
	const struct dl_find_object *object = &found;
	const uint8_t *base, *end, *id = NULL;
	const Elf64_Ehdr *ehdr;
	const char *path = object->dlfo_link_map->l_name;
	struct xt_segment segment[SEGMENTS_MAX];
	struct xt_module module = {
		.index = index,
		.first_epoch = modules_epoch(),
		.load_bias = object->dlfo_link_map->l_addr,
	};
	struct records_piece piece[4] = { { &module, sizeof(module) } };
	uint32_t i;

	object_widen(&found);
	base = object->dlfo_map_start;
	end = object->dlfo_map_end;
	ehdr = (const Elf64_Ehdr *)(const void *)base;
	module.map_start = (uint64_t)base;
	module.map_end = (uint64_t)end;
	if (!path || !*path) {
		path = modules.exe;
		module.flags = 1;
	}
	/* The ELF header is mapped where the first segment begins, in every object but odd ones. */
	if ((size_t)(end - base) > sizeof(*ehdr) && memcmp(base, ELFMAG, SELFMAG) == 0 &&
	    ehdr->e_phentsize == sizeof(Elf64_Phdr) && ehdr->e_phoff < (size_t)(end - base) &&
	    ehdr->e_phnum <= ((size_t)(end - base) - ehdr->e_phoff) / sizeof(Elf64_Phdr)) {
		const Elf64_Phdr *phdr = (const Elf64_Phdr *)(const void *)(base + ehdr->e_phoff);

		module.entry = ehdr->e_entry;
		for (i = 0; i < ehdr->e_phnum; i++) {
			const uint8_t *at = (const uint8_t *)(module.load_bias + phdr[i].p_vaddr);

			if (phdr[i].p_type == PT_LOAD && module.segments < SEGMENTS_MAX)
				segment[module.segments++] =
					(struct xt_segment){ phdr[i].p_vaddr, phdr[i].p_memsz,
							     phdr[i].p_offset, phdr[i].p_flags, 0 };
			if (phdr[i].p_type == PT_NOTE && !id && at >= base && at < end &&
			    phdr[i].p_filesz <= (size_t)(end - at))
				module.build_id_bytes =
					build_id_find(at, at + phdr[i].p_filesz, &id);
		}
	}
	module.path_bytes = (uint32_t)text_length(path);
	piece[1] = (struct records_piece){ segment, module.segments * sizeof(*segment) };
	piece[2] = (struct records_piece){ id, module.build_id_bytes };
	piece[3] = (struct records_piece){ path, module.path_bytes };
	records_add(XT_RECORD_MODULE, piece, 4);
	return (struct range){ module.map_start, module.map_end };
}

/* A free entry, now ours. */
static struct known *entry_take(void)
{
	uint32_t count = known_count(), i;
	uintptr_t none = START_NONE;

	for (i = 0; i < count; i++, none = START_NONE)
		if (atomic_compare_exchange_strong(&modules.known[i].start, &none, START_BUSY))
			return &modules.known[i];
	i = atomic_fetch_add(&modules.count, 1);
	if (i >= MODULES_MAX)
		return NULL;
	atomic_store(&modules.known[i].start, START_BUSY);
	return &modules.known[i];
}

void modules_note(const struct dl_find_object *object)
{
	uint32_t count = known_count(), i;
	struct known *k;

	visible_check(); /* who opens a namespace allocates, and comes from code that is new here */
	if (!modules.known)
		return;
	for (i = 0; i < count; i++)
		if (atomic_load_explicit(&modules.known[i].start, memory_order_acquire) ==
			    (uintptr_t)object->dlfo_map_start &&
		    modules.known[i].map == object->dlfo_link_map)
			return;
	k = entry_take();
	if (!k) {
		say("more than 8192 modules at once: the rest has no names", NULL);
		return;
	}
	/* Two threads may note one module under two indexes: either names the same file. */
	k->map = object->dlfo_link_map;
	k->index = atomic_fetch_add(&modules.indexes, 1);
	k->range = write_record(k->index, *object);
	atomic_store_explicit(&k->start, (uintptr_t)object->dlfo_map_start, memory_order_release);
}

int modules_is_lasting(const struct link_map *map)
{
	const struct link_map *last = real_last_at_start();

	while (last && last != map)
		last = last->l_prev;
	return last != NULL;
}

/* Not known to be gone. An entry that is free, or being filled, is somebody else's. */
static int is_there(const struct known *k, uintptr_t start)
{
	struct dl_find_object now;

	if (start == START_GOING)
		return 0;
	return start == START_NONE || start == START_BUSY ||
	       (_dl_find_object((void *)start, &now) == 0 && now.dlfo_link_map == k->map &&
		(uintptr_t)now.dlfo_map_start == start);
}

int modules_are_there(void)
{
	uint32_t count = known_count(), i;

	for (i = 0; modules.known && i < count; i++)
		if (!is_there(&modules.known[i],
			      atomic_load_explicit(&modules.known[i].start, memory_order_acquire)))
			return 0;
	return 1;
}

/* Another thread is at it. Who goes on before it is done may take what comes to these addresses for
 * what was there. */
static void await_gone(const struct known *k)
{
	int tries;

	for (tries = 0; tries < GOING_TRIES &&
			atomic_load_explicit(&k->start, memory_order_acquire) == START_GOING;
	     tries++)
		sys_call0(SYS_sched_yield);
}

void modules_check(void)
{
	uint32_t count = known_count(), i;

	visible_check();
	for (i = 0; modules.known && i < count; i++) {
		struct known *k = &modules.known[i];
		uintptr_t start = atomic_load_explicit(&k->start, memory_order_acquire);

		if (is_there(k, start))
			continue;
		if (start == START_GOING)
			await_gone(k);
		else if (atomic_compare_exchange_strong(&k->start, &start, START_GOING)) {
			const struct xt_unload gone = { k->index, atomic_fetch_add_explicit(
									  &modules.epoch, 1,
									  memory_order_acq_rel) +
									  1 };
			const struct records_piece piece = { &gone, sizeof(gone) };

			records_add(XT_RECORD_UNLOAD, &piece, 1);
			unwind_forget_rows(k->range.start, k->range.end);
			atomic_store_explicit(&k->start, START_NONE, memory_order_release);
		}
	}
}
