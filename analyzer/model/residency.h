/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The live blocks at a residency snapshot against the pages that were there. Blocks are replay's at
 * the snapshot's moment (moment.h). A block that was being handed out just then is not among them.
 *
 * Sums are exact to the byte for what the snapshot says. One by plain pagemap tells neither zero
 * nor huge pages apart: then what was read and never written counts as resident.
 */
#ifndef XALLOC_MODEL_RESIDENCY_H
#define XALLOC_MODEL_RESIDENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/moment.h"
#include "analyzer/trace/snapshot_log.h"

/* Of blocks: requested is resident, untouched and swapped together. */
struct residency_sum {
	uint64_t blocks, requested;
	uint64_t resident;  /* on pages that are there */
	uint64_t huge;      /* of these, on huge pages: maybe there for a neighbour's sake */
	uint64_t untouched; /* never written: no page, or the kernel's page of zeros */
	uint64_t zero;      /* of these, on the page of zeros */
	uint64_t swapped;
	/* Bytes of resident pages on which no live block is, shared out in equal parts among the
	 * blocks that lie on the page. */
	uint64_t held;
};

/* What a mapping is for, as far as the list of mappings and glibc's habits tell. */
enum residency_kind {
	RESIDENCY_HEAP,  /* [heap] */
	RESIDENCY_ARENA, /* glibc's further heaps: at multiples of 64 MiB, the rest of that reserved
			  */
	RESIDENCY_BLOCKS, /* anonymous, and live blocks lie in it */
	RESIDENCY_OTHER,  /* any other anonymous memory */
	RESIDENCY_STACK,  /* [stack] */
	RESIDENCY_FILE,   /* of files, private copies of their pages too */
	RESIDENCY_OWN,    /* the recorder's */
	RESIDENCY_KERNEL, /* [vdso] and the like */
	RESIDENCY_KINDS
};
const char *residency_kind_name(enum residency_kind kind);

/* Bytes of one kind. resident of HEAP, ARENA and BLOCKS is live, pinned and free together, but for
 * pages of files, which none of them has. */
struct residency_region {
	uint64_t mappings, size, resident, zero, swapped, huge;
	uint64_t live;   /* under live blocks, with what glibc adds to each */
	uint64_t pinned; /* free, on pages with live blocks */
	uint64_t free;   /* pages without any */
	uint64_t top;    /* of these, behind the last live block of the mapping */
};

struct residency_map {
	uint64_t start, end;
	enum residency_kind kind;
	uint64_t last_end; /* of the live blocks in it; 0: none */
	const char *path;  /* of the snapshot's text: up to the line's end; "\n": none */
	bool is_shared, is_readable;
};

struct residency_block {
	uint64_t addr, size, start, end; /* start to end: what it takes up */
	uint32_t stack;
};

struct residency {
	const struct snapshot *snapshot;
	const struct snapshot_log *log;
	bool is_glibc;
	struct residency_map *map; /* by address */
	size_t maps;
	struct residency_block *block;
	size_t blocks, room;
	struct residency_sum all, *stack; /* by the result's stacks, once the replay is over */
	size_t stacks;
	struct residency_region region[RESIDENCY_KINDS];
	struct moment moment; /* for the replay */
};

/* Borrows the log, and must stay where it is until the replay with its moment is over. is_glibc:
 * blocks have the sizes that its rule says. */
void residency_init(struct residency *r, const struct snapshot_log *log,
		    const struct snapshot *snapshot, bool is_glibc);
void residency_release(struct residency *r);

/* The snapshot with the most resident memory, of those that have pages; NULL: there is none. */
const struct snapshot *residency_highest(const struct snapshot_log *log);

/* What of the bytes from start to end is there: adds to all of sum but blocks, requested, held. */
void residency_measure(const struct snapshot *snapshot, uint64_t start, uint64_t end,
		       struct residency_sum *sum);

#endif
