/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/live_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "preload/store/commit.h"
#include "preload/store/file.h"
#include "preload/store/slot.h"
#include "preload/trace/format.h"

int live_trace_open(const char *path, uint32_t pid, uint64_t start_time)
{
	const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct {
		uint32_t magic, size;
		struct xt_header header;
	} head;

	if (fd < 0 || pread(fd, &head, sizeof(head), 0) != sizeof(head) ||
	    head.magic != XT_FRAME_HEADER || head.header.version != XT_VERSION ||
	    memcmp(head.header.magic, XT_MAGIC, sizeof(head.header.magic)) != 0 ||
	    head.header.pid != pid || head.header.start_time != start_time)
		return -1;
	return flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK ? fd : -1;
}

bool live_trace_follow(int fd, uint32_t *known)
{
	for (; *known < file_shared->late_windows; ++*known) {
		uint32_t slots;
		uint8_t *at = file_map_window(fd, *known, &slots);

		if (!at || slots_add_window(at, slots) < 0)
			return false;
	}
	return true;
}

int live_trace_commit(const struct slot *slot, unsigned tries)
{
	const struct timespec nap = { .tv_nsec = 1000000 };
	int result;

	while ((result = commit_slot(slot, 1)) == -EAGAIN && tries--)
		nanosleep(&nap, NULL);
	return result;
}
