/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/unwind/cfi_op.h"

#include <stddef.h>

/* The instructions with the operand in their low six bits are 0x40, 0x80 and 0xC0. */
enum instruction {
	DW_NOP = 0x00,
	DW_SET_LOC = 0x01,
	DW_ADVANCE_LOC1 = 0x02,
	DW_ADVANCE_LOC2 = 0x03,
	DW_ADVANCE_LOC4 = 0x04,
	DW_OFFSET_EXTENDED = 0x05,
	DW_RESTORE_EXTENDED = 0x06,
	DW_UNDEFINED = 0x07,
	DW_SAME_VALUE = 0x08,
	DW_REGISTER = 0x09,
	DW_REMEMBER_STATE = 0x0A,
	DW_RESTORE_STATE = 0x0B,
	DW_DEF_CFA = 0x0C,
	DW_DEF_CFA_REGISTER = 0x0D,
	DW_DEF_CFA_OFFSET = 0x0E,
	DW_DEF_CFA_EXPRESSION = 0x0F,
	DW_EXPRESSION = 0x10,
	DW_OFFSET_EXTENDED_SF = 0x11,
	DW_DEF_CFA_SF = 0x12,
	DW_DEF_CFA_OFFSET_SF = 0x13,
	DW_VAL_OFFSET = 0x14,
	DW_VAL_OFFSET_SF = 0x15,
	DW_VAL_EXPRESSION = 0x16,
	DW_MIPS_ADVANCE_LOC8 = 0x1D,
	DW_GNU_WINDOW_SAVE = 0x2D,
	DW_GNU_ARGS_SIZE = 0x2E,
	DW_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2F,
	DW_ADVANCE_LOC = 0x40,
	DW_OFFSET = 0x80,
	DW_RESTORE = 0xC0
};

static int64_t scaled(uint64_t factor, const struct eh_fde *fde)
{
	return (int64_t)(factor * (uint64_t)fde->data_align);
}

static void get_expression(struct eh_reader *r, struct eh_reader *expression)
{
	const uint64_t bytes = eh_uleb(r);

	*expression = (struct eh_reader){ r->at, r->at, false, 0 };
	if (eh_take(r, bytes))
		expression->end = r->at;
}

/* How far the location moves. False: it is another instruction; the reader stands behind the
 * opcode. */
static bool get_advance(unsigned op, const struct eh_fde *fde, struct eh_reader *r,
			uint64_t *location)
{
	if ((op & 0xC0) == DW_ADVANCE_LOC)
		*location += (op & 0x3F) * fde->code_align;
	else if (op == DW_ADVANCE_LOC1)
		*location += eh_byte(r) * fde->code_align;
	else if (op == DW_ADVANCE_LOC2)
		*location += eh_fixed(r, 2) * fde->code_align;
	else if (op == DW_ADVANCE_LOC4)
		*location += eh_fixed(r, 4) * fde->code_align;
	else if (op == DW_MIPS_ADVANCE_LOC8)
		*location += eh_fixed(r, 8) * fde->code_align;
	else if (op == DW_SET_LOC)
		*location = eh_encoded(r, fde->encoding, NULL);
	else
		return false;
	return true;
}

/* How the operands of each instruction are written. */
enum operands {
	REG = 1,             /* a register number comes first */
	UNSIGNED = 2,        /* then one of these: as it stands */
	UNSIGNED_SCALED = 4, /* times the data factor */
	SIGNED_SCALED = 8,
	NEGATIVE_SCALED = 16, /* unsigned, negated */
	EXPRESSION = 32
};

static const struct {
	uint8_t kind, operands;
} table[] = {
	[DW_NOP] = { CFI_NOTHING, 0 },
	[DW_OFFSET_EXTENDED] = { CFI_OFFSET, REG | UNSIGNED_SCALED },
	[DW_RESTORE_EXTENDED] = { CFI_RESTORE, REG },
	[DW_UNDEFINED] = { CFI_UNDEFINED, REG },
	[DW_SAME_VALUE] = { CFI_SAME_VALUE, REG },
	[DW_REGISTER] = { CFI_REGISTER, REG | UNSIGNED },
	[DW_REMEMBER_STATE] = { CFI_REMEMBER_STATE, 0 },
	[DW_RESTORE_STATE] = { CFI_RESTORE_STATE, 0 },
	[DW_DEF_CFA] = { CFI_DEF_CFA, REG | UNSIGNED },
	[DW_DEF_CFA_REGISTER] = { CFI_DEF_CFA_REGISTER, REG },
	[DW_DEF_CFA_OFFSET] = { CFI_DEF_CFA_OFFSET, UNSIGNED },
	[DW_DEF_CFA_EXPRESSION] = { CFI_DEF_CFA_EXPRESSION, EXPRESSION },
	[DW_EXPRESSION] = { CFI_EXPRESSION, REG | EXPRESSION },
	[DW_OFFSET_EXTENDED_SF] = { CFI_OFFSET, REG | SIGNED_SCALED },
	[DW_DEF_CFA_SF] = { CFI_DEF_CFA, REG | SIGNED_SCALED },
	[DW_DEF_CFA_OFFSET_SF] = { CFI_DEF_CFA_OFFSET, SIGNED_SCALED },
	[DW_VAL_OFFSET] = { CFI_VAL_OFFSET, REG | UNSIGNED_SCALED },
	[DW_VAL_OFFSET_SF] = { CFI_VAL_OFFSET, REG | SIGNED_SCALED },
	[DW_VAL_EXPRESSION] = { CFI_VAL_EXPRESSION, REG | EXPRESSION },
	[DW_GNU_WINDOW_SAVE] = { CFI_NOTHING, 0 },
	[DW_GNU_ARGS_SIZE] = { CFI_NOTHING, UNSIGNED },
	[DW_GNU_NEGATIVE_OFFSET_EXTENDED] = { CFI_OFFSET, REG | NEGATIVE_SCALED },
};

void cfi_op_next(struct eh_reader *r, const struct eh_fde *fde, uint64_t *location,
		 struct cfi_op *op)
{
	const unsigned code = eh_byte(r);
	unsigned operands;

	if (get_advance(code, fde, r, location)) {
		op->kind = CFI_ADVANCE;
		return;
	}
	if (code & 0xC0) {
		op->kind = (code & 0xC0) == DW_OFFSET ? CFI_OFFSET : CFI_RESTORE;
		op->reg = code & 0x3F;
		operands = op->kind == CFI_OFFSET ? UNSIGNED_SCALED : 0;
	} else {
		op->kind = code < sizeof(table) / sizeof(*table) ? table[code].kind : CFI_NOTHING;
		operands = code < sizeof(table) / sizeof(*table) ? table[code].operands : 0;
		/* an instruction without a place in the table is one that nobody knows */
		if (op->kind == CFI_NOTHING && !operands && code != DW_NOP &&
		    code != DW_GNU_WINDOW_SAVE)
			r->bad = true;
	}
	if (operands & REG)
		op->reg = eh_uleb(r);
	if (operands & UNSIGNED)
		op->offset = (int64_t)eh_uleb(r);
	else if (operands & UNSIGNED_SCALED)
		op->offset = scaled(eh_uleb(r), fde);
	else if (operands & SIGNED_SCALED)
		op->offset = scaled((uint64_t)eh_sleb(r), fde);
	else if (operands & NEGATIVE_SCALED)
		op->offset = scaled(-eh_uleb(r), fde);
	else if (operands & EXPRESSION)
		get_expression(r, &op->expression);
}
