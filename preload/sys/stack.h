/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work that needs more stack than a hook may use of the target's runs on a stack of our own. Signals must be
 * blocked: a handler must not run there.
 */
#ifndef XALLOC_SYS_STACK_H
#define XALLOC_SYS_STACK_H

#define STACK_BYTES (64u << 10)

/* Runs fn(arg) on the stack that ends at `top`, 16-byte aligned. */
static inline void stack_call(void *top, void (*fn)(void *), void *arg)
{
	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "movq %[top], %%rsp\n\t"
			 "callq *%[fn]\n\t"
			 "movq %%rbx, %%rsp"
			 : "+D"(arg)
			 : [top] "r"(top), [fn] "r"(fn)
			 : "rbx", "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc", "xmm0", "xmm1",
			   "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
			   "xmm13", "xmm14", "xmm15");
}

#endif
