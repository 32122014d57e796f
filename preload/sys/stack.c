/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/sys/stack.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/sys/signals.h"
#include "preload/sys/sysmem.h"
#include "preload/sys/valgrind.h"

#define STACKS 16u

static _Atomic int busy[STACKS];
static int is_usable[STACKS]; /* asked for by who has it */
static uint8_t *_Atomic base; /* of the lowest stack */

/* All at once, at the first use: before there is a trace, so that the range is in it. */
static uint8_t *stacks_get(void)
{
	uint8_t *have = atomic_load(&base), *fresh;

	if (have)
		return have;
	fresh = sysmem_reserve(STACKS * (size_t)STACK_BYTES);
	if (fresh && !atomic_compare_exchange_strong(&base, &have, fresh)) {
		sysmem_free(fresh, STACKS * (size_t)STACK_BYTES);
		return have;
	}
	return fresh;
}

#ifdef __SSE__
#error "-mgeneral-regs-only: fn uses vector registers, and nothing here may live in one"
#endif
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
			   "cc");
}

void stack_run(void (*fn)(void *, int), void *arg)
{
	const uint64_t mask = signals_block();
	uint8_t *stacks;
	unsigned i;

	if (sys_is_valgrind()) { /* a change of stack is a fault to it; nothing is recorded there */
		fn(arg, 1);
		signals_restore(mask);
		return;
	}
	stacks = stacks_get();
	for (i = 0; stacks && i < STACKS; i++) {
		if (atomic_exchange_explicit(&busy[i], 1, memory_order_acquire))
			continue;
		if (!is_usable[i])
			is_usable[i] =
				sysmem_use(stacks + i * (size_t)STACK_BYTES, STACK_BYTES) == 0;
		if (!is_usable[i]) { /* RLIMIT_DATA: nor is the next one */
			atomic_store_explicit(&busy[i], 0, memory_order_release);
			i = STACKS;
			break;
		}
		call_on(stacks + (i + 1) * (size_t)STACK_BYTES, fn, arg);
		atomic_store_explicit(&busy[i], 0, memory_order_release);
		break;
	}
	if (!stacks || i == STACKS)
		fn(arg, 0);
	signals_restore(mask);
}

void stack_forget_users(void)
{
	unsigned i;

	for (i = 0; i < STACKS; i++)
		busy[i] = 0;
	atomic_store(&signals_blocked, 0);
}
