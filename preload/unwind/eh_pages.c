/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/unwind/eh_pages.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

#include "preload/modules.h"
#include "preload/sys/syscall.h"
#include "preload/unwind/eh_frame.h"
#include "preload/unwind/eh_index.h"

#define PAGE 4096u
#define AROUND_BYTES (64u << 10) /* the kernel maps so much around a page that is read, or more */
#define PIECES_MAX 28u           /* that are read before all is given back, */
#define PIECES_LEAST 4u          /* or so many where each brings more */
#define PAGES_MAX (PIECES_MAX * AROUND_BYTES / PAGE)
#define ENTRIES_MAX 512u /* of pagemap, at a time */

/* Of pagemap's entries. */
#define ENTRY_PRESENT (1ull << 63)
#define ENTRY_SWAPPED (1ull << 62)
#define ENTRY_OF_FILE (1ull << 61)

/* The tables of one module: up to the end of .eh_frame that is known. */
struct read {
	const uint8_t *header, *header_end, *eh_frame, *eh_frame_end;
};

static struct {
	_Atomic int is_busy; /* who finds it so goes without */
	uint32_t pieces, modules;
	uint32_t pieces_max;
	uintptr_t piece[PIECES_MAX + 1]; /* numbers of AROUND_BYTES */
	struct read module[PIECES_MAX];
} pages;

void eh_pages_init(void)
{
	pages.pieces = pages.modules = 0;
	pages.pieces_max = PIECES_MAX;
	atomic_store(&pages.is_busy, 0);
}

/* Has the page nothing but what is in the file? */
static int is_clean(uint64_t entry)
{
	return !(entry & (ENTRY_PRESENT | ENTRY_SWAPPED)) || entry & ENTRY_OF_FILE;
}

/* The whole pages from start to end. Returns how many were resident. */
static uint32_t give_back(long pagemap, const uint8_t *start, const uint8_t *end)
{
	uint64_t entry[ENTRIES_MAX];
	uint64_t page = ((uintptr_t)start + PAGE - 1) / PAGE;
	const uint64_t last = (uintptr_t)end / PAGE;
	uint32_t resident = 0;
	long got, i, from;

	for (; page < last; page += (uint64_t)got) {
		const uint64_t left = last - page;

		got = sys_call4(SYS_pread64, pagemap, entry,
				(left < ENTRIES_MAX ? left : ENTRIES_MAX) * sizeof(*entry),
				page * sizeof(*entry));
		got /= (long)sizeof(*entry);
		if (got <= 0)
			break;
		for (i = 0; i < got; i++) {
			for (from = i; i < got && is_clean(entry[i]); i++)
				resident += entry[i] / ENTRY_PRESENT;
			if (i > from)
				sys_call3(SYS_madvise, (page + (uint64_t)from) * PAGE,
					  (uint64_t)(i - from) * PAGE, MADV_DONTNEED);
		}
	}
	return resident;
}

static void give_back_all(void)
{
	const int is_allowed = !sys_is_denied(SYS_pread64) && !sys_is_denied(SYS_madvise) &&
			       !sys_is_denied(SYS_close);
	const long pagemap = is_allowed ? sys_call4(SYS_openat, AT_FDCWD, "/proc/self/pagemap",
						    O_RDONLY | O_CLOEXEC, 0)
					: -EPERM;
	uint32_t i, resident = 0;

	for (i = 0; pagemap >= 0 && i < pages.modules; i++) {
		const struct read *r = &pages.module[i];

		resident += give_back(pagemap, r->header, r->header_end) +
			    give_back(pagemap, r->eh_frame, r->eh_frame_end);
	}
	if (pagemap >= 0)
		sys_call1(SYS_close, pagemap);
	pages.pieces = pages.modules = 0;
	if (resident > PAGES_MAX && pages.pieces_max > PIECES_LEAST)
		pages.pieces_max /= 2;
	else if (resident < PAGES_MAX / 2 && pages.pieces_max < PIECES_MAX)
		pages.pieces_max++;
}

static void note_piece(const void *at)
{
	const uintptr_t piece = (uintptr_t)at / AROUND_BYTES;
	uint32_t i;

	for (i = 0; i < pages.pieces && pages.piece[i] != piece; i++)
		;
	if (i == pages.pieces)
		pages.piece[pages.pieces++] = piece;
}

static void note_module(const struct eh_tables *t, const uint8_t *header)
{
	uint32_t i;

	for (i = 0; i < pages.modules; i++)
		if (pages.module[i].header == header) {
			if (t->end > pages.module[i].eh_frame_end)
				pages.module[i].eh_frame_end = t->end;
			return;
		}
	pages.module[pages.modules++] =
		(struct read){ header, (const uint8_t *)(t->header.table + t->header.entries),
			       t->header.eh_frame, t->end };
}

void eh_pages_were_read(uint64_t address, const struct dl_find_object *object)
{
	struct eh_tables t;

	if (!eh_tables_get(address, object, &t) || !modules_is_lasting(object->dlfo_link_map) ||
	    atomic_exchange(&pages.is_busy, 1))
		return;
	eh_index_make(t.header.table, t.header.entries);
	note_module(&t, object->dlfo_eh_frame);
	note_piece(t.place);
	note_piece(t.entry);
	if (pages.pieces >= pages.pieces_max)
		give_back_all();
	atomic_store(&pages.is_busy, 0);
}
