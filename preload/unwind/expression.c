/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/unwind/expression.h"

#include <stddef.h>

#define STACK_WORDS 64u
#define STEPS_MAX 1000u /* those of compilers and assemblers have under 20 */

enum op {
	OP_ADDR = 0x03,
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08, /* then 1s, 2u, 2s, 4u, 4s, 8u, 8s */
	OP_CONST8S = 0x0F,
	OP_CONSTU = 0x10,
	OP_CONSTS = 0x11,
	OP_DUP = 0x12,
	OP_DROP = 0x13,
	OP_OVER = 0x14,
	OP_PICK = 0x15,
	OP_SWAP = 0x16,
	OP_ROT = 0x17,
	OP_ABS = 0x19,
	OP_AND = 0x1A,
	OP_DIV = 0x1B,
	OP_MINUS = 0x1C,
	OP_MOD = 0x1D,
	OP_MUL = 0x1E,
	OP_NEG = 0x1F,
	OP_NOT = 0x20,
	OP_OR = 0x21,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_SHR = 0x25,
	OP_SHRA = 0x26,
	OP_XOR = 0x27,
	OP_BRA = 0x28,
	OP_EQ = 0x29,
	OP_GE = 0x2A,
	OP_GT = 0x2B,
	OP_LE = 0x2C,
	OP_LT = 0x2D,
	OP_NE = 0x2E,
	OP_SKIP = 0x2F,
	OP_LIT0 = 0x30,
	OP_LIT31 = 0x4F,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8F,
	OP_BREGX = 0x92,
	OP_DEREF_SIZE = 0x94,
	OP_NOP = 0x96,
	OP_GNU_ENCODED_ADDR = 0xF1
};

struct machine {
	const struct expression_world *world;
	const uint8_t *start;
	struct eh_reader r;
	uint64_t word[STACK_WORDS];
	unsigned depth;
	bool bad;
};

static void push(struct machine *m, uint64_t value)
{
	if (m->depth < STACK_WORDS)
		m->word[m->depth++] = value;
	else
		m->bad = true;
}

static uint64_t pop(struct machine *m)
{
	if (m->depth)
		return m->word[--m->depth];
	m->bad = true;
	return 0;
}

/* The word so many below the top. */
static uint64_t peek(struct machine *m, unsigned below)
{
	if (below < m->depth)
		return m->word[m->depth - 1 - below];
	m->bad = true;
	return 0;
}

static void push_register(struct machine *m, uint64_t reg)
{
	const uint64_t offset = (uint64_t)eh_sleb(&m->r);

	if (expression_knows(m->world, reg))
		push(m, m->world->reg[reg] + offset);
	else
		m->bad = true;
}

static void push_constant(struct machine *m, unsigned op)
{
	const unsigned bytes = 1u << (op - OP_CONST1U) / 2, unused = 64 - 8 * bytes;
	const uint64_t value = eh_fixed(&m->r, bytes);

	push(m, op & 1 ? (uint64_t)((int64_t)(value << unused) >> unused) : value);
}

static void dereference(struct machine *m, unsigned bytes)
{
	const uint64_t addr = pop(m);
	uint64_t value = 0;

	if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
		m->bad = true;
	if (!m->bad && !m->world->get(m->world->arg, addr, bytes, &value))
		m->bad = true;
	push(m, value);
}

static void jump(struct machine *m, bool taken)
{
	const int64_t by = (int16_t)eh_fixed(&m->r, 2);

	if (!taken || m->r.bad)
		return;
	if (by < m->start - m->r.at || by > m->r.end - m->r.at)
		m->bad = true;
	else
		m->r.at += by;
}

static void unary(struct machine *m, unsigned op)
{
	const uint64_t a = pop(m);

	switch (op) {
	case OP_ABS:
		push(m, (int64_t)a < 0 ? -a : a);
		break;
	case OP_NEG:
		push(m, -a);
		break;
	case OP_NOT:
		push(m, ~a);
		break;
	default: /* OP_PLUS_UCONST */
		push(m, a + eh_uleb(&m->r));
	}
}

