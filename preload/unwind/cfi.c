/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/unwind/cfi.h"

#include <dlfcn.h>
#include <stddef.h>

#include "preload/unwind/eh_frame.h"

#define REMEMBER_DEPTH 8u /* compilers nest once */

enum column { COLUMN_CFA, COLUMN_RBP, COLUMN_RSP, COLUMN_RA, COLUMNS };

/* How a column's value is found. Of no use to a row: HOW_OTHER. */
enum how {
	HOW_UNSET = 0, /* no rule: the ABI's default */
	HOW_SAME,
	HOW_UNDEFINED,
	HOW_CFA,      /* CFA + offset */
	HOW_AT_CFA,   /* *(CFA + offset) */
	HOW_RBP,      /* rbp + offset */
	HOW_AT_RBP,   /* *(rbp + offset) */
	HOW_RSP,      /* rsp + offset */
	HOW_AT_RSP,   /* *(rsp + offset) */
	HOW_REGISTER, /* another register, for the CFA plus offset */
	HOW_OTHER
};

/* An offset that does not fit is NO_OFFSET, and makes the rule useless only if it is the one asked
 * for. */
#define NO_OFFSET INT32_MIN

/* rsp and the return address are of use at one offset only: a rule with another one is HOW_OTHER.
 * It saves the target's stack, where nine of these stand. */
struct rules {
	int32_t offset[COLUMN_RBP + 1];
	uint8_t how[COLUMNS];
};

struct machine {
	struct rules now, initial, saved[REMEMBER_DEPTH];
	uint8_t depth;
	bool bad;
};

static bool is_wanted(enum column column, enum how how, int64_t offset)
{
	if (how == HOW_AT_CFA)
		return column == COLUMN_RA && offset == -8;
	if (how == HOW_AT_RSP)
		return offset == (column == COLUMN_RA ? ROW_SIGNAL_RIP : ROW_SIGNAL_RSP);
	if (how == HOW_CFA)
		return column == COLUMN_RSP && offset == 0;
	return how == HOW_UNSET || how == HOW_UNDEFINED;
}

static void set(struct rules *rules, enum column column, enum how how, int64_t offset)
{
	if (column <= COLUMN_RBP)
		rules->offset[column] = offset == (int32_t)offset ? (int32_t)offset : NO_OFFSET;
	else if (!is_wanted(column, how, offset))
		how = HOW_OTHER;
	rules->how[column] = (uint8_t)how;
}

static enum column column_of(uint64_t reg)
{
	return reg == 6 ? COLUMN_RBP : reg == 7 ? COLUMN_RSP : reg == 16 ? COLUMN_RA : COLUMNS;
}

static void set_register(struct rules *rules, uint64_t reg, enum how how, int64_t offset)
{
	const enum column column = column_of(reg);

	if (column != COLUMNS)
		set(rules, column, how, offset);
}

static enum how cfa_how(uint64_t reg)
{
	return reg == 6 ? HOW_RBP : reg == 7 ? HOW_RSP : HOW_REGISTER;
}

/* Is the CFA a register plus offset, so that one of the two may be exchanged? */
static bool has_cfa_register(const struct rules *rules)
{
	const uint8_t how = rules->how[COLUMN_CFA];

	return how == HOW_RBP || how == HOW_RSP || how == HOW_REGISTER;
}

/* Reads a DWARF expression: rbp or rsp plus a constant, or what stands there. */
static enum how get_expression(struct eh_reader *r, int64_t *offset)
{
	enum { OP_DEREF = 0x06, OP_BREG6 = 0x76, OP_BREG7 = 0x77 };
	const uint64_t bytes = eh_uleb(r);
	struct eh_reader code = { r->at, r->at, false };
	unsigned op;

