/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/unwind/unwind.h"

#include <stddef.h>

#include "preload/unwind/arch_x86_64.h"
#include "preload/unwind/full.h"
#include "preload/unwind/kept.h"
#include "preload/unwind/readable.h"
#include "preload/unwind/rows.h"

#define FIND_FRAMES_MAX 65536

static uint64_t main_stack_top;

void unwind_init(uint32_t depth, uint64_t stack_top)
{
	main_stack_top = stack_top;
	kept_init(depth);
	rows_init();
}

void unwind_state_init(struct unwind_state *u, void *memory)
{
	uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0), self;

	*u = (struct unwind_state){ 0 };
	if (memory)
		kept_lay(u, memory);
	/* glibc keeps a thread's descriptor at the top of its stack; the main thread's lies
	 * elsewhere, but a fork child's main thread may be on any thread's stack. */
	__asm__("movq %%fs:0x10, %0" : "=r"(self));
	if (main_stack_top - here <= READABLE_STACK_BYTES_MAX)
		u->stack_top = main_stack_top;
	if (self - here <= READABLE_STACK_BYTES_MAX && (!u->stack_top || self < u->stack_top))
		u->stack_top = self;
	u->is_main = u->stack_top && u->stack_top == main_stack_top;
	u->stack_from = u->stack_top & ~4095ull;
}

void unwind_forget_rows(uint64_t start, uint64_t end)
{
	rows_forget(start, end);
}

uint32_t unwind_close_begins(void)
{
	return rows_close_begins();
}

void unwind_close_ends(uint32_t begun)
{
	rows_close_ends(begun);
}

/* The same by all registers, from here on. */
static __attribute__((noinline)) enum unwind_place find_fully(struct unwind_state *u,
							      const struct full_search *search)
{
	struct full_registers here;

	full_registers_here(&here);
	return full_find(u, &here, search);
}

enum unwind_place unwind_find_hook(const struct unwind_state *of_thread, const uint64_t *fp,
				   int (*is_hook)(void *arg, uint64_t frame), void *arg)
{
	const struct full_search search = { (uint64_t)(uintptr_t)fp, is_hook, arg };
	struct unwind_state u = { .stack_from = of_thread->stack_from,
				  .stack_top = of_thread->stack_top,
				  .beyond_gap = of_thread->beyond_gap };
	struct arch_frame f = arch_caller_of(fp);
	int i, crossed = 0;

	readable_begin(&u, fp);
	for (i = 0; i < FIND_FRAMES_MAX; i++) {
		const struct packed_row packed = rows_get(f.key);
		const struct row row = rows_row(packed); /* ROW_NONE if there is none */
		const int is_ours = packed_id(packed) == XT_ID_NONE;

		if (row.kind == ROW_OUTSIDE)
			return find_fully(&u, &search);
		if (row.kind == ROW_END)
			return crossed ? UNWIND_INTERRUPTED : UNWIND_GONE;
		if (row.kind != ROW_STEP && row.kind != ROW_SIGNAL)
			return UNWIND_UNKNOWN;
		crossed |= row.kind == ROW_SIGNAL;
		if (!arch_step(&u, &f, &row, 0))
			return UNWIND_UNKNOWN;
		/* hooks keep their frame pointer: rbp, the return address, then the caller's frame
		 */
		if ((is_ours && is_hook(arg, f.sp - 16)) || f.key == 0)
			return crossed      ? UNWIND_INTERRUPTED
			       : f.key == 0 ? UNWIND_GONE
					    : UNWIND_CALLED;
	}
	return UNWIND_UNKNOWN;
}

int unwind_is_own_stack(const struct unwind_state *u, uint64_t addr)
{
	return readable_is_own(u, addr);
}

static int is_none(void *arg, uint64_t frame)
{
	(void)arg;
	(void)frame;
	return 0;
}

int unwind_is_in_handler(const struct unwind_state *u, const uint64_t *fp)
{
	return unwind_find_hook(u, fp, is_none, NULL) != UNWIND_GONE;
}
