/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls without libc: they touch neither errno nor a lock, and are no cancellation points.
 * Each returns the kernel's value: a result, or a negative errno.
 */
#ifndef XALLOC_SYS_SYSCALL_H
#define XALLOC_SYS_SYSCALL_H

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>

/*
 * A bit for each call that the program has forbidden itself by a seccomp filter, and so us: it is
 * not made, whoever asks for it, and the result is -EPERM. Set by rights.c only.
 */
#define SYS_NUMBERS 512u
extern uint64_t sys_denied[SYS_NUMBERS / 64];

static inline int sys_is_denied(long number)
{
	return (unsigned long)number < SYS_NUMBERS &&
	       (sys_denied[number / 64] >> (number % 64) & 1);
}

/* For what must be made in any case: undoing what was done when it was allowed. */
static inline long sys_call6_always(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

static inline long sys_call6(long number, long a, long b, long c, long d, long e, long f)
{
	if (__builtin_expect(sys_is_denied(number), 0))
		return -EPERM;
	return sys_call6_always(number, a, b, c, d, e, f);
}

#define SYS_ARG(x) ((long)(x))
#define sys_call0(n) sys_call6(n, 0, 0, 0, 0, 0, 0)
#define sys_call1(n, a) sys_call6(n, SYS_ARG(a), 0, 0, 0, 0, 0)
#define sys_call2(n, a, b) sys_call6(n, SYS_ARG(a), SYS_ARG(b), 0, 0, 0, 0)
#define sys_call3(n, a, b, c) sys_call6(n, SYS_ARG(a), SYS_ARG(b), SYS_ARG(c), 0, 0, 0)
#define sys_call4(n, a, b, c, d) sys_call6(n, SYS_ARG(a), SYS_ARG(b), SYS_ARG(c), SYS_ARG(d), 0, 0)
#define sys_call5(n, a, b, c, d, e) \
	sys_call6(n, SYS_ARG(a), SYS_ARG(b), SYS_ARG(c), SYS_ARG(d), SYS_ARG(e), 0)

static inline int sys_is_error(long result)
{
	return (unsigned long)result > (unsigned long)-4096L;
}

#endif
