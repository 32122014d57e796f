/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gives_up STEP...: takes from itself, one after the other, what a recorder may have counted on; for tests.
 *
 *   work=N         N calls of malloc, and of free, of all but every 16th block
 *   reuse=N        N calls of malloc and of free that need no more memory than the first
 *   deep=N         N frames deep, and a call of malloc and of free in each
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
 *   environment    prints the real and the effective user
 *   remove=FILE, rename=FROM:TO
 *   wait=FILE      until FILE is there
 *   filter=WHAT    a seccomp filter: all but process_vm_readv; getpid, all but that; or (the rest kills) end, nothing but that;
 *                  bare, what libc's malloc, printing and the end need; mapping, besides what maps memory; threads, what threads need;
 *                  start, what a child needs that becomes a program
 *   errno          as bare, but the rest fails
 *   strict         strict seccomp
 *   tsc            forbids itself rdtsc
 *   landlock       no file may be written, cut or made any more
 *   dispatch=N     reuse=N while each system call is a signal: there is none
 *   thread=N       work=N in a thread of its own
 *   later=N, now   work=N in a thread that is there, and that begins it at `now`; it stays
 *   start=FILE     a child that becomes that program, and ends well
 *   vfork=N        a vfork child that ends by _exit(N)
 *   race=WHAT      filter=WHAT, while another thread installs ones that the kernel refuses
 *   exit=N, _exit=N, end=N (the system call alone: strict)
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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

static __attribute__((noinline, noclone)) void reuse(long calls)
{
	for (; calls > 0; calls--) {
		void *block = malloc(16 + (size_t)(calls * 7 % 100));

		__asm__ volatile("" ::"r"(block) : "memory");
		free(block);
	}
}

static __attribute__((noinline, noclone)) int deep(long frames)
{
	volatile char here[1000];
	void *block = malloc(10);

	here[0] = (char)frames;
	__asm__ volatile("" ::"r"(block) : "memory");
	free(block);
	return frames ? deep(frames - 1) + here[0] : 0;
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

/* Each list goes on with the one before. */
static const unsigned calls[] = { SYS_exit_group,
				  /* bare: the heap by brk and mmap, a line, the end */
				  SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_write,
				  SYS_rt_sigreturn, SYS_exit, SYS_newfstatat,
				  SYS_lseek,
				  /* mapping */
				  SYS_madvise, SYS_rt_sigprocmask, SYS_mprotect,
				  /* threads */
				  SYS_clone3, SYS_futex, SYS_set_robust_list, SYS_rseq,
				  SYS_rt_sigaction,
				  /* start */
				  SYS_clone, SYS_wait4, SYS_execve, SYS_access, SYS_openat,
				  SYS_read, SYS_pread64, SYS_close, SYS_arch_prctl,
				  SYS_set_tid_address, SYS_prlimit64, SYS_getrandom
};
enum {
	CALLS_END = 1,
	CALLS_BARE = 10,
	CALLS_MAPPING = 13,
	CALLS_THREADS = 18,
	CALLS_START = 30
};

static void put_filter(unsigned count, unsigned others, int all_but)
{
	struct sock_filter f[80];
	unsigned n = 0;
	struct sock_fprog program = { 0, f };

	f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					      offsetof(struct seccomp_data, arch));
	f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					      offsetof(struct seccomp_data, nr));
	for (unsigned i = 0; i < count; i++) {
		f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);
		f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	if (all_but) {
		f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)all_but,
						      1, 0);
		f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, others);
	program.len = (unsigned short)n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		fail("filter");
	/* one way and the other */
	if (count == CALLS_MAPPING ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program)
				   : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		fail("filter");
}

static void filter(const char *what)
{
	if (!strcmp(what, "bare"))
		put_filter(CALLS_BARE, SECCOMP_RET_KILL_PROCESS, 0);
	else if (!strcmp(what, "end"))
		put_filter(CALLS_END, SECCOMP_RET_KILL_PROCESS, 0);
	else if (!strcmp(what, "mapping"))
		put_filter(CALLS_MAPPING, SECCOMP_RET_KILL_PROCESS, 0);
	else if (!strcmp(what, "threads"))
		put_filter(CALLS_THREADS, SECCOMP_RET_KILL_PROCESS, 0);
	else if (!strcmp(what, "start"))
		put_filter(CALLS_START, SECCOMP_RET_KILL_PROCESS, 0);
	else if (!strcmp(what, "getpid"))
		put_filter(0, SECCOMP_RET_KILL_PROCESS, SYS_getpid);
	else
		put_filter(0, SECCOMP_RET_KILL_PROCESS, SYS_process_vm_readv);
}

