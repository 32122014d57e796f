/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread's last stack as frames, each with the words of memory that the step to its caller was
 * derived from. The next walk goes outwards only until its registers equal those of a kept frame
 * whose words all still hold; from there on the walk would be what it was, but for return
 * addresses.
 *
 * Why that is exact: a step is a pure function of (pc, sp, rbp) and of the words it reads, and the
 * row depends on the pc alone as long as modules stay. Equal registers and equal words give equal
 * registers in the caller, and so on to the root. Nothing is assumed of what the program did in
 * between: it may have returned, jumped, switched or reused stacks. The words are read from the
 * leaf outwards up to the first that changed.
 *
 * If that is a return address, its frame lies where the kept one lay and was entered from another
 * place. Where the new place's row leads on alike (packed_is_same_step), the step from there is the
 * same function of the same sp and rbp and reads the same words: only the pc and the id are others,
 * which are put into the kept frame, and reading goes on with those words. Whether rbp is live
 * depends on rows' rules alone, and stays. So each word is still read as a walk would read it, in
 * its order and after all that its place depends on. A frame whose row leads on otherwise, and all
 * leafward of it, is walked anew: the words behind it are not changed before that is known.
 *
 * With wrong unwind information a step may have read memory that is gone by now. So words are read
 * again only in the thread's own stack and in the run of pages that the hook itself stands on
 * (readable.h); a frame with a word elsewhere, and all leafward of it, is walked each time.
 */
#ifndef XALLOC_UNWIND_KEPT_H
#define XALLOC_UNWIND_KEPT_H

#include <stdint.h>

#include "preload/unwind/arch_x86_64.h"
#include "preload/unwind/rows.h"

struct kept_frame {
	struct arch_frame at; /* rbp means nothing where it is dead */
	struct packed_row row;
	uint32_t words;  /* of the steps from this frame and those rootward of it */
	uint16_t shown;  /* ids up to this frame, from the root */
	uint8_t is_live; /* the walk from here depends on rbp */
};

struct kept {
	/* Of the last frame if all else is well: what a hook that it called has for a frame, and
	 * finds there. leaf_fp NULL: no hook can. */
	const uint64_t *leaf_fp;
	uint64_t leaf_pc, leaf_rbp;
	uint64_t is_leaf_live;
	const struct arch_word *leaf_end; /* behind the last frame's words */
	struct kept_frame
		*root; /* root[1] and on, leafward; root[0] stands below all, met by none */
	struct kept_frame *last;     /* root: there are no frames */
	struct kept_frame *reusable; /* the last that may be met again */
	struct kept_frame *near;     /* the last with all words in the own stack; from there to
				      * reusable they are in it or in the run */
	struct kept_frame *fresh;    /* frames just walked, leaf first */
	struct arch_word *word;      /* root first; of each step in the reverse of reading order */
	uint16_t *entered; /* for each word, if it is a return address: number of the frame that it
			    * leads into; 0: it is none, or leads nowhere */
	uint32_t mark;     /* XT_ID_NONE, XT_ID_TRUNCATED or XT_ID_ELIDED below root[1] */
	uint64_t version;  /* of the rows */
	uint64_t unknown;  /* the key of root[1] if nothing was known of it; else 0 */
	uint32_t known;    /* ids from the root that are what the last walk's were */
};

/* depth as in unwind_init. */
void kept_init(uint32_t depth);

/* An empty one in memory of unwind_kept_bytes(). */
void kept_lay(struct unwind_state *u, void *memory);

#ifdef XALLOC_UNWIND_UNVERIFIED /* for the test that this is needed */
#define KEPT_HOLDS(w) ((void)(w), 1)
#else
#define KEPT_HOLDS(w) __builtin_expect(*(w)->at == (w)->value, 1)
#endif

/*
 * The words before w: NULL when all hold what they held, or the first from the leaf
 * that does not. In that order: beyond a word that changed nothing is known to be memory.
 */
static inline __attribute__((always_inline)) const struct arch_word *
kept_changed_word(const struct kept *k, const struct arch_word *w)
{
	for (; w >= k->word + 4; w -= 4) {
		if (!KEPT_HOLDS(w - 1))
			return w - 1;
		if (!KEPT_HOLDS(w - 2))
			return w - 2;
		if (!KEPT_HOLDS(w - 3))
			return w - 3;
		if (!KEPT_HOLDS(w - 4))
			return w - 4;
	}
	for (; w != k->word; w--)
		if (!KEPT_HOLDS(w - 1))
			return w - 1;
	return NULL;
}

/* May `at` be f, entered from wherever? */
static inline int kept_is_at(const struct kept_frame *f, const struct arch_frame *at)
{
	return f->at.sp == at->sp && (!f->is_live || f->at.rbp == at->rbp);
}

/* Does the hook at fp stand where the last one stood? */
static inline __attribute__((always_inline)) int kept_is_leaf(const struct kept *k,
							      const uint64_t *fp)
{
	return fp == k->leaf_fp && (!k->is_leaf_live || fp[0] == k->leaf_rbp) &&
	       k->version == rows_version_now();
}

/* Is the stack of the hook at fp the last one, frame by frame? 0: that has to be looked at. */
static inline __attribute__((always_inline)) int kept_is_unchanged(const struct kept *k,
								   const uint64_t *fp)
{
	return kept_is_leaf(k, fp) && fp[1] == k->leaf_pc && !kept_changed_word(k, k->leaf_end);
}

#endif
