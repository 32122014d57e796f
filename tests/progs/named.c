/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * named [killed | fork | filter | many]: threads that are called something, one after the other.
 *
 *    0  chief           it calls itself so
 *    1  early           before its first call
 *    2  late            after 100 calls; 100 more follow
 *    3  named           nothing says otherwise: the main thread's program name
 *    4  given           by the main thread, after its last call; it lives to the end
 *    5  ESC[31m         a name that no terminal may see
 *    6  seventeen-bytes is cut to 15 by who writes it
 *
 * Then it ends: killed by a signal; fork: after a child that is called `child`; filter: the main
 * thread has forbidden itself prctl, on pain of death, before `full`, a thread of several chunks;
 * many: after 300 threads that are called odd or even.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_barrier_t barrier;

static void work(int calls)
{
	for (; calls > 0; calls--) {
		void *block = malloc(100 + calls % 7);

		__asm__ volatile("" : : "r"(block) : "memory");
		free(block);
	}
}

static void *early(void *name)
{
	prctl(PR_SET_NAME, name);
	work(10);
	return NULL;
}

static void *late(void *name)
{
	work(100);
	prctl(PR_SET_NAME, name);
	work(100);
	return NULL;
}

static void *unnamed(void *unused)
{
	work(10);
	return unused;
}

/* Until the main thread has named it; then it waits for ever. */
static void *given(void *unused)
{
	work(10);
	pthread_barrier_wait(&barrier);
	pause();
	return unused;
}

static void *full(void *unused)
{
	work(100000);
	return unused;
}

static void run(void *(*body)(void *), const char *name)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, body, (void *)name) || pthread_join(thread, NULL))
		_exit(99);
}

static void forbid_prctl(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { sizeof(code) / sizeof(*code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		_exit(98);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	pthread_t thread;

	work(10);
	prctl(PR_SET_NAME, "chief");
	run(early, "early");
	run(late, "late");
	prctl(PR_SET_NAME, "named");
	run(unnamed, NULL);
	prctl(PR_SET_NAME, "chief");
	pthread_barrier_init(&barrier, NULL, 2);
	if (pthread_create(&thread, NULL, given, NULL))
		return 99;
	pthread_barrier_wait(&barrier);
	pthread_setname_np(thread, "given");
	run(early, "\033[31m");
	run(early, "seventeen-bytes-x");
	work(100);
	if (!strcmp(how, "killed"))
		raise(SIGKILL);
	if (!strcmp(how, "fork") && !fork()) {
		prctl(PR_SET_NAME, "child");
		work(100);
		return 0;
	}
	wait(NULL);
	for (int i = 0; !strcmp(how, "many") && i < 300; i++)
		run(early, i % 2 ? "odd" : "even");
	if (!strcmp(how, "filter")) {
		forbid_prctl();
		run(full, NULL);
	}
	return 0;
}