static uint64_t quotient(struct machine *m, uint64_t a, uint64_t b)
{
	if (!b) {
		m->bad = true;
		return 0;
	}
	/* the one that overflows */
	return b == UINT64_MAX ? -a : (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t binary(struct machine *m, unsigned op, uint64_t a, uint64_t b)
{
	switch (op) {
	case OP_AND:
		return a & b;
	case OP_DIV:
		return quotient(m, a, b);
	case OP_MINUS:
		return a - b;
	case OP_MOD:
		m->bad |= !b;
		return b ? a % b : 0;
	case OP_MUL:
		return a * b;
	case OP_OR:
		return a | b;
	case OP_PLUS:
		return a + b;
	case OP_SHL:
		return b < 64 ? a << b : 0;
	case OP_SHR:
		return b < 64 ? a >> b : 0;
	case OP_SHRA:
		return (uint64_t)((int64_t)a >> (b < 64 ? b : 63));
	case OP_XOR:
		return a ^ b;
	case OP_EQ:
		return a == b;
	case OP_GE:
		return (int64_t)a >= (int64_t)b;
	case OP_GT:
		return (int64_t)a > (int64_t)b;
	case OP_LE:
		return (int64_t)a <= (int64_t)b;
	case OP_LT:
		return (int64_t)a < (int64_t)b;
	case OP_NE:
		return a != b;
	default: /* a location or an object: nothing that a rule can be computed from */
		m->bad = true;
		return 0;
	}
}

static void rotate(struct machine *m)
{
	const uint64_t a = pop(m), b = pop(m), c = pop(m);

	push(m, a);
	push(m, c);
	push(m, b);
}

static void step(struct machine *m, unsigned op)
{
	uint64_t a, b;

	if (op >= OP_LIT0 && op <= OP_LIT31) {
		push(m, op - OP_LIT0);
		return;
	}
	if (op >= OP_BREG0 && op <= OP_BREG31) {
		push_register(m, op - OP_BREG0);
		return;
	}
	if (op >= OP_CONST1U && op <= OP_CONST8S) {
		push_constant(m, op);
		return;
	}
	switch (op) {
	case OP_NOP:
		break;
	case OP_ADDR:
		push(m, eh_fixed(&m->r, 8));
		break;
	case OP_GNU_ENCODED_ADDR:
		op = eh_byte(&m->r);
		push(m, eh_encoded(&m->r, op, NULL));
		break;
	case OP_CONSTU:
		push(m, eh_uleb(&m->r));
		break;
	case OP_CONSTS:
		push(m, (uint64_t)eh_sleb(&m->r));
		break;
	case OP_BREGX:
		a = eh_uleb(&m->r);
		push_register(m, a);
		break;
	case OP_DEREF:
		dereference(m, 8);
		break;
	case OP_DEREF_SIZE:
		dereference(m, eh_byte(&m->r));
		break;
	case OP_DUP:
		push(m, peek(m, 0));
		break;
	case OP_OVER:
		push(m, peek(m, 1));
		break;
	case OP_PICK:
		push(m, peek(m, eh_byte(&m->r)));
		break;
	case OP_DROP:
		pop(m);
		break;
	case OP_SWAP:
		a = pop(m);
		b = pop(m);
		push(m, a);
		push(m, b);
		break;
	case OP_ROT:
		rotate(m);
		break;
	case OP_SKIP:
		jump(m, true);
		break;
	case OP_BRA:
		jump(m, pop(m) != 0);
		break;
	case OP_ABS:
	case OP_NEG:
	case OP_NOT:
	case OP_PLUS_UCONST:
		unary(m, op);
		break;
	default:
		b = pop(m);
		a = pop(m);
		push(m, binary(m, op, a, b));
	}
}

bool expression_value(const struct expression_world *w, struct eh_reader code,
		      const uint64_t *first, uint64_t *value)
{
	struct machine m;
	unsigned steps;

	m.world = w;
	m.start = code.at;
	m.r = code;
	m.depth = 0;
	m.bad = false;
	if (first)
		push(&m, *first);
	for (steps = 0; m.r.at < m.r.end; steps++) {
		if (steps == STEPS_MAX)
			return false;
		step(&m, eh_byte(&m.r));
		if (m.bad || m.r.bad)
			return false;
	}
	*value = pop(&m);
	return !m.bad;
}
