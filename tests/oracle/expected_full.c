/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/oracle/expected_full.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 64
#define STEPS 1000

struct stack {
	uint64_t word[DEPTH];
	int depth;
	bool bad;
};

static void push(struct stack *s, uint64_t value)
{
	if (s->depth < DEPTH)
		s->word[s->depth++] = value;
	else
		s->bad = true;
}

static uint64_t pop(struct stack *s)
{
	if (s->depth > 0)
		return s->word[--s->depth];
	s->bad = true;
	return 0;
}

static void get_register(struct stack *s, const struct expression_world *w, uint64_t reg,
			 uint64_t offset)
{
	if (reg < 17 && w->known & 1u << reg)
		push(s, w->reg[reg] + offset);
	else
		s->bad = true;
}

static uint64_t arithmetic(struct stack *s, const Dwarf_Op *op)
{
	const uint64_t right = pop(s), left = pop(s);
	const int64_t signed_left = (int64_t)left, signed_right = (int64_t)right;

	switch (op->atom) {
	case DW_OP_and:
		return left & right;
	case DW_OP_or:
		return left | right;
	case DW_OP_xor:
		return left ^ right;
	case DW_OP_plus:
		return left + right;
	case DW_OP_minus:
		return left - right;
	case DW_OP_mul:
		return left * right;
	case DW_OP_div:
		if (right && right + 1)
			return (uint64_t)(signed_left / signed_right);
		break;
	case DW_OP_mod:
		if (right)
			return left % right;
		break;
	case DW_OP_shl:
		return right > 63 ? 0 : left << right;
	case DW_OP_shr:
		return right > 63 ? 0 : left >> right;
	case DW_OP_shra:
		return (uint64_t)(signed_left >> (right > 63 ? 63 : right));
	case DW_OP_eq:
		return left == right;
	case DW_OP_ne:
		return left != right;
	case DW_OP_lt:
		return signed_left < signed_right;
	case DW_OP_le:
		return signed_left <= signed_right;
	case DW_OP_gt:
		return signed_left > signed_right;
	case DW_OP_ge:
		return signed_left >= signed_right;
	}
	s->bad = true;
	return 0;
}

/* By the position of operations; false: a jump to between them. */
static bool jump(const Dwarf_Op *ops, size_t count, size_t *at)
{
	const Dwarf_Word target = ops[*at].offset + 3 + (Dwarf_Word)(int16_t)ops[*at].number;
	size_t i;

	for (i = 0; i < count; i++)
		if (ops[i].atom != DW_OP_call_frame_cfa && ops[i].offset == target)
			break;
	if (i == count && target != ops[count - 1].offset + 1)
		return false;
	*at = i - 1;
	return true;
}

/* What a list of operations leaves on the stack. */
static bool evaluate(const struct expression_world *w, const Dwarf_Op *ops, size_t count,
		     const uint64_t *cfa, uint64_t *value)
{
	struct stack s = { .depth = 0 };
	uint64_t a, b, c;
	unsigned steps = 0;
	size_t i;

	for (i = 0; i < count && !s.bad; i++) {
		const Dwarf_Op *op = &ops[i];

		if (++steps > STEPS)
			return false;
		if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
			push(&s, op->atom - DW_OP_lit0);
			continue;
		}
		if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
			get_register(&s, w, op->atom - DW_OP_breg0, op->number);
			continue;
		}
		switch (op->atom) {
		case DW_OP_nop:
			break;
		case DW_OP_call_frame_cfa:
			if (!cfa)
				return false;
			push(&s, *cfa);
			break;
		case DW_OP_bregx:
			get_register(&s, w, op->number, op->number2);
			break;
		case DW_OP_addr:
		case DW_OP_const1u:
		case DW_OP_const1s:
		case DW_OP_const2u:
		case DW_OP_const2s:
		case DW_OP_const4u:
		case DW_OP_const4s:
		case DW_OP_const8u:
		case DW_OP_const8s:
		case DW_OP_constu:
		case DW_OP_consts:
			push(&s, op->number);
			break;
		case DW_OP_plus_uconst:
			push(&s, pop(&s) + op->number);
			break;
		case DW_OP_deref:
		case DW_OP_deref_size:
			a = pop(&s);
			b = op->atom == DW_OP_deref ? 8 : op->number;
			if (b != 1 && b != 2 && b != 4 && b != 8)
				return false;
			if (s.bad || !w->get(w->arg, a, (unsigned)b, &c))
				return false;
			push(&s, c);
			break;
		case DW_OP_dup:
			a = pop(&s);
			push(&s, a);
			push(&s, a);
			break;
		case DW_OP_drop:
			pop(&s);
			break;
		case DW_OP_over:
		case DW_OP_pick:
			a = op->atom == DW_OP_over ? 1 : op->number;
			if (a >= (uint64_t)s.depth)
				return false;
			push(&s, s.word[(uint64_t)s.depth - 1 - a]);
			break;
		case DW_OP_swap:
			a = pop(&s);
			b = pop(&s);
			push(&s, a);
			push(&s, b);
			break;
		case DW_OP_rot: /* the second becomes the first, the third the second */
			a = pop(&s);
			b = pop(&s);
			c = pop(&s);
			push(&s, a);
			push(&s, c);
			push(&s, b);
			break;
		case DW_OP_abs:
			a = pop(&s);
			push(&s, (int64_t)a < 0 ? 0 - a : a);
			break;
		case DW_OP_neg:
			push(&s, 0 - pop(&s));
			break;
		case DW_OP_not:
			push(&s, ~pop(&s));
			break;
		case DW_OP_bra:
		case DW_OP_skip:
			if ((op->atom == DW_OP_skip || pop(&s)) && !jump(ops, count, &i))
				return false;
			break;
		default:
			push(&s, arithmetic(&s, op));
		}
	}
	*value = pop(&s);
	return !s.bad;
}

