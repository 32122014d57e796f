/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks on calls by which a program gives up rights that recording needs (rights.h). Each goes to
 * libc's own function, which has more to do than the system call: the setuid family tells all
 * threads. What a program does by an instruction of its own is not seen.
 */
#include <asm/resource.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/single_threaded.h>
#include <unistd.h>

#include "preload/hooks.h"
#include "preload/life.h"
#include "preload/real.h"
#include "preload/rights.h"
#include "preload/sys/peek.h"
#include "preload/sys/syscall.h"
#include "preload/tls.h"

#define DECLARE(name, result, parameters) HOOK result name parameters;
XALLOC_RIGHTS_HOOKS(DECLARE)

static void need_real(void)
{
	if (!real.ready)
		real_resolve();
}

#define GIVES_UP(call)            \
	do {                      \
		need_real();      \
		rights_reserve(); \
		return real.call; \
	} while (0)

HOOK int chroot(const char *path)
{
	GIVES_UP(chroot(path));
}

HOOK int unshare(int flags)
{
	need_real();
	rights_reserve_if_begun();
	return real.unshare(flags);
}

HOOK int setns(int fd, int type)
{
	need_real();
	rights_reserve_if_begun();
	return real.setns(fd, type);
}

/* On how large a file may be, and on what may be mapped. */
static void limits(int resource, const void *limit)
{
	need_real();
	if (resource == RLIMIT_FSIZE && limit)
		rights_reserve_if_begun();
	if ((resource == RLIMIT_AS || resource == RLIMIT_DATA) && limit)
		rights_reserve_memory();
}

HOOK int setrlimit(int resource, const void *limit)
{
	limits(resource, limit);
	return real.setrlimit(resource, limit);
}

HOOK int setrlimit64(int resource, const void *limit)
{
	limits(resource, limit);
	return real.setrlimit64(resource, limit);
}

HOOK int prlimit(int pid, int resource, const void *limit, void *old)
{
	limits(resource, limit);
	return real.prlimit(pid, resource, limit, old);
}

HOOK int prlimit64(int pid, int resource, const void *limit, void *old)
{
	limits(resource, limit);
	return real.prlimit64(pid, resource, limit, old);
}

HOOK int setuid(unsigned id)
{
	GIVES_UP(setuid(id));
}

HOOK int seteuid(unsigned id)
{
	GIVES_UP(seteuid(id));
}

HOOK int setreuid(unsigned id, unsigned effective)
{
	GIVES_UP(setreuid(id, effective));
}

HOOK int setresuid(unsigned id, unsigned effective, unsigned saved)
{
	GIVES_UP(setresuid(id, effective, saved));
}

HOOK int setfsuid(unsigned id)
{
	GIVES_UP(setfsuid(id));
}

HOOK int setgid(unsigned id)
{
	GIVES_UP(setgid(id));
}

HOOK int setegid(unsigned id)
{
	GIVES_UP(setegid(id));
}

HOOK int setregid(unsigned id, unsigned effective)
{
	GIVES_UP(setregid(id, effective));
}

HOOK int setresgid(unsigned id, unsigned effective, unsigned saved)
{
	GIVES_UP(setresgid(id, effective, saved));
}

HOOK int setfsgid(unsigned id)
{
	GIVES_UP(setfsgid(id));
}

HOOK int setgroups(size_t count, const unsigned *groups)
{
	GIVES_UP(setgroups(count, groups));
}

HOOK int capset(void *header, void *data)
{
	GIVES_UP(capset(header, data));
}

