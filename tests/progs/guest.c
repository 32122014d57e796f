/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guest: prints what a program can see of its own process, before and after it allocates. A
 * recorder that is a quiet guest does not change a line of it. Nothing here allocates but the
 * calls under test, so that the order of things is known; descriptors are listed by fcntl, as
 * /proc/self/fd would need one.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

extern char **environ;

static char text[1 << 18];

static size_t read_file(const char *path)
{
	int fd = open(path, O_RDONLY);
	size_t used = 0;
	ssize_t length;

	while (fd >= 0 && (length = read(fd, text + used, sizeof(text) - 1 - used)) > 0)
		used += (size_t)length;
	close(fd);
	text[used] = 0;
	return used;
}

static void print(const char *what, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void print(const char *what, const char *format, ...)
{
	char line[600];
	va_list list;
	int at = snprintf(line, sizeof(line), "%s: ", what);

	va_start(list, format);
	at += vsnprintf(line + at, sizeof(line) - 1 - (size_t)at, format, list);
	va_end(list);
	line[at++] = '\n';
	if (write(STDOUT_FILENO, line, (size_t)at) != at)
		_exit(1);
}

/* One line of /proc/self/status. */
static void print_status(const char *key)
{
	const char *line;

	read_file("/proc/self/status");
	line = strstr(text, key);
	if (line)
		print("status", "%.*s", (int)strcspn(line, "\n"), line);
}

static void print_descriptors(void)
{
	struct stat st;
	int fd = open("/dev/null", O_RDONLY);

	print("lowest free descriptor", "%d", fd);
	close(fd);
	for (fd = 0; fd < 4096; fd++) {
		if (fstat(fd, &st) == 0)
			print("descriptor", "%d", fd);
	}
}

static void print_signals(void)
{
	struct sigaction action;
	stack_t stack;

	for (int i = 1; i < 65; i++) {
		if (sigaction(i, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
			print("signal", "%d: %s", i,
			      action.sa_handler == SIG_IGN ? "ignored" : "handled");
	}
	sigaltstack(NULL, &stack);
	print("alternate stack", "%d", stack.ss_flags);
	print_status("SigPnd:");
	print_status("ShdPnd:");
	print_status("SigBlk:");
	print_status("SigIgn:");
	print_status("SigCgt:");
}

static void print_process(const char *when)
{
	struct itimerval timer;
	struct rlimit limit;
	char name[17] = "";

	print("--", "%s", when);
	print_status("Threads:");
	print_status("NoNewPrivs:");
	print_status("Seccomp:");
	print_status("Umask:");
	print_descriptors();
	print_signals();
	for (int which = ITIMER_REAL; which <= ITIMER_PROF; which++) {
		getitimer(which, &timer);
		print("timer", "%d: %ld", which, (long)timer.it_value.tv_sec);
	}
	for (int which = 0; which < RLIM_NLIMITS; which++) {
		getrlimit(which, &limit);
		print("limit", "%d: %lx %lx", which, (unsigned long)limit.rlim_cur,
		      (unsigned long)limit.rlim_max);
	}
	prctl(PR_GET_NAME, name);
	print("name", "%s", name);
	print("dumpable", "%d", prctl(PR_GET_DUMPABLE));
	print("directory", "%s", getcwd(text, sizeof(text)));
	print("single threaded", "%d", __libc_single_threaded);
	read_file("/proc/self/maps");
	print("heap", "%d", strstr(text, "[heap]") != NULL);
	for (char **variable = environ; *variable; variable++) {
		if (strncmp(*variable, "LD_PRELOAD=", 11) &&
		    strncmp(*variable, "XALLOC_OUT=", 11) &&
		    strncmp(*variable, "XALLOC_SESSION=", 15))
			print("variable", "%.500s", *variable);
	}
}

#define KEPT(call) do { errno = 77; call; print("errno", "%s: %d", #call, errno); } while (0)

static void print_errno(void)
{
	void *block, *aligned = NULL;
	volatile size_t huge = (size_t)PTRDIFF_MAX + 1;

	KEPT(block = malloc(100));
	KEPT(block = realloc(block, 100000));
	KEPT(print("usable", "%d", malloc_usable_size(block) >= 100000));
	KEPT(free(block));
	KEPT(block = calloc(10, 10));
	KEPT(block = reallocarray(block, 20, 20));
	KEPT(free(block));
	KEPT(print("posix_memalign", "%d", posix_memalign(&aligned, 64, 100)));
	KEPT(free(aligned));
	KEPT(free(NULL));
	KEPT(block = malloc(32 << 20));
	KEPT(free(block));
	KEPT(block = malloc(huge));
	print("block", "%d", block != NULL);
	KEPT(block = calloc(huge, 3));
	print("block", "%d", block != NULL);
	KEPT(print("posix_memalign", "%d", posix_memalign(&aligned, 3, 100)));
	KEPT(print("posix_memalign", "%d", posix_memalign(&aligned, 64, huge)));
}

int main(void)
{
	print_process("at the start");
	print_errno();
	/* enough events for chunks to be filled, written and committed */
	for (int i = 0; i < 300000; i++) {
		void *block = malloc((size_t)(i % 1000));

		__asm__ volatile("" : "+r"(block)::"memory");
		free(block);
	}
	print_process("after 600,000 events");
	/* both need a process with one thread */
	print("unshare user", "%d", unshare(CLONE_NEWUSER) ? errno : 0);
	print("unshare files and memory", "%d",
	      unshare(CLONE_FS | CLONE_FILES | CLONE_VM) ? errno : 0);
	return 7;
}
