/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/temporary.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Those that end a program which does nothing about them. */
static const int deadly[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGTRAP, SIGABRT,   SIGBUS,
			      SIGFPE,  SIGUSR1, SIGSEGV, SIGUSR2, SIGPIPE, SIGALRM,   SIGTERM,
			      SIGXCPU, SIGXFSZ, SIGPROF, SIGIO,   SIGPWR,  SIGVTALRM, SIGSYS };

static const char *volatile file;
static const char *volatile folder[TEMPORARY_FOLDERS];

/* By system calls alone: a signal may have come in the middle of malloc. What cannot be removed
 * stays. */
static void remove_tree(int where, const char *path)
{
	const int fd = openat(where, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char entries[2048] __attribute__((aligned(8)));
	ssize_t size;

	if (fd < 0)
		return;
	while ((size = getdents64(fd, entries, sizeof(entries))) > 0) {
		for (ssize_t at = 0; at < size;) {
			const struct dirent64 *entry = (const struct dirent64 *)(entries + at);

			at += entry->d_reclen;
			if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
				continue;
			if (unlinkat(fd, entry->d_name, 0))
				remove_tree(fd, entry->d_name);
		}
	}
	close(fd);
	unlinkat(where, path, AT_REMOVEDIR);
}

void temporary_remove_folder(enum temporary_folder which)
{
	const char *path = folder[which];

	if (path)
		remove_tree(AT_FDCWD, path);
	folder[which] = NULL; /* not before: a signal in the middle of it removes the rest */
}

void temporary_remove(void)
{
	const char *path = file;

	if (path)
		unlink(path);
	file = NULL;
	for (int i = 0; i < TEMPORARY_FOLDERS; i++)
		temporary_remove_folder(i);
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

static void prepare_once(const char *path)
{
	static bool is_prepared;

	if (path && !is_prepared)
		prepare();
	is_prepared |= path != NULL;
}

void temporary_set(const char *path)
{
	prepare_once(path);
	file = path;
}

/* No signal comes between the folder and the note of it. */
int temporary_make_folder(enum temporary_folder which, char *path)
{
	const size_t length = strlen(path);
	sigset_t all, before;
	int ret;

	prepare_once(path);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	if (length > 6 && !strcmp(path + length - 6, "XXXXXX"))
		ret = mkdtemp(path) ? 0 : -1;
	else
		ret = mkdir(path, 0777);
	if (!ret)
		folder[which] = path;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ret;
}

void temporary_keep_folder(enum temporary_folder which)
{
	folder[which] = NULL;
}
