/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One row of unwind information: how to step from a frame to its caller. Computed once for an
 * address by cfi_row, applied by the walker.
 *
 * A step of kind ROW_STEP from (pc, rsp, rbp), all values being those inside the frame:
 *	cfa = rsp + cfa_offset, rbp + cfa_offset or *(rbp + cfa_offset)
 *	caller's pc = *(cfa - 8), caller's rsp = cfa
 *	caller's rbp = rbp, *(cfa + rbp_offset) or *(rbp + rbp_offset)
 * Offsets are bytes. Nothing here says that the words may be read: the walker checks the stack's
 * bounds.
 */
#ifndef XALLOC_UNWIND_ROW_H
#define XALLOC_UNWIND_ROW_H

#include <stdint.h>

enum cfa_kind {
	CFA_RSP = 0,
	CFA_RBP = 1,
	CFA_DEREF_RBP = 2 /* frames that realign their stack */
};

enum rbp_kind {
	RBP_SAME = 0,
	RBP_AT_CFA = 1,
	RBP_AT_RBP = 2 /* frames that realign their stack */
};

enum row_kind {
	ROW_NONE = 0, /* never an answer: an empty place in a table */
	ROW_STEP = 1,
	ROW_END = 2,    /* the outermost frame: it has no return address */
	ROW_SIGNAL = 3, /* kernel's signal frame: a ucontext at rsp has the interrupted registers */
	ROW_NO_CFI = 4, /* no unwind information for this address */
	ROW_OUTSIDE = 5 /* there is, but outside of these classes, or malformed */
};

/* cfa and rbp and the offsets hold something in a ROW_STEP only, and are 0 in all others. */
struct row {
	uint8_t kind, cfa, rbp, reserved;
	int32_t cfa_offset, rbp_offset;
};

/* Bytes from rsp in a ROW_SIGNAL frame, which are the fields of ucontext_t. */
#define ROW_SIGNAL_RBP 120
#define ROW_SIGNAL_RSP 160
#define ROW_SIGNAL_RIP 168

_Static_assert(sizeof(struct row) == 12, "rows are kept by the ten thousand");

#endif
