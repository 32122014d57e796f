/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/broker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "preload/launch/helper_main.h"
#include "preload/store/helper.h"

#define HELPERS_MAX 1024 /* waited for at the end; others are served, and not waited for */
#define FINISH_NAPS 300  /* some 5 s */

_Static_assert(sizeof(struct helper_request) == HELPER_REQUEST_BYTES, "written at once");
_Static_assert(BROKER_FIRST == HELPER_PIPE && BROKER_LAST == HELPER_MARK, "the broker's");

static struct {
	bool is_open;
	struct {
		pid_t helper, process;
	} served[HELPERS_MAX];
	unsigned count;
} broker;

static bool is_free(int fd)
{
	return fcntl(fd, F_GETFD) < 0 && errno == EBADF;
}

/* fd under that number, closed by exec; fd itself is closed. */
static bool move(int fd, int number)
{
	const bool done = fd >= 0 && dup3(fd, number, O_CLOEXEC) == number;

	if (fd >= 0)
		close(fd);
	return done;
}

void broker_open(void)
{
	int ends[2];
	bool done;

	for (int fd = BROKER_FIRST; fd <= BROKER_LAST; fd++)
		if (!is_free(fd))
			return; /* it is the program's */
	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	close(ends[1]); /* who asks opens one of its own */
	done = move(ends[0], HELPER_PIPE);
	broker.is_open = done && move(memfd_create(HELPER_MARK_NAME, MFD_CLOEXEC), HELPER_MARK);
}

static __attribute__((noreturn)) void help(const struct helper_request *request)
{
	const int null = open("/dev/null", O_RDWR);
	sigset_t all;

	/* not stopped and not ended with the program by its terminal; and it keeps nobody waiting
	 * for the end of our output */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	setsid();
	for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	close_range(STDERR_FILENO + 1, ~0U, 0);
	helper_main(request);
	_exit(0);
}

static void serve(const struct helper_request *request)
{
	const pid_t pid = fork();

	if (pid == 0)
		help(request);
	if (pid > 0 && broker.count < HELPERS_MAX) {
		broker.served[broker.count].helper = pid;
		broker.served[broker.count++].process = (pid_t)request->pid;
	}
}

void broker_serve(void)
{
	struct helper_request request;

	while (read(HELPER_PIPE, &request, sizeof(request)) == sizeof(request))
		if (!request.path[sizeof(request.path) - 1])
			serve(&request);
}

void broker_start(void)
{
	if (!broker.is_open) {
		close_range(BROKER_FIRST, BROKER_LAST, 0);
		return;
	}
	fcntl(HELPER_PIPE, F_SETOWN, getpid());
	fcntl(HELPER_PIPE, F_SETFL, O_NONBLOCK | O_ASYNC);
	broker_serve(); /* what was asked for before that */
}

/* Not for ever: it stays while another process shares the memory of the one that ended. */
static void wait_for(pid_t helper)
{
	struct timespec nap = { .tv_nsec = 500000 };

	for (int i = 0; i < FINISH_NAPS && waitpid(helper, NULL, WNOHANG) == 0; i++) {
		nanosleep(&nap, NULL);
		if (nap.tv_nsec < 16000000)
			nap.tv_nsec *= 2;
	}
}

void broker_finish(pid_t pid)
{
	for (unsigned i = 0; i < broker.count; i++)
		if (broker.served[i].process == pid)
			wait_for(broker.served[i].helper);
}
