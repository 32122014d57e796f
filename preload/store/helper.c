/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/store/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <time.h>

#include "preload/store/file.h"
#include "preload/store/slot.h"
#include "preload/sys/proc.h"
#include "preload/sys/syscall.h"
#include "preload/sys/text.h"

#define WAIT_NS 20000000L /* then we look whether it is alive */

/* Its end without a word: what was its is ours. Several threads may do so at once. */
static void take_over(void)
{
	file_free_lock();
	slots_take_back();
	atomic_store(&file_shared->helper, HELPER_GONE);
	helper_gave_back();
}

static uint32_t state(void)
{
	uint32_t helper = atomic_load_explicit(&file_shared->helper, memory_order_acquire);

	if ((helper == HELPER_WORKING || helper == HELPER_DRAINING) &&
	    (atomic_load_explicit(&file_shared->alive, memory_order_relaxed) & FUTEX_OWNER_DIED)) {
		take_over();
		helper = HELPER_GONE;
	}
	return helper;
}

int helper_works(void)
{
	return state() == HELPER_WORKING;
}

void helper_ring(void)
{
	struct shared *f = file_shared;

	atomic_fetch_add(&f->bell, 1);
	if (atomic_load(&f->asleep))
		sys_call3(SYS_futex, &f->bell, FUTEX_WAKE, 1);
}

uint32_t helper_freed(void)
{
	return atomic_load(&file_shared->freed);
}

void helper_wait(uint32_t freed)
{
	const struct timespec moment = { 0, WAIT_NS };
	struct shared *f = file_shared;

	atomic_fetch_add(&f->queue, 1);
	sys_call4(SYS_futex, &f->freed, FUTEX_WAIT, freed, &moment);
	atomic_fetch_sub(&f->queue, 1);
}

void helper_gave_back(void)
{
	struct shared *f = file_shared;

	atomic_fetch_add(&f->freed, 1);
	if (atomic_load(&f->queue))
		sys_call3(SYS_futex, &f->freed, FUTEX_WAKE, INT_MAX);
}

void helper_finish(void)
{
	struct shared *f = file_shared;
	uint32_t none = HELPER_NONE, asked = HELPER_ASKED, working = HELPER_WORKING;

	if (atomic_compare_exchange_strong(&f->helper, &none, HELPER_GONE) ||
	    atomic_compare_exchange_strong(&f->helper, &asked, HELPER_GONE))
		return;
	if (atomic_compare_exchange_strong(&f->helper, &working, HELPER_DRAINING))
		helper_ring();
	for (;;) {
		const uint32_t freed = helper_freed();

		if (state() == HELPER_GONE)
			return;
		helper_wait(freed);
	}
}

/* The parent of the session's first process; 0: not known. */
static uint64_t recorder_pid(void)
{
	const struct xt_header *h = file_header;
	struct proc_stat stat;

	if (h->session_pid == h->pid && h->session_start_time == h->start_time)
		return (uint64_t)sys_call0(SYS_getppid);
	if (proc_stat(h->session_pid, &stat) < 0 || stat.start_time != h->session_start_time)
		return 0;
	return stat.parent;
}

/* /proc/PID/fd/NUMBER */
static void descriptor_name(char *name, size_t room, uint64_t pid, unsigned number)
{
	struct text t = text_init(name, room);

	text_add(&t, "/proc/");
	text_add_number(&t, pid);
	text_add(&t, "/fd/");
	text_add_number(&t, number);
}

/* Has that process the mark? */
static int is_recorder(uint64_t pid)
{
	char name[48], mark[64];
	long size;

	descriptor_name(name, sizeof(name), pid, HELPER_MARK);
	size = sys_call3(SYS_readlink, name, mark, sizeof(mark) - 1);
	mark[size > 0 ? size : 0] = 0;
	return text_equal(mark, "/memfd:" HELPER_MARK_NAME " (deleted)");
}

int helper_is_unasked(void)
{
	return atomic_load_explicit(&file_shared->helper, memory_order_relaxed) == HELPER_NONE;
}

int helper_is_near(void)
{
	const uint64_t pid = recorder_pid();

	return pid && is_recorder(pid);
}

/* Its pipe, open, or a negative errno. Nothing is written into anybody else's. */
static long recorder_pipe(uint64_t pid)
{
	char name[48];

	if (!is_recorder(pid))
		return -ENOENT;
	descriptor_name(name, sizeof(name), pid, HELPER_PIPE);
	/* not for writing alone: a recorder that has just ended must not mean a SIGPIPE */
	return sys_call4(SYS_openat, AT_FDCWD, name, O_RDWR | O_NONBLOCK | O_CLOEXEC, 0);
}

int helper_ask(void)
{
	struct shared *f = file_shared;
	struct helper_request request = { .pid = file_header->pid,
					  .start_time = file_header->start_time };
	struct text path = text_init(request.path, sizeof(request.path));
	uint32_t none = HELPER_NONE, asked = HELPER_ASKED;
	uint64_t pid;
	long fd;

	if (!atomic_compare_exchange_strong(&f->helper, &none, HELPER_ASKED))
		return f->helper == HELPER_ASKED;
	pid = recorder_pid();
	text_add(&path, file_path());
	fd = pid && !path.cut ? recorder_pipe(pid) : -ENOENT;
	if (sys_is_error(fd)) { /* nobody will come */
		atomic_compare_exchange_strong(&f->helper, &asked, HELPER_GONE);
		return 0;
	}
	sys_call3(SYS_write, fd, &request, sizeof(request));
	sys_call1(SYS_close, fd);
	return 1;
}
