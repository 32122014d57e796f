/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the walker knows of x86-64: where a hook finds its caller, how a row leads from a frame to
 * its caller, and which words of memory that step reads. Another architecture follows with another
 * such file, rows of its own (row.h, eh_frame.c) and a capture of registers (full.h).
 */
#ifndef XALLOC_UNWIND_ARCH_X86_64_H
#define XALLOC_UNWIND_ARCH_X86_64_H

#include <stdint.h>

#include "preload/unwind/readable.h"
#include "preload/unwind/row.h"
#include "preload/unwind/unwind.h"

/* Registers inside a frame; sp is the CFA of the frame it called. key: pc * 2, and 1 where the pc
 * was interrupted and is no return address. */
struct arch_frame {
	uint64_t key, sp, rbp;
};

/* A word of the stack that a step read. */
struct arch_word {
	const uint64_t *at;
	uint64_t value;
};

#define ARCH_STEP_WORDS_MAX 3u

/* The caller of the hook whose frame pointer is fp: fp[0] is its rbp, fp[1] a return address into
 * it. */
static inline struct arch_frame arch_caller_of(const uint64_t *fp)
{
	return (struct arch_frame){ fp[1] << 1, (uint64_t)(uintptr_t)(fp + 2), fp[0] };
}

/* The frame pointer of a hook whose caller is `at`; NULL: no hook's, it was interrupted. */
static inline const uint64_t *arch_hook_frame(const struct arch_frame *at)
{
	return at->key & 1 ? NULL : (const uint64_t *)(uintptr_t)at->sp - 2;
}

/* shift: from an address to where a copy of the stack holds its word; 0: the stack itself. */
static inline uint64_t arch_word_at(uint64_t addr, uint64_t shift)
{
	return *(const uint64_t *)(uintptr_t)(addr + shift);
}

/* From a frame to its caller; 0 when the row leads nowhere sound. The row is a ROW_STEP or a
 * ROW_SIGNAL. */
static inline __attribute__((always_inline)) int
arch_step(struct unwind_state *u, struct arch_frame *f, const struct row *row, uint64_t shift)
{
	uint64_t cfa, rbp = f->rbp, at;

	if (__builtin_expect(row->kind == ROW_SIGNAL, 0)) {
		if (!is_readable(u, f->sp + ROW_SIGNAL_RBP, shift) ||
		    !is_readable(u, f->sp + ROW_SIGNAL_RIP, shift))
			return 0;
		f->key = arch_word_at(f->sp + ROW_SIGNAL_RIP, shift) << 1 | 1;
		f->rbp = arch_word_at(f->sp + ROW_SIGNAL_RBP, shift);
		f->sp = arch_word_at(f->sp + ROW_SIGNAL_RSP, shift);
		return 1;
	}
	cfa = (row->cfa == CFA_RSP ? f->sp : f->rbp) + (uint64_t)(int64_t)row->cfa_offset;
	if (row->cfa == CFA_DEREF_RBP) {
		if (!is_readable(u, cfa, shift))
			return 0;
		cfa = arch_word_at(cfa, shift);
	}
	if (cfa <= f->sp || !is_readable(u, cfa - 8, shift))
		return 0;
	if (row->rbp != RBP_SAME) {
		at = (row->rbp == RBP_AT_CFA ? cfa : f->rbp) + (uint64_t)(int64_t)row->rbp_offset;
		if (!is_readable(u, at, shift))
			return 0;
		rbp = arch_word_at(at, shift);
	}
	f->key = arch_word_at(cfa - 8, shift) << 1;
	f->sp = cfa;
	f->rbp = rbp;
	return 1;
}

/*
 * Does the walk from a frame of this row on depend on the rbp inside it? caller_live: the same of
 * its caller. Most code uses rbp as it likes, and its value there decides nothing.
 */
static inline int arch_is_rbp_live(const struct row *row, int caller_live)
{
	return row->cfa != CFA_RSP || (caller_live && row->rbp != RBP_AT_CFA);
}

/* Of these the return address alone. */
static inline struct arch_word *arch_put_return(struct arch_word *word, uint16_t *entered,
						const struct arch_frame *caller,
						uint16_t caller_number)
{
	*entered = caller_number;
	word->at = (const uint64_t *)(uintptr_t)(caller->sp - 8);
	word->value = caller->key >> 1;
	return word + 1;
}

/*
 * The words that decide a ROW_STEP from f to its caller, put at `word` in the reverse of the order
 * in which a walk reads them; returns the place behind. Where the caller's rbp is dead its word
 * decides nothing and is left out. entered: for each of them, caller_number if it is the return
 * address, else 0.
 */
static inline struct arch_word *arch_put_words(struct arch_word *word, uint16_t *entered,
					       const struct arch_frame *f, const struct row *row,
					       const struct arch_frame *caller,
					       uint16_t caller_number, int caller_live)
{
	if (caller_live && row->rbp != RBP_SAME) {
		uint64_t base = row->rbp == RBP_AT_CFA ? caller->sp : f->rbp;

		word->at = (const uint64_t *)(uintptr_t)(base + (uint64_t)(int64_t)row->rbp_offset);
		word->value = caller->rbp;
		word++;
		*entered++ = 0;
	}
	word = arch_put_return(word, entered++, caller, caller_number);
	if (row->cfa == CFA_DEREF_RBP) {
		word->at =
			(const uint64_t *)(uintptr_t)(f->rbp + (uint64_t)(int64_t)row->cfa_offset);
		word->value = caller->sp;
		word++;
		*entered = 0;
	}
	return word;
}

#endif
