/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/helper_main.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/launch/live_trace.h"
#include "preload/launch/memory_watch.h"
#include "preload/launch/trim.h"
#include "preload/store/commit.h"
#include "preload/store/compress.h"
#include "preload/store/file.h"
#include "preload/store/slot.h"

#define NAP_NS_MIN 1000000L /* a sleep doubles up to the other: then we look who lives */
#define NAP_NS_MAX 64000000L
#define NAP_NS_SEALED 4000000L /* the process cannot ring */

/* The kernel will say in the file that we are dead, however that comes. */
static bool announce(struct shared *f)
{
	struct shared_robust *r = &f->robust;

	r->first = (uint64_t)(uintptr_t)&r->entry;
	r->word_offset = (int64_t)((char *)&f->alive - (char *)&r->entry);
	r->pending = 0;
	r->entry = (uint64_t)(uintptr_t)r;
	f->alive = (uint32_t)syscall(SYS_gettid);
	_Static_assert(offsetof(struct shared_robust, entry) == sizeof(struct robust_list_head),
		       "the head is the kernel's");
	return syscall(SYS_set_robust_list, r, sizeof(struct robust_list_head)) == 0;
}

/* true: nothing was left for so long. */
static bool sleep_at_bell(struct shared *f, uint32_t bell, long ns)
{
	const struct timespec nap = { .tv_nsec = ns };
	bool is_quiet;

	atomic_store(&f->asleep, 1);
	is_quiet = syscall(SYS_futex, &f->bell, FUTEX_WAIT, bell, &nap) < 0 && errno == ETIMEDOUT;
	atomic_store(&f->asleep, 0);
	return is_quiet;
}

static int commit_left(void)
{
#if XALLOC_FAULT == 14
	/* ten times slower: tests/transport.test */
	struct timespec before, after;
	int result;

	clock_gettime(CLOCK_MONOTONIC, &before);
	result = slots_commit_left(1, SLOT_HELPER);
	clock_gettime(CLOCK_MONOTONIC, &after);
	after.tv_sec = 0;
	after.tv_nsec =
		9 * ((after.tv_nsec - before.tv_nsec + 1000000000L) % 1000000000L) % 1000000000L;
	nanosleep(&after, NULL);
	return result;
#else
	return slots_commit_left(1, SLOT_HELPER);
#endif
}

/* What the process left is committed as long as it lives, and what it left behind when it died:
 * then true, and the file's lock is ours. */
static bool serve(int fd)
{
	struct shared *f = file_shared;
	long nap = NAP_NS_MIN;
	uint32_t windows = 0;

	for (;;) {
		const uint32_t bell = atomic_load(&f->bell), helper = atomic_load(&f->helper);
		int64_t look_ns;
		int result;

		if (!live_trace_follow(fd, &windows))
			return false;
		result = commit_left();
		if (result < 0 && result != -EAGAIN)
			return false; /* recording has stopped, and the header says why */
		if (helper == HELPER_DRAINING && f->left == 0 && f->is_sealed)
			commit_totals(f->ids);
		if (helper == HELPER_GONE || (helper == HELPER_DRAINING && f->left == 0))
			return false;
		if (f->is_sealed && nap > NAP_NS_SEALED)
			nap = NAP_NS_SEALED;
		look_ns = helper == HELPER_WORKING ? memory_watch_look() : MEMORY_WATCH_NEVER;
		if (!sleep_at_bell(f, bell, look_ns < nap ? (long)look_ns : nap)) {
			nap = NAP_NS_MIN;
			continue;
		}
		nap = nap < NAP_NS_MAX && result == 0 ? 2 * nap : nap;
		if (flock(fd, LOCK_EX | LOCK_NB) < 0)
			continue;
		/* killed in the midst of a change of the file's end: it is readable as it is */
		if (f->lock == SIDE_NONE && live_trace_follow(fd, &windows))
			slots_commit_left(1, SLOT_HELPER);
		return true;
	}
}

void helper_main(const struct helper_request *request)
{
	const int fd = live_trace_open(request->path, request->pid, request->start_time);
	uint32_t asked = HELPER_ASKED;
	bool is_alone;

	if (fd < 0 || file_attach(fd, request->path) < 0)
		return;
	compress_init((int)file_shared->level);
	slots_init();
	if (!announce(file_shared) ||
	    !atomic_compare_exchange_strong(&file_shared->helper, &asked, HELPER_WORKING))
		return;
	memory_watch_begin(fd, request->pid, request->start_time);
	is_alone = serve(fd);
	atomic_store(&file_shared->helper, HELPER_GONE);
	helper_gave_back();
	if (is_alone)
		trim_locked(fd);
}
