/* SPDX-License-Identifier: Apache-2.0 */
/* Does this process run under valgrind? */
#ifndef XALLOC_SYS_VALGRIND_H
#define XALLOC_SYS_VALGRIND_H

#include <stdint.h>

/*
 * 1 or 0. The question is a sequence of instructions that valgrind's translator looks for, and that
 * does nothing on a processor: rdi turned by 128 bits in all (valgrind.h: RUNNING_ON_VALGRIND).
 */
static inline int sys_is_valgrind(void)
{
	const uint64_t request[6] = { 0x1001 };
	uint64_t answer = 0;

	__asm__ volatile("rolq $3, %%rdi\n\t"
			 "rolq $13, %%rdi\n\t"
			 "rolq $61, %%rdi\n\t"
			 "rolq $51, %%rdi\n\t"
			 "xchgq %%rbx, %%rbx"
			 : "+d"(answer)
			 : "a"(request)
			 : "cc", "memory");
	return answer != 0;
}

#endif