/* A register's value in the caller. False: it has none. */
static bool caller_value(Dwarf_Frame *frame, const struct full_frame *before, int reg, uint64_t cfa,
			 uint64_t *value, bool *is_undefined)
{
	const struct expression_world *w = &before->world;
	Dwarf_Op memory[3], *ops;
	uint64_t addr;
	size_t count;

	*is_undefined = false;
	if (dwarf_frame_register(frame, reg, memory, &ops, &count))
		return false;
	if (!count && (reg == 0 || reg == 3)) {
		/* elfutils takes register 0 for rbx, which is 3, in what it presumes without a
		 * rule. An explicit rule to that effect looks the same, and nobody writes one. */
		*value = w->reg[reg];
		return reg == 3 && w->known & 1u << reg;
	}
	if (!count) {
		*is_undefined = ops != NULL;
		*value = w->reg[reg];
		return !ops && w->known & 1u << reg;
	}
	if (count == 1 && (ops[0].atom == DW_OP_regx ||
			   (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31))) {
		addr = ops[0].number;
		if (ops[0].atom != DW_OP_regx)
			addr = ops[0].atom - DW_OP_reg0;
		if (addr > 16 || !(w->known & 1u << addr))
			return false;
		*value = w->reg[addr];
		return true;
	}
	if (ops[count - 1].atom == DW_OP_stack_value)
		return evaluate(w, ops, count - 1, &cfa, value);
	return evaluate(w, ops, count, &cfa, &addr) && w->get(w->arg, addr, 8, value);
}

static enum full_result apply(Dwarf_Frame *frame, const struct full_frame *before,
			      struct full_frame *after)
{
	uint64_t cfa;
	bool is_undefined;
	Dwarf_Op *ops;
	size_t count;
	int reg;

	after->world.known = 0;
	if (dwarf_frame_cfa(frame, &ops, &count) || !count)
		return FULL_STUCK;
	caller_value(frame, before, 16, 0, &cfa, &is_undefined);
	if (is_undefined)
		return FULL_END;
	if (!evaluate(&before->world, ops, count, NULL, &cfa))
		return FULL_STUCK;
	for (reg = 0; reg < 17; reg++)
		if (caller_value(frame, before, reg, cfa, &after->world.reg[reg], &is_undefined))
			after->world.known |= 1u << reg;
	if (!(after->world.known & 1u << 16) || !(after->world.known & 1u << 7))
		return FULL_STUCK;
	return FULL_STEPPED;
}

enum full_result expected_full(Dwarf_CFI *cfi, uint64_t address, const struct full_frame *before,
			       struct full_frame *after)
{
	enum full_result result = FULL_STUCK;
	Dwarf_Frame *frame = NULL;
	Dwarf_Addr start, end;
	const char *error;

	*after = *before;
	if (!cfi || dwarf_cfi_addrframe(cfi, address, &frame)) {
		error = cfi ? dwarf_errmsg(-1) : "no matching";
		return !error || strstr(error, "no matching") ? FULL_NO_CFI : FULL_STUCK;
	}
	if (dwarf_frame_info(frame, &start, &end, &after->exact) == 16)
		result = apply(frame, before, after);
	free(frame);
	return result;
}
