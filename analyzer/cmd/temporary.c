/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/temporary.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* Those that end a program which does nothing about them. */
static const int deadly[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGTRAP, SIGABRT,   SIGBUS,
			      SIGFPE,  SIGUSR1, SIGSEGV, SIGUSR2, SIGPIPE, SIGALRM,   SIGTERM,
			      SIGXCPU, SIGXFSZ, SIGPROF, SIGIO,   SIGPWR,  SIGVTALRM, SIGSYS };

static const char *volatile file;

void temporary_remove(void)
{
	const char *path = file;

	file = NULL;
	if (path)
		unlink(path);
}

/* The action is the default again by now: the program ends as it would have. */
static void remove_and_end(int signal_number)
{
	temporary_remove();
	raise(signal_number);
}

static void prepare(void)
{
	struct sigaction action = { .sa_handler = remove_and_end, .sa_flags = SA_RESETHAND };
	struct sigaction old;

	atexit(temporary_remove); /* for who exits because there is no memory */
	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(deadly) / sizeof(*deadly); i++)
		if (!sigaction(deadly[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(deadly[i], &action, NULL);
}

void temporary_set(const char *path)
{
	static bool is_prepared;

	if (path && !is_prepared)
		prepare();
	is_prepared |= path != NULL;
	file = path;
}
