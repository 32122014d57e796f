/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gives_up STEP...: takes from itself, one after the other, what a recorder may have counted on;
 * for tests.
 *
 *   work=N         N calls of malloc, and of free, of all but every 16th block
 *   close=HOW      every descriptor from 3 on: closefrom, range, or loop
 *   files=NAME     20 files, each called NAME.DESCRIPTOR, its number in it
 *   write          that again in each, and they are closed
 *   dup=FILE       FILE under every number but 1 and 2, up to 255
 *   lowest         prints the lowest number that is free
 *   listing        prints the numbers that are in use
 *   limit=WHAT:N   soft and hard: nofile, fsize, as
 *   chdir=, chroot=, umask=OCTAL, uid=N (for good, and the group)
 *   daemon         daemon(0, 0)
 *   error=FILE     what stands under 2 is FILE from now on; without a name, nothing
 *   user           unshare(CLONE_NEWUSER)
 *   remove=FILE, rename=FROM:TO
 *   file=FILE      says the size of FILE
 *   wait=FILE      until FILE is there
 *   exit=N, _exit=N
 */
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES 20

static int files[FILES];

static void fail(const char *step)
{
	perror(step);
	_exit(99);
}

static __attribute__((noinline, noclone)) void work(long calls)
{
	static void *kept[16];

	for (long i = 0; i < calls; i++) {
		void *block = malloc(16 + (size_t)(i * 7919 % 4000));

		if (!block)
			_exit(98);
		if (i % 16) {
			free(kept[i % 16]);
			kept[i % 16] = block;
		}
		__asm__ volatile("" ::: "memory");
	}
	for (int i = 0; i < 16; i++) {
		free(kept[i]);
		kept[i] = NULL;
	}
}

static void close_all(const char *how)
{
	if (!strcmp(how, "closefrom"))
		closefrom(3);
	else if (!strcmp(how, "range"))
		close_range(3, ~0U, 0);
	else
		for (int fd = 3; fd < 1024; fd++)
			close(fd);
}

static void write_number(int fd)
{
	char text[16];
	const int size = snprintf(text, sizeof(text), "%d\n", fd);

	if (write(fd, text, (size_t)size) != size)
		fail("write");
}

static void open_files(const char *name)
{
	char path[4096];

	for (int i = 0; i < FILES; i++) {
		const int fd = open("/dev/null", O_RDONLY);

		snprintf(path, sizeof(path), "%s.%d", name, fd);
		close(fd);
		files[i] = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		if (files[i] != fd)
			fail(path);
		write_number(fd);
	}
}

static void write_files(void)
{
	for (int i = 0; i < FILES; i++) {
		write_number(files[i]);
		close(files[i]);
	}
}

static void everywhere(const char *path)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);

	for (int to = 0; to < 256; to++)
		if (to != STDOUT_FILENO && to != STDERR_FILENO && dup2(fd, to) < 0)
			fail(path);
}

static void put_lowest(void)
{
	const int fd = dup(STDOUT_FILENO);

	dprintf(STDOUT_FILENO, "lowest %d\n", fd);
	close(fd);
}

static void put_listing(void)
{
	DIR *d = opendir("/proc/self/fd");
	const struct dirent *e;

	if (!d)
		fail("/proc/self/fd");
	while ((e = readdir(d)))
		if (*e->d_name != '.')
			dprintf(STDOUT_FILENO, "has %s\n", e->d_name);
	closedir(d);
}

static void limit(const char *text)
{
	const char *value = strchr(text, ':') + 1;
	const struct rlimit to = { strtoul(value, NULL, 10), strtoul(value, NULL, 10) };
	const int resource = !strncmp(text, "nofile:", 7)  ? RLIMIT_NOFILE
			     : !strncmp(text, "fsize:", 6) ? RLIMIT_FSIZE
							   : RLIMIT_AS;

	if (setrlimit(resource, &to))
		fail(text);
}

static void error_to(const char *path)
{
	close(STDERR_FILENO);
	if (*path && open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) != STDERR_FILENO)
		_exit(97);
}

static void give_up_ids(uid_t id)
{
	if (setresgid(id, id, id) || setresuid(id, id, id))
		fail("uid");
}

static void move(char *text)
{
	char *to = strchr(text, ':');

	*to++ = 0;
	if (rename(text, to))
		fail(to);
}

static void put_size(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		fail(path);
	printf("size %lld\n", (long long)st.st_size);
	fflush(stdout);
}

static int is(const char *step, const char *word)
{
	return !strncmp(step, word, strlen(word));
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *step = argv[i];
		char *value = strchr(step, '=');

		value = value ? value + 1 : argv[i];
		if (is(step, "work="))
			work(strtol(value, NULL, 10));
		else if (is(step, "close="))
			close_all(value);
		else if (is(step, "files="))
			open_files(value);
		else if (is(step, "write"))
			write_files();
		else if (is(step, "dup="))
			everywhere(value);
		else if (is(step, "lowest"))
			put_lowest();
		else if (is(step, "listing"))
			put_listing();
		else if (is(step, "limit="))
			limit(value);
		else if (is(step, "chdir=") ? chdir(value) : is(step, "chroot=") && chroot(value))
			fail(step);
		else if (is(step, "umask="))
			umask((mode_t)strtoul(value, NULL, 8));
		else if (is(step, "uid="))
			give_up_ids((uid_t)strtoul(value, NULL, 10));
		else if (is(step, "daemon") && daemon(0, 0))
			fail(step);
		else if (is(step, "error="))
			error_to(value);
		else if (is(step, "user") && unshare(CLONE_NEWUSER))
			fail(step);
		else if (is(step, "remove=") && unlink(value))
			fail(step);
		else if (is(step, "rename="))
			move(value);
		else if (is(step, "file="))
			put_size(value);
		else if (is(step, "wait="))
			while (access(value, F_OK))
				usleep(2000);
		else if (is(step, "exit="))
			exit(atoi(value));
		else if (is(step, "_exit="))
			_exit(atoi(value));
	}
	return 0;
}