static _Atomic int is_over, is_racing;

/* Each forbids madvise, as far as who reads it can tell; the flags are none that there are. */
static void *in_race(void *unused)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_nanosleep, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(f) / sizeof(*f), f };

	while (!is_over) {
		if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 1 << 20, &program) != -1)
			_exit(94);
		is_racing++;
	}
	is_over = 2;
	for (;;)
		pause();
	return unused;
}

static void race(const char *what)
{
	pthread_t t;

	if (pthread_create(&t, NULL, in_race, NULL))
		fail("race");
	while (is_racing < 100)
		usleep(100);
	filter(what);
	is_over = 1;
	while (is_over != 2) /* without a call */
		__builtin_ia32_pause();
}

static void vfork_and_end(int status)
{
	const pid_t child = vfork();
	int ended;

	if (child == 0)
		_exit(status);
	if (child < 0 || waitpid(child, &ended, 0) != child || WEXITSTATUS(ended) != status)
		_exit(93);
}

/* A child that makes a call of its own, and becomes a program. */
static void start(const char *path)
{
	int status;
	const pid_t child = fork();

	if (child == 0) {
		free(malloc(100));
		execl(path, path, (char *)NULL);
		_exit(96);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		_exit(95);
}

static void *in_thread(void *calls_text)
{
	work(strtol(calls_text, NULL, 10));
	return NULL;
}

static void thread(char *calls_text)
{
	pthread_t t;

	if (pthread_create(&t, NULL, in_thread, calls_text) || pthread_join(t, NULL))
		fail("thread");
}

static _Atomic int is_now, is_done;

static void *in_late_thread(void *calls_text)
{
	while (!is_now)
		usleep(500);
	work(strtol(calls_text, NULL, 10));
	is_done = 1;
	for (;;)
		pause();
	return NULL;
}

static void later(char *calls_text)
{
	pthread_t t;

	if (pthread_create(&t, NULL, in_late_thread, calls_text))
		fail("later");
}

static void now(void)
{
	is_now = 1;
	while (!is_done) /* without a call */
		__builtin_ia32_pause();
}

static void landlock(void)
{
	/* of landlock_ruleset_attr: rights on files; 14 is to cut them, of the third version */
	const uint64_t rights = (1ull << 15) - 1;
	const int rules = (int)syscall(SYS_landlock_create_ruleset, &rights, sizeof(rights), 0);

	if (rules < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_landlock_restrict_self, rules, 0)) {
		dprintf(STDOUT_FILENO, "no landlock\n");
		_exit(77);
	}
	close(rules);
}

static volatile char selector; /* 1: a call is a signal */
static volatile int dispatched;

static void on_call(int number)
{
	(void)number;
	selector = 0;
	dispatched++;
}

static void dispatch(long calls)
{
	signal(SIGSYS, on_call);
	if (prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &selector)) {
		dprintf(STDOUT_FILENO, "no dispatch\n");
		_exit(77);
	}
	selector = 1;
	reuse(calls);
	selector = 0;
	dprintf(STDOUT_FILENO, "%d calls\n", dispatched);
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
		else if (is(step, "reuse="))
			reuse(strtol(value, NULL, 10));
		else if (is(step, "deep="))
			deep(strtol(value, NULL, 10));
		else if (is(step, "environment"))
			dprintf(STDOUT_FILENO, "uid %d %d\n", (int)getuid(), (int)geteuid());
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
		else if (is(step, "wait="))
			while (access(value, F_OK))
				usleep(2000);
		else if (is(step, "filter="))
			filter(value);
		else if (is(step, "race="))
			race(value);
		else if (is(step, "vfork="))
			vfork_and_end(atoi(value));
		else if (is(step, "errno"))
			put_filter(CALLS_BARE, SECCOMP_RET_ERRNO | 38, 0);
		else if (is(step, "strict") && prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
			fail(step);
		else if (is(step, "tsc") && prctl(PR_SET_TSC, PR_TSC_SIGSEGV))
			fail(step);
		else if (is(step, "landlock"))
			landlock();
		else if (is(step, "dispatch="))
			dispatch(strtol(value, NULL, 10));
		else if (is(step, "later="))
			later(value);
		else if (is(step, "now"))
			now();
		else if (is(step, "start="))
			start(value);
		else if (is(step, "thread="))
			thread(value);
		else if (is(step, "end="))
			syscall(SYS_exit, atol(value));
		else if (is(step, "exit="))
			exit(atoi(value));
		else if (is(step, "_exit="))
			_exit(atoi(value));
	}
	return 0;
}
