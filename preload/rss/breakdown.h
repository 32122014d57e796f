/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the resident memory of a process consists of, as /proc/PID/smaps has it (proc_pid_smaps(5)),
 * with mappings of the same kind and file in one row. Bytes throughout. The rows' rss sums to
 * smaps' exactly.
 */
#ifndef XALLOC_RSS_BREAKDOWN_H
#define XALLOC_RSS_BREAKDOWN_H

#include <stddef.h>
#include <stdint.h>

enum row_kind {
	ROW_HEAP,  /* [heap]: what brk gave */
	ROW_ARENA, /* the used part of a heap of glibc's further arenas: 64 MiB, aligned to it */
	ROW_ANONYMOUS,    /* no file, no name, of unknown origin; or a name by prctl */
	ROW_STACK,        /* [stack]: the main thread's */
	ROW_THREAD_STACK, /* anonymous above a guard page, made by pthread_create as far as it shows
			   */
	ROW_BSS,          /* anonymous behind a module's data, no longer than its headers say */
	ROW_FILE,         /* of a file */
	ROW_SHARED,       /* shared memory: memfd, SysV, /dev/shm, shared anonymous */
	ROW_HUGETLB,      /* of the huge page pool; no part of the RSS */
	ROW_VDSO,         /* what the kernel maps: [vdso], [vvar], ... */
	ROW_RESERVED,     /* anonymous without any access: guards, reserved addresses */
	ROW_OTHER,        /* the rest: anon_inode:..., ... */
	ROW_KINDS,
};

/* Fields of smaps that are kept, and what JSON calls them. In the order of the kernel's. */
#define ROW_FIELDS(X)                                                  \
	X(SIZE, "Size", "size_bytes")                                  \
	X(RSS, "Rss", "rss_bytes")                                     \
	X(PSS, "Pss", "pss_bytes")                                     \
	X(SHARED_CLEAN, "Shared_Clean", "shared_clean_bytes")          \
	X(SHARED_DIRTY, "Shared_Dirty", "shared_dirty_bytes")          \
	X(PRIVATE_CLEAN, "Private_Clean", "private_clean_bytes")       \
	X(PRIVATE_DIRTY, "Private_Dirty", "private_dirty_bytes")       \
	X(ANONYMOUS, "Anonymous", "anonymous_bytes")                   \
	X(LAZY_FREE, "LazyFree", "lazy_free_bytes")                    \
	X(ANON_HUGE, "AnonHugePages", "anon_huge_bytes")               \
	X(SHMEM_HUGE, "ShmemPmdMapped", "shmem_huge_bytes")            \
	X(FILE_HUGE, "FilePmdMapped", "file_huge_bytes")               \
	X(SHARED_HUGETLB, "Shared_Hugetlb", "shared_hugetlb_bytes")    \
	X(PRIVATE_HUGETLB, "Private_Hugetlb", "private_hugetlb_bytes") \
	X(SWAP, "Swap", "swap_bytes")                                  \
	X(SWAP_PSS, "SwapPss", "swap_pss_bytes")                       \
	X(LOCKED, "Locked", "locked_bytes")

#define ROW_FIELD_NAME(id, smaps, json) FIELD_##id,
enum row_field { ROW_FIELDS(ROW_FIELD_NAME) ROW_FIELD_COUNT };
#undef ROW_FIELD_NAME

struct row {
	enum row_kind kind;
	const char *name; /* the file's path, or the name in brackets; "" none. Never released */
	uint64_t mappings;
	uint64_t field[ROW_FIELD_COUNT];
};

struct breakdown {
	struct row *rows;
	size_t count, room;
};

/* "thread-stack", "file", ... */
const char *row_kind_name(enum row_kind kind);

/* The key in JSON. */
const char *row_field_key(enum row_field field);

/* Adds a mapping's fields to the row of its kind and name. Of names beyond 1,000 all go into one
 * row "others" of their kind. `name` must live on. */
void breakdown_add(struct breakdown *b, enum row_kind kind, const char *name,
		   const uint64_t field[ROW_FIELD_COUNT]);

/* The sum of a field over all rows. */
uint64_t breakdown_sum(const struct breakdown *b, enum row_field field);

/* By rss, the greatest first. */
void breakdown_sort(struct breakdown *b);

/* No rows; the room stays. */
void breakdown_clear(struct breakdown *b);

/* `to` has exactly the room that it needs, and what it had is released. */
void breakdown_copy(struct breakdown *to, const struct breakdown *from);

void breakdown_release(struct breakdown *b);

#endif
