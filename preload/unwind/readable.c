/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/unwind/readable.h"

#include "preload/sys/peek.h"

/* The run grows over so many pages at once: frames with large arrays. */
#define RUN_GAP_BYTES_MAX (64ull << 12)

static int is_probed(const struct unwind_state *u, uint64_t addr)
{
	unsigned i;

	if (readable_is_in_run(u, addr))
		return 1;
	for (i = 0; i < UNWIND_PROBED; i++)
		if (addr >= u->probed[i].from && addr < u->probed[i].to)
			return 1;
	return 0;
}

/* Outside of the thread's own stack: asked of the kernel, once for each page of a run of pages. */
static __attribute__((noinline)) int probe(struct unwind_state *u, uint64_t addr)
{
	const uint64_t page = addr & ~4095ull;
	unsigned i;

	if (!sys_is_readable(addr))
		return 0;
	for (i = 0; i < UNWIND_PROBED; i++) {
		struct unwind_pages *run = &u->probed[i];

		if (page == run->to)
			run->to += 4096;
		else if (page + 4096 == run->from)
			run->from = page;
		else
			continue;
		return 1;
	}
	i = u->next_probed++ % UNWIND_PROBED;
	u->probed[i] = (struct unwind_pages){ page, page + 4096 };
	return 1;
}

static int are_pages_readable(uint64_t from, uint64_t to)
{
	for (; from < to; from += 4096)
		if (!sys_is_readable(from))
			return 0;
	return 1;
}

/*
 * The known part of the thread's own stack grows downwards over pages without a gap: a stack that
 * the program made right below, with a guard page between, is not part of it, and is not tried
 * again.
 */
static int grow_own(struct unwind_state *u, uint64_t addr)
{
	const uint64_t page = addr & ~4095ull;

	if (addr >= u->stack_from || page <= u->beyond_gap ||
	    u->stack_from - addr > READABLE_STACK_BYTES_MAX)
		return 0;
	if (!are_pages_readable(page, u->stack_from)) {
		u->beyond_gap = page;
		return 0;
	}
	u->stack_from = page;
	return 1;
}

/*
 * A hook stands at addr, and nobody can be asked any more. The kernel keeps the main thread's stack
 * in one piece, and other mappings far from it.
 */
static int grow_unasked(struct unwind_state *u, uint64_t addr)
{
	if (!sys_is_denied(SYS_rt_sigprocmask) || !u->is_main || addr >= u->stack_from ||
	    u->stack_from - addr > READABLE_STACK_BYTES_MAX)
		return 0;
	u->stack_from = addr & ~4095ull;
	return 1;
}

/* Outwards, where the callers of the hook have their frames. */
static int grow_run(struct unwind_state *u, uint64_t addr)
{
	struct unwind_pages *run = &u->runs[u->run];
	const uint64_t to = (addr & ~4095ull) + 4096;

	if (!u->is_on_run || to <= run->to || to - run->to > RUN_GAP_BYTES_MAX ||
	    to - run->from > READABLE_STACK_BYTES_MAX || !are_pages_readable(run->to, to))
		return 0;
	run->to = to;
	return 1;
}

int readable_look_at(struct unwind_state *u, uint64_t addr)
{
	if (addr & 7)
		return 0;
	u->is_far = 1;
	return is_probed(u, addr) || grow_own(u, addr) || grow_run(u, addr) || probe(u, addr);
}

static void forget_probed(struct unwind_state *u)
{
	unsigned i;

	for (i = 0; i < UNWIND_PROBED; i++)
		u->probed[i] = (struct unwind_pages){ 0, 0 };
	u->next_probed = 0;
	u->is_on_run = 0;
}

void readable_forget(struct unwind_state *u)
{
	unsigned i;

	forget_probed(u);
	for (i = 0; i < UNWIND_RUNS; i++)
		u->runs[i] = (struct unwind_pages){ 0, 0 };
}

int readable_begin_elsewhere(struct unwind_state *u, uint64_t addr)
{
	const uint64_t page = addr & ~4095ull;
	const uint32_t last = u->run;
	struct unwind_pages *run;
	uint32_t i;

	forget_probed(u);
	if (readable_is_own(u, addr))
		return 0;
	for (i = 0; i < UNWIND_RUNS; i++)
		if (addr >= u->runs[i].from && addr < u->runs[i].to) {
			u->is_on_run = 1;
			u->run = i;
			return i == last;
		}
	if (grow_own(u, addr) || grow_unasked(u, addr))
		return 0;
	u->is_on_run = 1;
	run = &u->runs[last];
	if (page < run->from && run->from - page <= RUN_GAP_BYTES_MAX &&
	    are_pages_readable(page, run->from)) {
		run->from = page;
		return 1;
	}
	u->run = u->next_run++ % UNWIND_RUNS;
	u->runs[u->run] = (struct unwind_pages){ page, page + 4096 };
	return 0;
}
