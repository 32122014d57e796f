/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A row and the frame id of its address in one word, as the table of rows and the kept stacks have
 * it: four entries of the table share a line of the cache, and a walk misses that more often than
 * all else.
 *
 * Bits, with IS_STEP:	 0 to 31 the id, 32 and 33 enum cfa_kind, 34 and 35 enum rbp_kind, 36
 *IS_STEP, 37 to 50 cfa_offset / 8, 51 to 63 rbp_offset / 8, both signed without it:		 0
 *to 31 the id, 32 to 34 enum row_kind, 35 IS_UNKNOWN, and from 37 on the number of what more there
 *is in rows.c, or 0. A ROW_STEP stands so when its offsets are too large or no multiples of 8, or
 *when no module holds the address.
 */
#ifndef XALLOC_UNWIND_PACKED_ROW_H
#define XALLOC_UNWIND_PACKED_ROW_H

#include <stdint.h>

#include "preload/unwind/row.h"

struct packed_row {
	uint64_t bits; /* 0: none */
};

#define PACKED_IS_UNKNOWN (1ull << 35)
#define PACKED_IS_STEP (1ull << 36)
#define PACKED_MORE_SHIFT 37
#define PACKED_CFA_OFFSET_MAX ((1 << 13) * 8 - 1)
#define PACKED_RBP_OFFSET_MAX ((1 << 12) * 8 - 1)

static inline uint32_t packed_id(struct packed_row p)
{
	return (uint32_t)p.bits;
}

static inline int packed_is_step(struct packed_row p)
{
	return (p.bits & PACKED_IS_STEP) != 0;
}

/* With a CFA by rsp: where the caller's rbp is dead, the return address is all that decides. */
static inline int packed_is_step_by_rsp(struct packed_row p)
{
	return (p.bits & (PACKED_IS_STEP | 3ull << 32)) ==
	       (PACKED_IS_STEP | (uint64_t)CFA_RSP << 32);
}

/* Do they lead on alike? Of a packed_is_step. */
static inline int packed_is_same_step(struct packed_row p, struct packed_row other)
{
	return (p.bits ^ other.bits) >> 32 == 0;
}

/* Of a packed_is_step. */
static inline struct row packed_step(struct packed_row p)
{
	return (struct row){ .kind = ROW_STEP,
			     .cfa = p.bits >> 32 & 3,
			     .rbp = p.bits >> 34 & 3,
			     .cfa_offset = (int32_t)((int64_t)(p.bits << 13) >> 50) * 8,
			     .rbp_offset = (int32_t)((int64_t)p.bits >> 51) * 8 };
}

static inline int packed_fits(int32_t offset, int32_t most)
{
	return offset >= -most && offset <= most && !(offset & 7);
}

/* None when the row has to stand elsewhere. */
static inline struct packed_row packed_of_step(uint32_t id, const struct row *row)
{
	if (row->kind != ROW_STEP || !packed_fits(row->cfa_offset, PACKED_CFA_OFFSET_MAX) ||
	    !packed_fits(row->rbp_offset, PACKED_RBP_OFFSET_MAX))
		return (struct packed_row){ 0 };
	return (struct packed_row){ id | (uint64_t)row->cfa << 32 | (uint64_t)row->rbp << 34 |
				    PACKED_IS_STEP |
				    ((uint64_t)(row->cfa_offset / 8) & 0x3FFF) << 37 |
				    (uint64_t)(row->rbp_offset / 8) << 51 };
}

static inline struct packed_row packed_other(uint32_t id, enum row_kind kind, int is_unknown,
					     uint32_t more)
{
	return (struct packed_row){ id | (uint64_t)kind << 32 |
				    (is_unknown ? PACKED_IS_UNKNOWN : 0) |
				    (uint64_t)more << PACKED_MORE_SHIFT };
}

/* Of one that is no packed_is_step. */
static inline uint8_t packed_kind(struct packed_row p)
{
	return p.bits >> 32 & 7;
}

static inline uint32_t packed_more(struct packed_row p)
{
	return (uint32_t)(p.bits >> PACKED_MORE_SHIFT);
}

#endif
