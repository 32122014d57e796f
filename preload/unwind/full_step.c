/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/unwind/full_step.h"

#include <dlfcn.h>
#include <stddef.h>

#include "preload/unwind/cfi_op.h"
#include "preload/unwind/eh_frame.h"

#define REMEMBER_DEPTH 8u
#define COLUMNS EXPRESSION_REGISTERS
#define CALL_SAVED (1u << 3 | 1u << FULL_RBP | 0xFu << 12)

enum how {
	HOW_UNSET = 0, /* the ABI's default */
	HOW_UNDEFINED,
	HOW_SAME,
	HOW_REGISTER, /* register number offset */
	HOW_AT_CFA,   /* *(CFA + offset) */
	HOW_CFA,      /* CFA + offset */
	HOW_AT_EXPRESSION,
	HOW_EXPRESSION
};

struct rule {
	uint8_t how;
	uint16_t bytes; /* of the expression */
	union {
		int64_t offset;
		const uint8_t *code;
	};
};

/* The CFA's is HOW_REGISTER, with reg and offset, or HOW_EXPRESSION. */
struct rules {
	struct rule cfa, column[COLUMNS];
	uint64_t cfa_reg;
};

struct machine {
	struct rules now, initial, saved[REMEMBER_DEPTH];
	uint8_t depth;
	bool bad;
};

static struct rule expression_rule(struct machine *m, enum how how, const struct eh_reader *code)
{
	const uint64_t bytes = (uint64_t)(code->end - code->at);

	if (bytes > UINT16_MAX)
		m->bad = true;
	return (struct rule){ .how = (uint8_t)how, .bytes = (uint16_t)bytes, .code = code->at };
}

static void set(struct machine *m, uint64_t reg, enum how how, int64_t offset)
{
	if (reg < COLUMNS)
		m->now.column[reg] = (struct rule){ .how = (uint8_t)how, .offset = offset };
}

static void set_expression(struct machine *m, enum how how, const struct cfi_op *op)
{
	if (op->reg < COLUMNS)
		m->now.column[op->reg] = expression_rule(m, how, &op->expression);
}

static void set_cfa(struct machine *m, uint64_t reg, int64_t offset)
{
	m->now.cfa = (struct rule){ .how = HOW_REGISTER, .offset = offset };
	m->now.cfa_reg = reg;
}

/* Half a rule: the other half has to be there. */
static void set_cfa_part(struct machine *m, uint64_t reg, int64_t offset)
{
	if (m->now.cfa.how != HOW_REGISTER)
		m->bad = true;
	set_cfa(m, reg, offset);
}