	*offset = 0;
	if (!eh_take(r, bytes))
		return HOW_OTHER;
	code.end = r->at;
	op = eh_byte(&code);
	*offset = eh_sleb(&code);
	if (code.bad || (op != OP_BREG6 && op != OP_BREG7))
		return HOW_OTHER;
	if (code.at == code.end)
		return op == OP_BREG6 ? HOW_RBP : HOW_RSP;
	if (eh_byte(&code) != OP_DEREF || code.at != code.end)
		return HOW_OTHER;
	return op == OP_BREG6 ? HOW_AT_RBP : HOW_AT_RSP;
}

/* The expression is an address: the rule of a register is what stands at it. */
static enum how dereferenced(enum how how)
{
	return how == HOW_RBP ? HOW_AT_RBP : how == HOW_RSP ? HOW_AT_RSP : HOW_OTHER;
}

/* The instructions with the operand in their low six bits are 0x40, 0x80 and 0xC0. */
enum instruction {
	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE_LOC1 = 0x02,
	CFA_ADVANCE_LOC2 = 0x03,
	CFA_ADVANCE_LOC4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER_STATE = 0x0A,
	CFA_RESTORE_STATE = 0x0B,
	CFA_DEF_CFA = 0x0C,
	CFA_DEF_CFA_REGISTER = 0x0D,
	CFA_DEF_CFA_OFFSET = 0x0E,
	CFA_DEF_CFA_EXPRESSION = 0x0F,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_EXTENDED_SF = 0x11,
	CFA_DEF_CFA_SF = 0x12,
	CFA_DEF_CFA_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPRESSION = 0x16,
	CFA_MIPS_ADVANCE_LOC8 = 0x1D,
	CFA_GNU_WINDOW_SAVE = 0x2D,
	CFA_GNU_ARGS_SIZE = 0x2E,
	CFA_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2F,
	CFA_ADVANCE_LOC = 0x40,
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xC0
};

/* Products of hostile numbers wrap, they do not trap. */
static int64_t scaled(uint64_t factor, const struct eh_fde *fde)
{
	return (int64_t)(factor * (uint64_t)fde->data_align);
}

static void restore_register(struct machine *m, uint64_t reg)
{
	const enum column column = column_of(reg);

	if (column == COLUMNS)
		return;
	m->now.how[column] = m->initial.how[column];
	if (column <= COLUMN_RBP)
		m->now.offset[column] = m->initial.offset[column];
}

static void def_cfa_part(struct machine *m, enum how how, int64_t offset)
{
	if (!has_cfa_register(&m->now))
		m->bad = true;
	set(&m->now, COLUMN_CFA, how, offset);
}

/* How far the location moves. False: it is another instruction; the reader stands behind the
 * opcode. */
static bool get_advance(unsigned op, const struct eh_fde *fde, struct eh_reader *r,
			uint64_t *location)
{
	if ((op & 0xC0) == CFA_ADVANCE_LOC)
		*location += (op & 0x3F) * fde->code_align;
	else if (op == CFA_ADVANCE_LOC1)
		*location += eh_byte(r) * fde->code_align;
	else if (op == CFA_ADVANCE_LOC2)
		*location += eh_fixed(r, 2) * fde->code_align;
	else if (op == CFA_ADVANCE_LOC4)
		*location += eh_fixed(r, 4) * fde->code_align;
	else if (op == CFA_MIPS_ADVANCE_LOC8)
		*location += eh_fixed(r, 8) * fde->code_align;
	else if (op == CFA_SET_LOC)
		*location = eh_encoded(r, fde->encoding, NULL);
	else
		return false;
	return true;
}

