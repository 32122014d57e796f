/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/unwind/cfi.h"

#include <dlfcn.h>
#include <stddef.h>

#include "preload/unwind/cfi_op.h"
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

/* A DWARF expression: rbp or rsp plus a constant, or what stands there. */
static enum how expression_how(struct eh_reader code, int64_t *offset)
{
	enum { OP_DEREF = 0x06, OP_BREG6 = 0x76, OP_BREG7 = 0x77 };
	const unsigned op = eh_byte(&code);

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

static void apply(struct machine *m, const struct cfi_op *op)
{
	struct rules *const now = &m->now;
	enum how how;
	int64_t offset;

	switch (op->kind) {
	case CFI_NOTHING:
	case CFI_ADVANCE:
		break;
	case CFI_DEF_CFA:
		set(now, COLUMN_CFA, cfa_how(op->reg), op->offset);
		break;
	case CFI_DEF_CFA_REGISTER:
		def_cfa_part(m, cfa_how(op->reg), now->offset[COLUMN_CFA]);
		break;
	case CFI_DEF_CFA_OFFSET:
		def_cfa_part(m, now->how[COLUMN_CFA], op->offset);
		break;
	case CFI_DEF_CFA_EXPRESSION:
		how = expression_how(op->expression, &offset);
		/* not to be taken for a register that may be exchanged later */
		set(now, COLUMN_CFA, how == HOW_AT_RBP || how == HOW_AT_RSP ? how : HOW_OTHER,
		    offset);
		break;
	case CFI_REMEMBER_STATE:
		if (m->depth == REMEMBER_DEPTH)
			m->bad = true;
		else
			m->saved[m->depth++] = *now;
		break;
	case CFI_RESTORE_STATE:
		if (!m->depth)
			m->bad = true;
		else
			*now = m->saved[--m->depth];
		break;
	case CFI_UNDEFINED:
		set_register(now, op->reg, HOW_UNDEFINED, 0);
		break;
	case CFI_SAME_VALUE:
		set_register(now, op->reg, HOW_SAME, 0);
		break;
	case CFI_OFFSET:
		set_register(now, op->reg, HOW_AT_CFA, op->offset);
		break;
	case CFI_VAL_OFFSET:
		set_register(now, op->reg, HOW_CFA, op->offset);
		break;
	case CFI_REGISTER:
		set_register(now, op->reg, HOW_REGISTER, 0);
		break;
	case CFI_EXPRESSION:
		how = expression_how(op->expression, &offset);
		set_register(now, op->reg, dereferenced(how), offset);
		break;
	case CFI_VAL_EXPRESSION:
		how = expression_how(op->expression, &offset);
		set_register(now, op->reg, how, offset);
		break;
	case CFI_RESTORE:
		restore_register(m, op->reg);
		break;
	}
}

/* Runs the instructions that hold at address. False: malformed. */
static bool run(struct machine *m, const struct eh_fde *fde, struct eh_reader r, uint64_t address)
{
	uint64_t location = fde->pc_begin;
	struct cfi_op op = { .kind = CFI_NOTHING };

	while (r.at < r.end && location <= address) {
		cfi_op_next(&r, fde, &location, &op);
		if (r.bad)
			return false;
		apply(m, &op);
		if (m->bad)
			return false;
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

void cfi_row_in(uint64_t pc, bool exact, const struct eh_section *section, struct row *out)
{
	const uint64_t address = exact ? pc : pc - 1;
	struct eh_fde fde;

	*out = (struct row){ .kind = ROW_OUTSIDE };
	switch (eh_find_in(address, section, &fde)) {
	case EH_FDE:
		interpret(&fde, address, out);
		break;
	case EH_NONE:
		out->kind = ROW_NO_CFI;
		break;
	case EH_BAD:
		break;
	}
}
