/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/unwind/readable.h"

#include <sys/uio.h>

#include "preload/sys/syscall.h"

#define PAGES_AT_ONCE 16u

/* Outside of the thread's own stack: asked of the kernel, once for each page of a run of pages. */
static __attribute__((noinline)) int probe(struct unwind_state *u, uint64_t addr)
{
	struct iovec to, from;
	uint64_t word, page = addr & ~4095ull;

	if (addr & 7)
		return 0;
	if (addr >= u->probed_from && addr < u->probed_to)
		return 1;
	to = (struct iovec){ &word, 8 };
	from = (struct iovec){ (void *)addr, 8 };
	if (sys_call6(SYS_process_vm_readv, sys_call0(SYS_getpid), (long)&to, 1, (long)&from, 1,
		      0) != 8)
		return 0;
	if (page == u->probed_to)
		u->probed_to += 4096;
	else if (page + 4096 == u->probed_from)
		u->probed_from = page;
	else {
		u->probed_from = page;
		u->probed_to = page + 4096;
	}
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
 * between, is not part of it.
 */
int readable_look_at(struct unwind_state *u, uint64_t addr)
{
	const uint64_t page = addr & ~4095ull;

	if (addr & 7)
		return 0;
	if (addr < u->stack_from && u->stack_from - addr <= READABLE_STACK_BYTES_MAX &&
	    are_pages_readable(page, u->stack_from)) {
		u->stack_from = page;
		return 1;
	}
	return probe(u, addr);
}
