/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * asked SHAPE: BLOCKS blocks of BLOCK bytes and one of LARGE stay live, and the program ends: alone
 * (plain), beside threads (alive), after one (joined), with the right to some calls given up
 * (denied), after a malloc that was left by longjmp while it mapped memory (left).
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BLOCKS 4000
#define BLOCK 1000
#define LARGE (4ul << 20)
#define THREADS 3

static void *volatile kept[BLOCKS + 1];
static jmp_buf before;
static volatile int leaves;

/* The allocator's, too: what it maps memory with. */
void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	if (leaves)
		longjmp(before, 1);
	return (void *)syscall(SYS_mmap, at, bytes, protection, flags, fd, offset);
}

static void *waits(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void *ends(void *arg)
{
	return arg;
}

static void alive(void)
{
	pthread_t thread;

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, waits, NULL))
			exit(99);
}

static void joined(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, ends, NULL) || pthread_join(thread, NULL))
		exit(99);
}

static void left(void)
{
	if (setjmp(before) == 0) {
		leaves = 1;
		kept[1] = malloc(256ul << 20);
		exit(99); /* it mapped nothing */
	}
	leaves = 0;
}

static void denied(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrusage, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		exit(99);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} shapes[] = {
		{ "alive", alive }, { "joined", joined }, { "left", left }, { "denied", denied }
	};

	for (int i = 0; i < BLOCKS; i++)
		kept[i + 1] = malloc(BLOCK);
	kept[0] = malloc(LARGE); /* after `left` a malloc may wait for ever */
	for (size_t i = 0; argc > 1 && i < sizeof(shapes) / sizeof(*shapes); i++)
		if (!strcmp(argv[1], shapes[i].name))
			shapes[i].run();
	return kept[0] ? 0 : 99;
}