static void step(struct machine *m, unsigned op, const struct eh_fde *fde, struct eh_reader *r)
{
	struct rules *const now = &m->now;
	enum how how;
	uint64_t reg;
	int64_t offset;

	if ((op & 0xC0) == CFA_OFFSET) {
		set_register(now, op & 0x3F, HOW_AT_CFA, scaled(eh_uleb(r), fde));
		return;
	}
	if ((op & 0xC0) == CFA_RESTORE) {
		restore_register(m, op & 0x3F);
		return;
	}
	switch (op) {
	case CFA_NOP:
	case CFA_GNU_WINDOW_SAVE:
		break;
	case CFA_OFFSET_EXTENDED:
		reg = eh_uleb(r);
		set_register(now, reg, HOW_AT_CFA, scaled(eh_uleb(r), fde));
		break;
	case CFA_OFFSET_EXTENDED_SF:
		reg = eh_uleb(r);
		set_register(now, reg, HOW_AT_CFA, scaled((uint64_t)eh_sleb(r), fde));
		break;
	case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
		reg = eh_uleb(r);
		set_register(now, reg, HOW_AT_CFA, scaled(-eh_uleb(r), fde));
		break;
	case CFA_VAL_OFFSET:
		reg = eh_uleb(r);
		set_register(now, reg, HOW_CFA, scaled(eh_uleb(r), fde));
		break;
	case CFA_VAL_OFFSET_SF:
		reg = eh_uleb(r);
		set_register(now, reg, HOW_CFA, scaled((uint64_t)eh_sleb(r), fde));
		break;
	case CFA_RESTORE_EXTENDED:
		restore_register(m, eh_uleb(r));
		break;
	case CFA_UNDEFINED:
		set_register(now, eh_uleb(r), HOW_UNDEFINED, 0);
		break;
	case CFA_SAME_VALUE:
		set_register(now, eh_uleb(r), HOW_SAME, 0);
		break;
	case CFA_REGISTER:
		set_register(now, eh_uleb(r), HOW_REGISTER, 0);
		eh_uleb(r);
		break;
	case CFA_EXPRESSION:
		reg = eh_uleb(r);
		how = get_expression(r, &offset);
		set_register(now, reg, dereferenced(how), offset);
		break;
	case CFA_VAL_EXPRESSION:
		reg = eh_uleb(r);
		how = get_expression(r, &offset);
		set_register(now, reg, how, offset);
		break;
	case CFA_REMEMBER_STATE:
		if (m->depth == REMEMBER_DEPTH)
			m->bad = true;
		else
			m->saved[m->depth++] = *now;
		break;
	case CFA_RESTORE_STATE:
		if (!m->depth)
			m->bad = true;
		else
			*now = m->saved[--m->depth];
		break;
	case CFA_DEF_CFA:
		reg = eh_uleb(r);
		set(now, COLUMN_CFA, cfa_how(reg), (int64_t)eh_uleb(r));
		break;
	case CFA_DEF_CFA_SF:
		reg = eh_uleb(r);
		set(now, COLUMN_CFA, cfa_how(reg), scaled((uint64_t)eh_sleb(r), fde));
		break;
	case CFA_DEF_CFA_REGISTER:
		def_cfa_part(m, cfa_how(eh_uleb(r)), now->offset[COLUMN_CFA]);
		break;
	case CFA_DEF_CFA_OFFSET:
		def_cfa_part(m, now->how[COLUMN_CFA], (int64_t)eh_uleb(r));
		break;
	case CFA_DEF_CFA_OFFSET_SF:
		def_cfa_part(m, now->how[COLUMN_CFA], scaled((uint64_t)eh_sleb(r), fde));
		break;
	case CFA_DEF_CFA_EXPRESSION:
		how = get_expression(r, &offset);
		/* not to be taken for a register that may be exchanged later */
		set(now, COLUMN_CFA, how == HOW_AT_RBP || how == HOW_AT_RSP ? how : HOW_OTHER,
		    offset);
		break;
	case CFA_GNU_ARGS_SIZE:
		eh_uleb(r);
		break;
	default:
		m->bad = true;
	}
}

/* Runs the instructions that hold at address. False: malformed. */
static bool run(struct machine *m, const struct eh_fde *fde, struct eh_reader r, uint64_t address)
{
	uint64_t location = fde->pc_begin;

	while (r.at < r.end) {
		const unsigned op = eh_byte(&r);

		if (!get_advance(op, fde, &r, &location))
			step(m, op, fde, &r);
		if (r.bad || m->bad)
			return false;
		if (location > address)
			break;
	}
	return !m->bad;
}

