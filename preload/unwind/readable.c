/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/unwind/readable.h"

#include <sys/uio.h>

#include "preload/sys/syscall.h"

#define PAGES_AT_ONCE 16u

static int is_probed(const struct unwind_state *u, uint64_t addr)
{
	unsigned i;

	for (i = 0; i < UNWIND_PROBED; i++)
		if (addr >= u->probed[i].from && addr < u->probed[i].to)
			return 1;
	return 0;
}

/* Outside of the thread's own stack: asked of the kernel, once for each page of a run of pages. */
static __attribute__((noinline)) int probe(struct unwind_state *u, uint64_t addr)
{
	uint64_t word, page = addr & ~4095ull;
	const struct iovec to = { &word, 8 }, from = { (void *)addr, 8 };
	unsigned i;

	if (sys_call6(SYS_process_vm_readv, sys_call0(SYS_getpid), (long)&to, 1, (long)&from, 1,
		      0) != 8)
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

/* Are these pages all readable? One byte of each is asked for. */
static int are_pages_readable(uint64_t from, uint64_t to)
{
	struct iovec local, remote[PAGES_AT_ONCE];
	char bytes[PAGES_AT_ONCE];
	unsigned i, n;

	for (; from < to; from += n * 4096ull) {
		n = (to - from) / 4096 < PAGES_AT_ONCE ? (unsigned)((to - from) / 4096)
						       : PAGES_AT_ONCE;
		for (i = 0; i < n; i++)
			remote[i] = (struct iovec){ (void *)(from + i * 4096ull), 1 };
		local = (struct iovec){ bytes, n };
		if (sys_call6(SYS_process_vm_readv, sys_call0(SYS_getpid), (long)&local, 1,
			      (long)remote, n, 0) != (long)n)
			return 0;
	}
	return 1;
}

/*
 * addr lies below what is known of the thread's own stack, or elsewhere. The known part grows
 * downwards over pages without a gap: a stack that the program made right below, with a guard page
 * between, is not part of it, and is not tried again.
 */
int readable_look_at(struct unwind_state *u, uint64_t addr)
{
	const uint64_t page = addr & ~4095ull;

	if (addr & 7)
		return 0;
	if (is_probed(u, addr))
		return 1;
	if (addr < u->stack_from && page > u->beyond_gap &&
	    u->stack_from - addr <= READABLE_STACK_BYTES_MAX) {
		if (are_pages_readable(page, u->stack_from)) {
			u->stack_from = page;
			return 1;
		}
		u->beyond_gap = page;
	}
	return probe(u, addr);
}

void readable_forget(struct unwind_state *u)
{
	unsigned i;

	for (i = 0; i < UNWIND_PROBED; i++)
		u->probed[i] = (struct unwind_pages){ 0, 0 };
}
