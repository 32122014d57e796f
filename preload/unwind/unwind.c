/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/unwind/unwind.h"

#include <stddef.h>

#include "preload/unwind/readable.h"
#include "preload/unwind/rows.h"

#define FIND_FRAMES_MAX 4096

static struct {
	uint32_t depth;
	uint64_t main_stack_top;
} unwind;

struct frame {
	uint64_t pc, sp, rbp;
	int exact;
};

void unwind_init(uint32_t depth, uint64_t main_stack_top)
{
	unwind.depth = depth;
	unwind.main_stack_top = main_stack_top;
	rows_init();
}

void unwind_state_init(struct unwind_state *u)
{
	uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0), self;

	*u = (struct unwind_state){ 0 };
	/* glibc keeps a thread's descriptor at the top of its stack; the main thread's lies
	 * elsewhere, but a fork child's main thread may be on any thread's stack. */
	__asm__("movq %%fs:0x10, %0" : "=r"(self));
	if (unwind.main_stack_top - here <= READABLE_STACK_BYTES_MAX)
		u->stack_top = unwind.main_stack_top;
	if (self - here <= READABLE_STACK_BYTES_MAX && (!u->stack_top || self < u->stack_top))
		u->stack_top = self;
	u->stack_from = u->stack_top & ~4095ull;
}

uint32_t unwind_ids_max(void)
{
	return unwind.depth + unwind.depth / 2 + 2;
}

void unwind_forget_rows(uint64_t start, uint64_t end)
{
	rows_forget(start, end);
}

/* shift: from an address to where a copy of the stack holds its word; 0: the stack itself. */
static inline uint64_t word_at(uint64_t addr, uint64_t shift)
{
	return *(const uint64_t *)(uintptr_t)(addr + shift);
}

/* From a frame to its caller; 0 when the row leads nowhere sound. */
static inline __attribute__((always_inline)) int step(struct unwind_state *u, struct frame *f,
						      const struct row *row, uint64_t shift)
{
	uint64_t cfa, rbp = f->rbp, at;

	if (row->kind == ROW_SIGNAL) {
		if (!is_readable(u, f->sp + ROW_SIGNAL_RBP, shift) ||
		    !is_readable(u, f->sp + ROW_SIGNAL_RIP, shift))
			return 0;
		f->pc = word_at(f->sp + ROW_SIGNAL_RIP, shift);
		f->rbp = word_at(f->sp + ROW_SIGNAL_RBP, shift);
		f->sp = word_at(f->sp + ROW_SIGNAL_RSP, shift);
		f->exact = 1;
		return 1;
	}
	cfa = (row->cfa == CFA_RSP ? f->sp : f->rbp) + (uint64_t)(int64_t)row->cfa_offset;
	if (row->cfa == CFA_DEREF_RBP) {
		if (!is_readable(u, cfa, shift))
			return 0;
		cfa = word_at(cfa, shift);
	}
	if (cfa <= f->sp || !is_readable(u, cfa - 8, shift))
		return 0;
	if (row->rbp != RBP_SAME) {
		at = (row->rbp == RBP_AT_CFA ? cfa : f->rbp) + (uint64_t)(int64_t)row->rbp_offset;
		if (!is_readable(u, at, shift))
			return 0;
		rbp = word_at(at, shift);
	}
	f->pc = word_at(cfa - 8, shift);
	f->sp = cfa;
	f->rbp = rbp;
	f->exact = 0;
	return 1;
}

static struct frame first_frame(const uint64_t *fp)
{
	return (struct frame){ fp[1], (uint64_t)(uintptr_t)(fp + 2), fp[0], 0 };
}

static inline __attribute__((always_inline)) uint32_t walk(struct unwind_state *u, struct frame f,
							   uint32_t *ids, uint64_t shift)
{
	uint32_t n = 0, depth = unwind.depth, most = depth + depth / 2;
	uint32_t root = XT_ID_NONE, cut_id = 0;
	uint64_t cut_cfa = 0;

	for (;;) {
		const struct row_entry *e = rows_get(f.pc, f.exact);

		if (__builtin_expect(!e, 0)) {
			root = XT_ID_TRUNCATED;
			break;
		}
		if (__builtin_expect(n >= depth, 0)) {
			if (n == depth) {
				cut_cfa = f.sp;
				cut_id = e->id;
			}
			/* The old cut is met: what lies beyond is elided as before. */
			if (f.sp == u->cut_cfa && e->id == u->cut_id) {
				ids[n++] = XT_ID_ELIDED;
				return n;
			}
			if (n == most) {
				u->cut_cfa = cut_cfa;
				u->cut_id = cut_id;
				ids[depth] = XT_ID_ELIDED;
				return depth + 1;
			}
		}
		ids[n] = e->id;
		n += e->id != XT_ID_NONE;
		if (__builtin_expect(e->row.kind != ROW_STEP, 0)) {
			if (e->row.kind == ROW_END)
				break;
			if (e->row.kind != ROW_SIGNAL) {
				root = XT_ID_TRUNCATED;
				break;
			}
		}
		if (__builtin_expect(!step(u, &f, &e->row, shift), 0)) {
			root = XT_ID_TRUNCATED;
			break;
		}
		if (__builtin_expect(f.pc == 0, 0))
			break;
	}
	u->cut_cfa = 0;
	if (root)
		ids[n++] = root;
	return n;
}

uint32_t unwind_walk(struct unwind_state *u, const uint64_t *fp, uint32_t *ids)
{
	return walk(u, first_frame(fp), ids, 0);
}

uint32_t unwind_walk_copy(const struct unwind_copy *c, uint32_t *ids)
{
	const struct frame f = { c->pc, c->sp, c->rbp, 0 };
	struct unwind_state u = { .stack_from = c->sp, .stack_top = c->sp + c->bytes };

	return walk(&u, f, ids, (uint64_t)(uintptr_t)c->stack - c->sp);
}

/* From fp outwards until `hook_fp` is met; *crossed: over a signal frame. */
static enum unwind_place find(struct unwind_state *u, const uint64_t *fp, uint64_t hook_fp,
			      int *crossed)
{
	struct frame f = first_frame(fp);
	int i;

	*crossed = 0;
	for (i = 0; i < FIND_FRAMES_MAX; i++) {
		const struct row_entry *e = rows_get(f.pc, f.exact);
		int is_ours = e && e->id == XT_ID_NONE;

		if (e && e->row.kind == ROW_END)
			return UNWIND_GONE;
		if (!e || (e->row.kind != ROW_STEP && e->row.kind != ROW_SIGNAL))
			return UNWIND_UNKNOWN;
		*crossed |= e->row.kind == ROW_SIGNAL;
		if (!step(u, &f, &e->row, 0))
			return UNWIND_UNKNOWN;
		/* hooks keep their frame pointer: rbp, the return address, then the caller's frame
		 */
		if (is_ours && f.sp == hook_fp + 16)
			return *crossed ? UNWIND_INTERRUPTED : UNWIND_CALLED;
		if (f.pc == 0)
			return UNWIND_GONE;
	}
	return UNWIND_UNKNOWN;
}

enum unwind_place unwind_find_hook(struct unwind_state *u, const uint64_t *fp, uint64_t hook_fp)
{
	int crossed;

	return find(u, fp, hook_fp, &crossed);
}

int unwind_is_in_handler(struct unwind_state *u, const uint64_t *fp)
{
	int crossed;

	return find(u, fp, 0, &crossed) != UNWIND_GONE || crossed;
}