static void apply(struct machine *m, const struct cfi_op *op)
{
	switch (op->kind) {
	case CFI_NOTHING:
	case CFI_ADVANCE:
		break;
	case CFI_DEF_CFA:
		set_cfa(m, op->reg, op->offset);
		break;
	case CFI_DEF_CFA_REGISTER:
		set_cfa_part(m, op->reg, m->now.cfa.offset);
		break;
	case CFI_DEF_CFA_OFFSET:
		set_cfa_part(m, m->now.cfa_reg, op->offset);
		break;
	case CFI_DEF_CFA_EXPRESSION:
		m->now.cfa = expression_rule(m, HOW_EXPRESSION, &op->expression);
		break;
	case CFI_REMEMBER_STATE:
		if (m->depth == REMEMBER_DEPTH)
			m->bad = true;
		else
			m->saved[m->depth++] = m->now;
		break;
	case CFI_RESTORE_STATE:
		if (!m->depth)
			m->bad = true;
		else
			m->now = m->saved[--m->depth];
		break;
	case CFI_UNDEFINED:
		set(m, op->reg, HOW_UNDEFINED, 0);
		break;
	case CFI_SAME_VALUE:
		set(m, op->reg, HOW_SAME, 0);
		break;
	case CFI_OFFSET:
		set(m, op->reg, HOW_AT_CFA, op->offset);
		break;
	case CFI_VAL_OFFSET:
		set(m, op->reg, HOW_CFA, op->offset);
		break;
	case CFI_REGISTER:
		set(m, op->reg, HOW_REGISTER, op->offset);
		break;
	case CFI_EXPRESSION:
		set_expression(m, HOW_AT_EXPRESSION, op);
		break;
	case CFI_VAL_EXPRESSION:
		set_expression(m, HOW_EXPRESSION, op);
		break;
	case CFI_RESTORE:
		if (op->reg < COLUMNS)
			m->now.column[op->reg] = m->initial.column[op->reg];
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
	return true;
}

/* The rules that hold at address. False: malformed. Out of line, for the sake of its stack. */
static __attribute__((noinline)) bool get_rules(const struct eh_fde *fde, uint64_t address,
						struct rules *rules)
{
	struct machine m;

	m.now = m.initial = (struct rules){ 0 };
	m.depth = 0;
	m.bad = false;
	if (!fde->has_rip || !run(&m, fde, fde->cie_code, UINT64_MAX))
		return false;
	m.initial = m.now;
	if (!run(&m, fde, fde->code, address))
		return false;
	*rules = m.now;
	return true;
}

static bool get_expression(const struct expression_world *w, const struct rule *rule,
			   const uint64_t *cfa, uint64_t *value)
{
	const struct eh_reader code = { rule->code, rule->code + rule->bytes, false, 0 };

	return expression_value(w, code, cfa, value);
}

static bool get_cfa(const struct expression_world *w, const struct rules *rules, uint64_t *cfa)
{
	if (rules->cfa.how == HOW_EXPRESSION)
		return get_expression(w, &rules->cfa, NULL, cfa);
	if (rules->cfa.how != HOW_REGISTER || !expression_knows(w, rules->cfa_reg))
		return false;
	*cfa = w->reg[rules->cfa_reg] + (uint64_t)rules->cfa.offset;
	return true;
}

/* The caller's value of a register. False: it cannot be known. */
static bool get_register(const struct expression_world *w, unsigned reg, const struct rule *rule,
			 uint64_t cfa, uint64_t *value)
{
	uint64_t from = reg;

	switch (rule->how) {
	case HOW_UNSET:
		*value = cfa;
		if (reg == FULL_RSP)
			return true;
		if (!(CALL_SAVED >> reg & 1))
			return false;
		break;
	case HOW_SAME:
		break;
	case HOW_REGISTER:
		from = (uint64_t)rule->offset;
		break;
	case HOW_AT_CFA:
		return w->get(w->arg, cfa + (uint64_t)rule->offset, 8, value);
	case HOW_CFA:
		*value = cfa + (uint64_t)rule->offset;
		return true;
	case HOW_AT_EXPRESSION:
		return get_expression(w, rule, &cfa, &from) && w->get(w->arg, from, 8, value);
	case HOW_EXPRESSION:
		return get_expression(w, rule, &cfa, value);
	default: /* HOW_UNDEFINED */
		return false;
	}
	if (!expression_knows(w, from))
		return false;
	*value = w->reg[from];
	return true;
}

static enum full_result apply_rules(struct full_frame *frame, const struct rules *rules,
				    bool is_signal)
{
	struct expression_world caller = frame->world;
	uint64_t cfa;
	unsigned reg;

	if (rules->column[EXPRESSION_PC].how == HOW_UNDEFINED)
		return FULL_END;
	if (!get_cfa(&frame->world, rules, &cfa))
		return FULL_STUCK;
	caller.known = 0;
	for (reg = 0; reg < COLUMNS; reg++)
		if (get_register(&frame->world, reg, &rules->column[reg], cfa, &caller.reg[reg]))
			caller.known |= 1u << reg;
	if (!expression_knows(&caller, EXPRESSION_PC) || !expression_knows(&caller, FULL_RSP))
		return FULL_STUCK;
	frame->world = caller;
	frame->exact = is_signal;
	return FULL_STEPPED;
}

/* The address whose rules hold; as cfi_row has it. */
static enum eh_found find_fde(const struct full_frame *frame, const struct dl_find_object *object,
			      struct eh_fde *fde, uint64_t *address)
{
	const uint64_t pc = frame->world.reg[EXPRESSION_PC];
	enum eh_found found;

	*address = pc - !frame->exact;
	found = eh_find(*address, object, fde);
	if (found != EH_NONE || frame->exact)
		return found;
	/* No call stands before a function's first byte: the frame was made by hand, by the kernel
	 * when it is a signal's. */
	*address = pc;
	return eh_find(pc, object, fde) == EH_FDE && fde->pc_begin == pc && fde->is_signal
		       ? EH_FDE
		       : EH_NONE;
}

static enum full_result step(struct full_frame *frame, enum eh_found found,
			     const struct eh_fde *fde, uint64_t address, bool *cfa_from_rsp)
{
	struct rules rules;

	if (found == EH_NONE)
		return FULL_NO_CFI;
	if (found == EH_BAD || !get_rules(fde, address, &rules))
		return FULL_STUCK;
	*cfa_from_rsp = rules.cfa.how == HOW_REGISTER && rules.cfa_reg == FULL_RSP;
	return apply_rules(frame, &rules, fde->is_signal);
}

enum full_result full_step(struct full_frame *frame, const struct dl_find_object *object,
			   bool *cfa_from_rsp)
{
	struct eh_fde fde;
	uint64_t address;
	const enum eh_found found = find_fde(frame, object, &fde, &address);

	return step(frame, found, &fde, address, cfa_from_rsp);
}

enum full_result full_step_in(struct full_frame *frame, const struct eh_section *section,
			      bool *cfa_from_rsp)
{
	const uint64_t address = frame->world.reg[EXPRESSION_PC] - !frame->exact;
	struct eh_fde fde;
	const enum eh_found found = eh_find_in(address, section, &fde);

	return step(frame, found, &fde, address, cfa_from_rsp);
}
