/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/sys/filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>

#include "preload/sys/peek.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Arguments of ours that are always these: filters tell mappings that can be executed from others.
 */
static const struct known {
	int number;
	uint64_t args[6];
} known[] = {
	{ SYS_mmap,
	  { 0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, ~0ull,
	    0 } },
	{ SYS_mprotect, { 0, 4096, PROT_READ | PROT_WRITE, 0, 0, 0 } },
	{ SYS_madvise, { 0, 4096, MADV_POPULATE_WRITE, 0, 0, 0 } },
};

struct machine {
	uint32_t a, x, memory[BPF_MEMWORDS];
	struct seccomp_data data;
	int knows_args;
};

/* 0: the word is not known. */
static int load(const struct machine *m, uint32_t offset, uint32_t *word)
{
	if (offset > sizeof(m->data) - 4 || offset % 4 ||
	    (offset >= offsetof(struct seccomp_data, instruction_pointer) &&
	     (offset < offsetof(struct seccomp_data, args) || !m->knows_args)))
		return 0;
	*word = *(const uint32_t *)(const void *)((const char *)&m->data + offset);
	return 1;
}

/* 0: no such operation. */
static int compute(uint32_t *a, uint16_t code, uint32_t b)
{
	switch (BPF_OP(code)) {
	case BPF_ADD:
		*a += b;
		return 1;
	case BPF_SUB:
		*a -= b;
		return 1;
	case BPF_MUL:
		*a *= b;
		return 1;
	case BPF_DIV:
		*a = b ? *a / b : 0;
		return b != 0;
	case BPF_AND:
		*a &= b;
		return 1;
	case BPF_OR:
		*a |= b;
		return 1;
	case BPF_XOR:
		*a ^= b;
		return 1;
	case BPF_LSH:
		*a = b < 32 ? *a << b : 0;
		return 1;
	case BPF_RSH:
		*a = b < 32 ? *a >> b : 0;
		return 1;
	case BPF_NEG:
		*a = -*a;
		return 1;
	default:
		return 0;
	}
}

static int holds(uint32_t a, uint16_t code, uint32_t b)
{
	switch (BPF_OP(code)) {
	case BPF_JEQ:
		return a == b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	default:
		return (a & b) != 0;
	}
}

/* What the filter returns; SECCOMP_RET_KILL_PROCESS where that is not known. */
static uint32_t run(struct machine *m, const struct sock_filter *filter, uint32_t count)
{
	uint32_t at;

	for (at = 0; at < count; at++) {
		const struct sock_filter *f = &filter[at];
		const uint32_t operand = BPF_SRC(f->code) == BPF_X ? m->x : f->k;
		const uint32_t place = f->k < BPF_MEMWORDS ? f->k : 0;

		switch (BPF_CLASS(f->code)) {
		case BPF_LD:
			if (BPF_MODE(f->code) == BPF_IMM)
				m->a = f->k;
			else if (BPF_MODE(f->code) == BPF_MEM)
				m->a = m->memory[place];
			else if (BPF_MODE(f->code) == BPF_LEN)
				m->a = sizeof(m->data);
			else if (BPF_MODE(f->code) != BPF_ABS || !load(m, f->k, &m->a))
				return SECCOMP_RET_KILL_PROCESS;
			break;
		case BPF_LDX:
			m->x = BPF_MODE(f->code) == BPF_IMM   ? f->k
			       : BPF_MODE(f->code) == BPF_MEM ? m->memory[place]
							      : (uint32_t)sizeof(m->data);
			break;
		case BPF_ST:
			m->memory[place] = m->a;
			break;
		case BPF_STX:
			m->memory[place] = m->x;
			break;
		case BPF_ALU:
			if (!compute(&m->a, f->code, operand))
				return SECCOMP_RET_KILL_PROCESS;
			break;
		case BPF_JMP:
			if (BPF_OP(f->code) == BPF_JA)
				at += f->k;
			else
				at += holds(m->a, f->code, operand) ? f->jt : f->jf;
			break;
		case BPF_RET:
			return BPF_RVAL(f->code) == BPF_A ? m->a : f->k;
		default: /* BPF_MISC */
			if (BPF_MISCOP(f->code) == BPF_TAX)
				m->x = m->a;
			else
				m->a = m->x;
			break;
		}
	}
	return SECCOMP_RET_KILL_PROCESS;
}

static int lets_through(const struct sock_filter *filter, uint32_t count, int number)
{
	struct machine m = { .data = { .nr = number, .arch = AUDIT_ARCH_X86_64 } };
	uint32_t action;
	unsigned i, j;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (known[i].number == number) {
			m.knows_args = 1;
			for (j = 0; j < 6; j++)
				m.data.args[j] = known[i].args[j];
		}
	action = run(&m, filter, count) & SECCOMP_RET_ACTION_FULL;
	return action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG;
}

static int is_there(const void *start, uint64_t bytes)
{
	uint64_t at = (uint64_t)(uintptr_t)start & ~7ull, end = (uint64_t)(uintptr_t)start + bytes;

	for (; at < end; at = (at & ~4095ull) + 4096)
		if (!sys_is_readable(at))
			return 0;
	return 1;
}

static void deny_all(uint64_t denied[SYS_NUMBERS / 64])
{
	unsigned i;

	for (i = 0; i < SYS_NUMBERS / 64; i++)
		denied[i] = ~0ull;
}

int filter_denies(const void *program, uint64_t denied[SYS_NUMBERS / 64])
{
	const struct sock_fprog *p = program;
	int number;

	if (sys_is_denied(SYS_rt_sigprocmask)) { /* nobody to ask whether it can be read */
		deny_all(denied);
		return 0;
	}
	if (!is_there(p, sizeof(*p)) || !p->len || p->len > BPF_MAXINSNS ||
	    !is_there(p->filter, p->len * sizeof(*p->filter)))
		return -1;
	for (number = 0; number < (int)SYS_NUMBERS; number++)
		if (!lets_through(p->filter, p->len, number))
			denied[number / 64] |= 1ull << (number % 64);
	return 0;
}

void filter_strict(uint64_t denied[SYS_NUMBERS / 64])
{
	deny_all(denied);
	denied[SYS_write / 64] &= ~(1ull << (SYS_write % 64));
}
