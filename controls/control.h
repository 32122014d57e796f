/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What every control shares. A control is a program whose answer is derived by hand, at the head
 * of its file, and written down in NAME.expect; it also counts its own successful allocation calls
 * and says so at its end. It uses libc only and writes without stdio, which would allocate.
 *
 * Nothing here allocates or stands in a stack that the report shows: counting comes after the call.
 */
#ifndef CONTROLS_CONTROL_H
#define CONTROLS_CONTROL_H

#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A function that has a frame of its own, at every level of optimisation. */
#define SITE static __attribute__((noinline, noclone, noipa, unused))

static atomic_ulong control_calls, control_bytes;

/* Wrapped around each call that may return a block: `p = counted(malloc(n), n)`. NULL is not
 * counted. The barrier keeps the caller's work behind the call, so the call is never the caller's
 * last act. */
static __attribute__((noinline, unused)) void *counted(void *block, size_t bytes)
{
	if (block) {
		atomic_fetch_add(&control_calls, 1);
		atomic_fetch_add(&control_bytes, bytes);
	}
	__asm__ volatile("" ::"r"(block) : "memory");
	return block;
}

/* A number that the compiler must not know, so that it has nothing to say about a size. */
static __attribute__((noinline, unused)) size_t opaque(size_t value)
{
	__asm__ volatile("" : "+r"(value));
	return value;
}

/* An address that the compiler must not follow, so that it has nothing to say about freed ones. */
static __attribute__((noinline, unused)) void *blind(void *block)
{
	__asm__ volatile("" : "+r"(block)::"memory");
	return block;
}

static __attribute__((noinline, unused)) void control_say(const char *what, unsigned long n)
{
	char text[64];
	int length = snprintf(text, sizeof(text), "%s %lu\n", what, n);

	if (write(STDOUT_FILENO, text, (size_t)length) != length)
		_exit(3);
}

/* The control's own premise did not hold: its answer would mean nothing. */
static __attribute__((noinline, unused)) void control_need(int holds, int line)
{
	if (!holds) {
		control_say("premise broken at line", (unsigned long)line);
		_exit(2);
	}
}
#define NEED(holds) control_need(!!(holds), __LINE__)

/* Each control does its work N times for `--work N`, once without: its main begins with this. */
static __attribute__((noinline, unused)) unsigned long control_work(int argc, char **argv)
{
	char *end = NULL;
	unsigned long work = 1;

	if (argc > 1) {
		NEED(argc == 3 && !strcmp(argv[1], "--work"));
		work = strtoul(argv[2], &end, 10);
		NEED(work && !*end);
	}
	return work;
}

static __attribute__((unused)) int control_tls_module(struct dl_phdr_info *info, size_t size,
						      void *max)
{
	size_t *modules = (size_t *)max;

	(void)size;
	if (info->dlpi_tls_modid > *modules)
		*modules = info->dlpi_tls_modid;
	return 0;
}

/*
 * To be called before the first pthread_create, which allocates once for each new thread stack: a
 * dtv of 2 + 14 + (number of modules with thread-local storage) entries of 16 bytes, by calloc. A
 * recorder with such storage is one module more, so the number is asked here, and .expect calls the
 * size DTV. The dtv lives on with the stack, which glibc keeps for the next thread: it is never
 * freed in a control. Stacks are small, whatever the limit of the shell is, for glibc keeps no more
 * than 40 MiB of them.
 */
static __attribute__((unused)) void control_use_threads(void)
{
	pthread_attr_t attributes;
	size_t modules = 0;

	NEED(!pthread_attr_init(&attributes) && !pthread_attr_setstacksize(&attributes, 1 << 18) &&
	     !pthread_setattr_default_np(&attributes));
	dl_iterate_phdr(control_tls_module, &modules);
	control_say("DTV", 16 * (2 + 14 + modules));
}

static __attribute__((unused)) int control_end(void)
{
	control_say("calls", atomic_load(&control_calls));
	control_say("bytes", atomic_load(&control_bytes));
	return 0;
}

#endif
