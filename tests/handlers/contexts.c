/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * contexts CALLS: two contexts that allocate and free, each on a stack of its own. A timer's
 * handler goes from one to the other, wherever that one is: a hook waits there until its context's
 * turn comes again, and meanwhile the other context calls hooks that are to be found on no stack of
 * the first. Says how many calls were made and how often it switched.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#define STACK_BYTES 262144
#define BLOCKS 6

static ucontext_t context[2];
static volatile int current;
static volatile unsigned long switches, calls[2];

/* Set again by each handler: on a busy machine, too, the contexts get on. */
static void set_timer(long microseconds)
{
	const struct itimerval once = { { 0, 0 }, { 0, microseconds } };

	setitimer(ITIMER_REAL, &once, NULL);
}

static void handler(int number)
{
	const int here = current;

	(void)number;
	switches++;
	set_timer(100);
	current = !here;
	swapcontext(&context[here], &context[!here]);
}

__attribute__((noinline)) static void work(int who)
{
	void *block[BLOCKS];

	for (size_t i = 0; i < BLOCKS; i++)
		block[i] = malloc(20 + 16 * i);
	calls[who] += BLOCKS;
	for (size_t i = 0; i < BLOCKS; i++)
		free(block[i]);
}

static void other(void)
{
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarm, NULL);
	for (;;)
		work(1);
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	const unsigned long wanted = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	char text[100];
	int length;

	getcontext(&context[1]);
	sigaddset(&context[1].uc_sigmask, SIGALRM); /* not before it is on its own stack */
	context[1].uc_stack.ss_sp =
		mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	context[1].uc_stack.ss_size = STACK_BYTES;
	makecontext(&context[1], other, 0);
	sigaction(SIGALRM, &action, NULL);
	set_timer(100);
	while (calls[0] < wanted)
		work(0);
	set_timer(0);
	length = snprintf(text, sizeof(text), "calls %lu\nswitches %lu\n", calls[0] + calls[1],
			  switches);
	return write(STDOUT_FILENO, text, (size_t)length) != length;
}
