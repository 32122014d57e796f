/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signal handlers that allocate: on the stack of what they interrupt, on a stack of their own, and
 * one that a fault calls, in the middle of a function.
 *
 *   mine     malloc(100)
 *   ask      raise(SIGUSR1) > on_signal:  brief malloc(30), freed: temporary; kept malloc(4)
 *   free of mine's: not temporary, the handler is main's thread
 *   ask_there  raise(SIGUSR2) > on_other_stack: brief, freed: temporary; kept
 *   touch    writes to a page that must not be written to > on_fault: brief, freed: temporary;
 * kept, and allows it
 *
 * 1 + 3 * 2 = 7 calls, 100 + 3 * 34 = 202 bytes, 4 frees, 3 temporary, 12 bytes left in 3 blocks. N
 * times. The peak is brief's in ask: 130 + 12 (N - 1), in 2 + 3 (N - 1) blocks; mine and brief.
 *
 * Between the handler and what it interrupts are libc's frames, raise and what returns from the
 * handler: `~`.
 */
#include <signal.h>
#include <sys/mman.h>

#include "controls/control.h"

static char other_stack[65536];
static volatile char *page;

SITE void *mine(void)
{
	return counted(malloc(100), 100);
}

SITE void *brief(void)
{
	return counted(malloc(30), 30);
}

SITE void *kept(void)
{
	return counted(malloc(4), 4);
}

SITE void on_signal(int signal)
{
	NEED(signal == SIGUSR1);
	free(brief());
	NEED(kept());
}

SITE void on_other_stack(int signal)
{
	const char here = 1;

	NEED(signal == SIGUSR2 && &here >= other_stack &&
	     &here < other_stack + sizeof(other_stack));
	free(brief());
	NEED(kept());
}

SITE void on_fault(int signal)
{
	NEED(signal == SIGSEGV);
	free(brief());
	NEED(kept());
	NEED(!mprotect((void *)page, 4096, PROT_READ | PROT_WRITE));
}

SITE void ask(void)
{
	NEED(!raise(SIGUSR1));
}

SITE void ask_there(void)
{
	NEED(!raise(SIGUSR2));
}

SITE void touch(void)
{
	*page = 1;
	__asm__ volatile("" ::: "memory");
}

static void catch (int signal, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	NEED(!sigaction(signal, &action, NULL));
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);
	const stack_t stack = { .ss_sp = other_stack, .ss_size = sizeof(other_stack) };

	page = (volatile char *)mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	NEED(page != MAP_FAILED && !sigaltstack(&stack, NULL));
	catch (SIGUSR1, on_signal, 0);
	catch (SIGUSR2, on_other_stack, SA_ONSTACK);
	catch (SIGSEGV, on_fault, SA_ONSTACK);
	while (work--) {
		void *block = mine();

		ask();
		free(block);
		ask_there();
		NEED(!mprotect((void *)page, 4096, PROT_NONE));
		touch();
	}
	return control_end();
}
