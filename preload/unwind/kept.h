/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread's last stack as frames, each with the words of memory that the step to its caller was
 * derived from. The next walk goes outwards only until its registers equal those of a kept frame
 * whose words all still hold; from there on the walk would be what it was.
 *
 * Why that is exact: a step is a pure function of (pc, sp, rbp) and of the words it reads, and the
 * row depends on the pc alone as long as modules stay. Equal registers and equal words give equal
 * registers in the caller, and so on to the root. Nothing is assumed of what the program did in
 * between: it may have returned, jumped, switched or reused stacks. The words are read from the
 * leaf outwards up to the first that changed, so none is read that a plain walk would not read.
 */
#ifndef XALLOC_UNWIND_KEPT_H
#define XALLOC_UNWIND_KEPT_H

#include <stdint.h>

#include "preload/unwind/arch_x86_64.h"
#include "preload/unwind/rows.h"

struct kept_frame {
	struct arch_frame at; /* rbp means nothing where it is dead */
	const struct row_entry *row;
	uint32_t words;  /* of the steps from this frame and those rootward of it */
	uint16_t shown;  /* ids up to this frame, from the root */
	uint8_t is_live; /* the walk from here depends on rbp */
};

struct kept {
	const struct kept_frame *leaf; /* met first: the last frame, or one that never is */
	struct kept_frame
		*root; /* root[1] and on, leafward; root[0] stands below all, met by none */
	struct kept_frame *last;     /* root: there are no frames */
	struct kept_frame *reusable; /* the last that may be met again */
	struct kept_frame *fresh;    /* frames just walked, leaf first */
	struct arch_word *word;      /* root first; of each step in the reverse of reading order */
	uint32_t mark;               /* XT_ID_NONE, XT_ID_TRUNCATED or XT_ID_ELIDED below root[1] */
	uint64_t version;            /* of the rows */
	uint64_t unknown;            /* the key of root[1] if no module held it; else 0 */
};

/* depth as in unwind_init. */
void kept_init(uint32_t depth);

/* An empty one in memory of unwind_kept_bytes(). */
void kept_lay(struct unwind_state *u, void *memory);

#endif
