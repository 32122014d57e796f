/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/oracle/expected.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Where libdw says that a register is: a base plus an offset, read from there or not. */
enum base { BASE_UNDEFINED, BASE_SAME, BASE_CFA, BASE_RBP, BASE_RSP, BASE_ELSE };

struct place {
	enum base base;
	int64_t offset;
	bool is_value; /* the sum itself, not what stands there */
};

static bool is_breg(const Dwarf_Op *op, struct place *place)
{
	uint64_t reg;
	int64_t offset;

	if (op->atom == DW_OP_bregx) {
		reg = op->number;
		offset = (int64_t)op->number2;
	} else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		reg = (uint64_t)(op->atom - DW_OP_breg0);
		offset = (int64_t)op->number;
	} else {
		return false;
	}
	place->base = reg == 6 ? BASE_RBP : reg == 7 ? BASE_RSP : BASE_ELSE;
	place->offset = offset;
	return true;
}

static struct place cfa_place(Dwarf_Frame *frame)
{
	struct place place = { BASE_ELSE, 0, true };
	Dwarf_Op *ops;
	size_t count;

	if (dwarf_frame_cfa(frame, &ops, &count))
		return place;
	if (count == 1 && ops[0].atom == DW_OP_bregx)
		is_breg(&ops[0], &place);
	else if (count == 2 && ops[1].atom == DW_OP_deref && is_breg(&ops[0], &place))
		place.is_value = false;
	return place;
}

static struct place register_place(Dwarf_Frame *frame, int reg)
{
	struct place place = { BASE_ELSE, 0, false };
	Dwarf_Op memory[3], *ops;
	size_t count;

	if (dwarf_frame_register(frame, reg, memory, &ops, &count))
		return place;
	if (!count) {
		place.base = ops ? BASE_UNDEFINED : BASE_SAME;
		return place;
	}
	if (ops[count - 1].atom == DW_OP_stack_value) {
		place.is_value = true;
		count--;
	}
	if (ops[0].atom != DW_OP_call_frame_cfa || count > 2)
		return place;
	if (count == 1) {
		place.base = BASE_CFA;
	} else if (ops[1].atom == DW_OP_plus_uconst) {
		place.base = BASE_CFA;
		place.offset = (int64_t)ops[1].number;
	} else {
		is_breg(&ops[1], &place);
	}
	return place;
}

static bool is_at(struct place place, enum base base, int64_t offset)
{
	return place.base == base && place.offset == offset && !place.is_value;
}

static bool fits(int64_t offset)
{
	return offset > INT32_MIN && offset <= INT32_MAX;
}

static void fill(Dwarf_Frame *frame, bool is_signal, struct row *row)
{
	const struct place cfa = cfa_place(frame), rbp = register_place(frame, 6);
	const struct place rsp = register_place(frame, 7), ra = register_place(frame, 16);

	if (ra.base == BASE_UNDEFINED) {
		row->kind = ROW_END;
		return;
	}
	if (is_signal) {
		if (is_at(cfa, BASE_RSP, 160) && is_at(ra, BASE_RSP, 168) &&
		    is_at(rbp, BASE_RSP, 120) && is_at(rsp, BASE_RSP, 160))
			row->kind = ROW_SIGNAL;
		return;
	}
	if (!is_at(ra, BASE_CFA, -8) || rsp.base != BASE_CFA || rsp.offset || !rsp.is_value)
		return;
	if (cfa.base == BASE_RSP && cfa.is_value)
		row->cfa = CFA_RSP;
	else if (cfa.base == BASE_RBP)
		row->cfa = cfa.is_value ? CFA_RBP : CFA_DEREF_RBP;
	else
		return;
	if (rbp.base == BASE_SAME)
		row->rbp = RBP_SAME;
	else if (rbp.base == BASE_CFA && !rbp.is_value)
		row->rbp = RBP_AT_CFA;
	else if (rbp.base == BASE_RBP && !rbp.is_value)
		row->rbp = RBP_AT_RBP;
	else
		return;
	if (!fits(cfa.offset) || !fits(rbp.offset))
		return;
	row->kind = ROW_STEP;
	row->cfa_offset = (int32_t)cfa.offset;
	row->rbp_offset = (int32_t)rbp.offset;
}

void expected_row(Dwarf_CFI *cfi, uint64_t address, uint64_t entry, struct row *row, uint64_t *end)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Addr row_start, row_end;
	bool is_signal;
	const char *error;
	int column;

	memset(row, 0, sizeof(*row));
	*end = address + 1;
	row->kind = ROW_OUTSIDE;
	if (!cfi || dwarf_cfi_addrframe(cfi, address, &frame)) {
		error = cfi ? dwarf_errmsg(-1) : "no matching";
		if (!error || strstr(error, "no matching"))
			row->kind = entry && address - entry < 256 ? ROW_END : ROW_NO_CFI;
		return;
	}
	column = dwarf_frame_info(frame, &row_start, &row_end, &is_signal);
	if (row_end > address)
		*end = row_end;
	if (column == 16)
		fill(frame, is_signal, row);
	if (row->kind != ROW_STEP)
		row->cfa = row->rbp = 0;
	free(frame);
}
