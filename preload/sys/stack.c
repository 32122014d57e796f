/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/sys/stack.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/sys/signals.h"
#include "preload/sys/sysmem.h"

#define STACKS 16u

static struct {
	_Atomic int busy;
	uint8_t *base;
} stacks[STACKS];

static void call_on(uint8_t *top, void (*fn)(void *, int), void *arg)
{
	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "movq %[top], %%rsp\n\t"
			 "movl $1, %%esi\n\t"
			 "callq *%[fn]\n\t"
			 "movq %%rbx, %%rsp"
			 : "+D"(arg)
			 : [top] "r"(top), [fn] "r"(fn)
			 : "rbx", "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory",
			   "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
			   "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}

void stack_run(void (*fn)(void *, int), void *arg)
{
	const uint64_t mask = signals_block();
	unsigned i;

	for (i = 0; i < STACKS; i++) {
		if (atomic_exchange_explicit(&stacks[i].busy, 1, memory_order_acquire))
			continue;
		if (!stacks[i].base)
			stacks[i].base = sysmem_new_quietly(STACK_BYTES);
		if (stacks[i].base)
			call_on(stacks[i].base + STACK_BYTES, fn, arg);
		atomic_store_explicit(&stacks[i].busy, 0, memory_order_release);
		if (stacks[i].base)
			goto out;
		break;
	}
	fn(arg, 0);
out:
	signals_restore(mask);
}

void stack_forget_users(void)
{
	unsigned i;

	for (i = 0; i < STACKS; i++)
		stacks[i].busy = 0;
}
