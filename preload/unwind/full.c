/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/unwind/full.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "preload/sys/stack.h"
#include "preload/sys/syscall.h"
#include "preload/unwind/full_step.h"
#include "preload/unwind/jit.h"
#include "preload/unwind/object.h"
#include "preload/unwind/readable.h"
#include "preload/unwind/by_libunwind.h"
#include "preload/unwind/rows.h"

#define OWN_FRAMES_MAX 1000u
#define STACK_TRIES 1000u

static bool get_memory(void *arg, uint64_t addr, unsigned bytes, uint64_t *value)
{
	struct unwind_state *u = arg;
	const uint64_t first = addr & ~7ull, last = (addr + bytes - 1) & ~7ull;

	if (last < first || !is_readable(u, first, 0) || !is_readable(u, last, 0))
		return false;
	*value = 0;
	memcpy(value, (const void *)(uintptr_t)addr, bytes);
	return true;
}

/* Tells a walk that goes in a circle, by comparing with a frame that is left behind further and
 * further (Brent). */
struct circle {
	uint64_t pc, rsp, rbp;
	uint32_t steps, limit;
};

static bool is_circle(struct circle *c, const uint64_t *reg)
{
	if (reg[EXPRESSION_PC] == c->pc && reg[FULL_RSP] == c->rsp && reg[FULL_RBP] == c->rbp)
		return true;
	if (++c->steps > c->limit) {
		c->limit = 2 * c->steps;
		c->pc = reg[EXPRESSION_PC];
		c->rsp = reg[FULL_RSP];
		c->rbp = reg[FULL_RBP];
	}
	return false;
}

static enum full_result step_by_rules(struct full_frame *frame)
{
	const uint64_t pc = frame->world.reg[EXPRESSION_PC], rsp = frame->world.reg[FULL_RSP];
	struct dl_find_object object;
	struct eh_section section;
	enum full_result result;
	bool cfa_from_rsp;

	if (_dl_find_object((void *)(uintptr_t)(pc - !frame->exact), &object) == 0) {
		object_widen(&object);
		result = full_step(frame, &object, &cfa_from_rsp);
	} else if (jit_find(pc - !frame->exact, &section)) {
		result = full_step_in(frame, &section, &cfa_from_rsp);
	} else {
		return FULL_NO_CFI;
	}
	if (result == FULL_STEPPED && cfa_from_rsp && frame->world.reg[FULL_RSP] <= rsp)
		return FULL_STUCK;
	return result;
}

/* True: frame is its caller's. False: *root tells how the stack ends. */
static bool step(struct full_frame *frame, struct packed_row row, bool is_by_libunwind,
		 uint32_t *root)
{
	const uint8_t kind = rows_row(row).kind;
	enum full_result result;

	if (kind == ROW_END || kind == ROW_NO_CFI) {
		result = kind == ROW_END ? FULL_END : FULL_NO_CFI;
	} else if (is_by_libunwind && rows_no_object(row)) {
		result = FULL_NO_CFI; /* libunwind does not know of registered code */
	} else if (is_by_libunwind) {
		result = by_libunwind_step(frame);
		frame->exact = kind == ROW_SIGNAL;
	} else {
		result = step_by_rules(frame);
	}
	*root = result == FULL_STEPPED || result == FULL_END ? XT_ID_NONE : XT_ID_TRUNCATED;
	return result == FULL_STEPPED && frame->world.reg[EXPRESSION_PC] != 0;
}

struct walk_job {
	struct unwind_state *u;
	const struct full_registers *at;
	uint32_t *ids;
	uint32_t most, count;
	bool ran;
};

static struct full_frame first_frame(const struct full_registers *at, struct unwind_state *u)
{
	struct full_frame f = { .exact = true };
	uint64_t *const reg = f.world.reg;

	reg[3] = at->rbx;
	reg[FULL_RBP] = at->rbp;
	reg[FULL_RSP] = at->rsp;
	reg[12] = at->r12;
	reg[13] = at->r13;
	reg[14] = at->r14;
	reg[15] = at->r15;
	reg[EXPRESSION_PC] = at->rip;
	f.world.known =
		1u << 3 | 1u << FULL_RBP | 1u << FULL_RSP | 0xFu << 12 | 1u << EXPRESSION_PC;
	f.world.get = get_memory;
	f.world.arg = u;
	return f;
}

/* Sets *root to how the stack ends. */
static uint32_t walk_frames(const struct walk_job *job, struct full_frame *f, bool is_by_libunwind,
			    uint32_t *root)
{
	struct circle circle = { 0 };
	uint32_t n = 0, left;

	for (left = job->most + OWN_FRAMES_MAX; left; left--) {
		const struct packed_row row =
			rows_get(f->world.reg[EXPRESSION_PC] << 1 | (uint64_t)f->exact);

		*root = XT_ID_TRUNCATED;
		if (!row.bits || n == job->most)
			break;
		job->ids[n] = packed_id(row);
		n += packed_id(row) != XT_ID_NONE;
		if (is_circle(&circle, f->world.reg) || !step(f, row, is_by_libunwind, root))
			break;
	}
	return n;
}

static void walk(void *arg, int is_private)
{
	struct walk_job *job = arg;
	struct full_frame f = first_frame(job->at, job->u);
	uint32_t root = XT_ID_TRUNCATED;
	bool is_by_libunwind;

	if (!is_private)
		return;
	job->ran = true;
	is_by_libunwind = by_libunwind_begin(&f);
	job->count = walk_frames(job, &f, is_by_libunwind, &root);
	if (is_by_libunwind)
		by_libunwind_end();
	if (root != XT_ID_NONE && job->count < job->most)
		job->ids[job->count++] = root;
}

uint32_t full_walk(struct unwind_state *u, const struct full_registers *at, uint32_t *ids,
		   uint32_t most)
{
	struct walk_job job = { .u = u, .at = at, .ids = ids, .most = most };
	unsigned tries;

	stack_run(walk, &job);
	for (tries = 0; !job.ran && tries < STACK_TRIES; tries++) {
		sys_call0(SYS_sched_yield);
		stack_run(walk, &job);
	}
	return job.count;
}

struct find_job {
	struct unwind_state *u;
	const struct full_registers *at;
	const struct full_search *search;
	enum unwind_place place;
};

static void find(void *arg, int is_private)
{
	struct find_job *job = arg;
	struct full_frame f = first_frame(job->at, job->u);
	struct circle circle = { 0 };
	bool crossed = false;
	uint32_t root;

	if (!is_private)
		return;
	while (!is_circle(&circle, f.world.reg)) {
		const struct packed_row row =
			rows_get(f.world.reg[EXPRESSION_PC] << 1 | (uint64_t)f.exact);
		uint64_t frame;

		if (!row.bits)
			return;
		crossed |= rows_row(row).kind == ROW_SIGNAL;
		if (!step(&f, row, false, &root)) {
			if (root == XT_ID_NONE)
				job->place = crossed ? UNWIND_INTERRUPTED : UNWIND_GONE;
			return;
		}
		frame = f.world.reg[FULL_RSP] - 16;
		if (packed_id(row) == XT_ID_NONE && frame != job->search->from &&
		    job->search->is_hook(job->search->arg, frame)) {
			job->place = crossed ? UNWIND_INTERRUPTED : UNWIND_CALLED;
			return;
		}
	}
}

enum unwind_place full_find(struct unwind_state *u, const struct full_registers *at,
			    const struct full_search *search)
{
	struct find_job job = { u, at, search, UNWIND_UNKNOWN };

	stack_run(find, &job);
	return job.place;
}