static bool is_kernel_signal_frame(const struct rules *rules)
{
	return rules->how[COLUMN_CFA] == HOW_AT_RSP &&
	       rules->offset[COLUMN_CFA] == ROW_SIGNAL_RSP &&
	       rules->how[COLUMN_RBP] == HOW_AT_RSP &&
	       rules->offset[COLUMN_RBP] == ROW_SIGNAL_RBP && rules->how[COLUMN_RA] == HOW_AT_RSP &&
	       (rules->how[COLUMN_RSP] == HOW_AT_RSP || rules->how[COLUMN_RSP] == HOW_UNSET);
}

/* Leaves *out alone where the rules are outside of the classes. */
static void fill_step(const struct rules *rules, struct row *out)
{
	const uint8_t cfa = rules->how[COLUMN_CFA], rbp = rules->how[COLUMN_RBP];

	if (rules->how[COLUMN_RA] != HOW_AT_CFA)
		return;
	if (rules->how[COLUMN_RSP] != HOW_UNSET && rules->how[COLUMN_RSP] != HOW_CFA)
		return;
	if (rules->offset[COLUMN_CFA] == NO_OFFSET || rules->offset[COLUMN_RBP] == NO_OFFSET)
		return;
	if (cfa != HOW_RSP && cfa != HOW_RBP && cfa != HOW_AT_RBP)
		return;
	if (rbp != HOW_UNSET && rbp != HOW_SAME && rbp != HOW_AT_CFA && rbp != HOW_AT_RBP)
		return;
	out->kind = ROW_STEP;
	out->cfa = cfa == HOW_RSP ? CFA_RSP : cfa == HOW_RBP ? CFA_RBP : CFA_DEREF_RBP;
	out->rbp = rbp == HOW_AT_CFA ? RBP_AT_CFA : rbp == HOW_AT_RBP ? RBP_AT_RBP : RBP_SAME;
	out->cfa_offset = rules->offset[COLUMN_CFA];
	out->rbp_offset = rules->offset[COLUMN_RBP];
}

/* Out of line, since its stack and that of the search need not stand there together. */
static __attribute__((noinline)) void interpret(const struct eh_fde *fde, uint64_t address,
						struct row *out)
{
	struct machine m;

	m.now = m.initial = (struct rules){ 0 }; /* HOW_UNSET */
	m.depth = 0;
	m.bad = !fde->has_rip;
	if (!run(&m, fde, fde->cie_code, UINT64_MAX))
		return;
	m.initial = m.now;
	if (!run(&m, fde, fde->code, address))
		return;
	if (m.now.how[COLUMN_RA] == HOW_UNDEFINED)
		out->kind = ROW_END;
	else if (!fde->is_signal)
		fill_step(&m.now, out);
	else if (is_kernel_signal_frame(&m.now))
		out->kind = ROW_SIGNAL;
}

void cfi_row(uint64_t pc, bool exact, const struct dl_find_object *object, struct row *out)
{
	const uint64_t address = exact ? pc : pc - 1;
	struct eh_fde fde;

	*out = (struct row){ .kind = ROW_OUTSIDE };
	switch (eh_find(address, object, &fde)) {
	case EH_FDE:
		interpret(&fde, address, out);
		return;
	case EH_BAD:
		return;
	case EH_NONE:
		break;
	}
	out->kind = eh_is_start_code(address, object) ? ROW_END : ROW_NO_CFI;
	if (!exact && eh_find(pc, object, &fde) == EH_FDE && fde.pc_begin == pc) {
		interpret(&fde, pc, out);
		if (out->kind != ROW_SIGNAL)
			*out = (struct row){ .kind = ROW_END };
	}
}
