/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One instruction of call frame information, whatever its encoding: offsets are in bytes, and what
 * an instruction means is told apart, not how it is written. Under the rules of cfi.h: no call
 * outside of these files, no lock, no state.
 */
#ifndef XALLOC_UNWIND_CFI_OP_H
#define XALLOC_UNWIND_CFI_OP_H

#include <stdint.h>

#include "preload/unwind/eh_frame.h"

/* Those from CFI_UNDEFINED on give the rule of register reg. */
enum cfi_kind {
	CFI_NOTHING,
	CFI_ADVANCE,            /* the location has moved */
	CFI_DEF_CFA,            /* reg + offset */
	CFI_DEF_CFA_REGISTER,   /* reg, with the offset as it was */
	CFI_DEF_CFA_OFFSET,     /* offset, with the register as it was */
	CFI_DEF_CFA_EXPRESSION, /* what expression gives */
	CFI_REMEMBER_STATE,
	CFI_RESTORE_STATE,
	CFI_UNDEFINED,
	CFI_SAME_VALUE,
	CFI_OFFSET,         /* at CFA + offset */
	CFI_VAL_OFFSET,     /* CFA + offset */
	CFI_REGISTER,       /* in register number offset */
	CFI_EXPRESSION,     /* at what expression gives */
	CFI_VAL_EXPRESSION, /* what expression gives */
	CFI_RESTORE         /* as the CIE has it */
};

struct cfi_op {
	enum cfi_kind kind;
	uint64_t reg;
	int64_t offset;
	struct eh_reader expression;
};

/*
 * Reads one instruction into *op, and moves *location where it does. r->bad: malformed, or unknown.
 * Products of hostile numbers wrap, they do not trap.
 */
void cfi_op_next(struct eh_reader *r, const struct eh_fde *fde, uint64_t *location,
		 struct cfi_op *op);

#endif