HOOK int prctl(int option, ...)
{
	struct rights_before before;
	unsigned long a, b, c, d;
	int result;
	va_list args;

	va_start(args, option);
	a = va_arg(args, unsigned long);
	b = va_arg(args, unsigned long);
	c = va_arg(args, unsigned long);
	d = va_arg(args, unsigned long);
	va_end(args);
	if (!tls_is_ready()) /* an ifunc resolver asks, before our own relocation */
		return (int)sys_call5(SYS_prctl, option, a, b, c, d) < 0 ? -1 : 0;
	need_real();
	if (option == PR_SET_TSC && a == PR_TSC_SIGSEGV)
		rights_leave_clock();
	if (option == PR_SET_SYSCALL_USER_DISPATCH && a != PR_SYS_DISPATCH_OFF) {
		rights_dispatch(&before);
		result = real.prctl(option, a, b, c, d);
		if (result)
			rights_kept(&before);
		return result;
	}
	if (option != PR_SET_SECCOMP ||
	    (a != SECCOMP_MODE_STRICT && (a != SECCOMP_MODE_FILTER || !b)))
		return real.prctl(option, a, b, c, d);
	rights_filter(&before, a == SECCOMP_MODE_STRICT ? NULL : (const void *)b);
	result = real.prctl(option, a, b, c, d);
	if (result)
		rights_kept(&before);
	return result;
}

static long seccomp(long operation, long flags, long program)
{
	struct rights_before before;
	long result;

	if (operation == SECCOMP_SET_MODE_STRICT ? flags || program
						 : operation != SECCOMP_SET_MODE_FILTER || !program)
		return real.syscall(SYS_seccomp, operation, flags, program);
	rights_filter(&before, (const void *)program);
	result = real.syscall(SYS_seccomp, operation, flags, program);
	if (result < 0)
		rights_kept(&before);
	return result;
}

/* Does the call make a child with a copy of our memory, which goes on where its parent does? */
static int forks(long number, long a)
{
	const uint64_t *flags = (const uint64_t *)a; /* of clone3: the first word */

	return number == SYS_fork || (number == SYS_clone && !(a & CLONE_VM)) ||
	       (number == SYS_clone3 && !(a & 7) && sys_is_readable((uint64_t)a) &&
		!(*flags & CLONE_VM));
}

static long fork_by(const uint64_t *fp, long number, long a, long b, long c, long d, long e)
{
	const int in_handler = life_fork_begins(fp);
	const long pid = real.syscall(number, a, b, c, d, e);

	if (pid == 0)
		life_forked(in_handler);
	return pid;
}

HOOK long syscall(long number, ...)
{
	long a, b, c, d, e, f, result;
	va_list args;

	va_start(args, number);
	a = va_arg(args, long);
	b = va_arg(args, long);
	c = va_arg(args, long);
	d = va_arg(args, long);
	e = va_arg(args, long);
	f = va_arg(args, long);
	va_end(args);
	if (!tls_is_ready()) {
		result = sys_call6(number, a, b, c, d, e, f);
		return sys_is_error(result) ? -1 : result;
	}
	need_real();
	if (forks(number, a))
		return fork_by(HOOK_FRAME, number, a, b, c, d, e);
	switch (number) {
	case SYS_chroot:
	case SYS_setuid:
	case SYS_setreuid:
	case SYS_setresuid:
	case SYS_setfsuid:
	case SYS_setgid:
	case SYS_setregid:
	case SYS_setresgid:
	case SYS_setfsgid:
	case SYS_setgroups:
	case SYS_capset:
	case SYS_pivot_root:
	case SYS_landlock_restrict_self:
		rights_reserve();
		break;
	case SYS_unshare:
	case SYS_setns:
		rights_reserve_if_begun();
		break;
	case SYS_seccomp:
		return seccomp(a, b, c);
	case SYS_prctl:
		return prctl((int)a, b, c, d, e);
	case SYS_execve:
		return execve((const char *)a, (char *const *)b, (char *const *)c);
	case SYS_execveat:
		return execveat((int)a, (const char *)b, (char *const *)c, (char *const *)d,
				(int)e);
	case SYS_brk:
		life_moves_heap();
		break;
	case SYS_exit:
		if (!__libc_single_threaded)
			break;
		/* fall through */
	case SYS_exit_group:
		life_finish((int)a & 0xFF);
		break;
	case SYS_setrlimit:
		limits((int)a, (const void *)b);
		break;
	case SYS_prlimit64:
		limits((int)b, (const void *)c);
		break;
	default:
		break;
	}
	return real.syscall(number, a, b, c, d, e, f);
}
