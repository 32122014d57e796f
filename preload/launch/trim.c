/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/trim.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/launch/copy.h"
#include "preload/launch/ended.h"
#include "preload/launch/fill.h"
#include "preload/launch/frames.h"
#include "preload/store/shared.h"
#include "preload/trace/format.h"

#define GAIN_MIN (1u << 20)
#define REST_BYTES 128u /* of a free frame's payload, at least: 64 would be a chunk's */

/* The file's end: a free frame, and behind it nothing but windows. */
struct end {
	uint64_t free_at, windows_at, bytes;
};

static uint64_t page_up(uint64_t n)
{
	return (n + XT_PAGE_BYTES - 1) & ~(uint64_t)(XT_PAGE_BYTES - 1);
}

/* False: the frames do not end so, or not where the file does. */
static bool find_end(int fd, uint64_t bytes, struct end *end)
{
	uint64_t offset = 0, next;
	struct xt_meta meta;
	struct frame_head head;
	bool has_free = false;

	for (; offset < bytes; offset = next) {
		if (!frames_read(fd, &head, sizeof(head), offset))
			return false;
		next = offset + sizeof(head) + head.size;
		if (head.magic == XT_FRAME_CHUNK && head.size == sizeof(meta)) {
			if (!frames_read(fd, &meta, sizeof(meta), offset + sizeof(head)))
				return false;
			next += meta.zstd_bytes;
			has_free = false;
		} else if (head.magic == XT_FRAME_CHUNK) {
			end->free_at = offset;
			end->windows_at = next;
			has_free = true;
		} else if ((head.magic & 0xFFFFFFF0u) != (XT_FRAME_HEADER & 0xFFFFFFF0u)) {
			return false;
		} else if (head.magic != XT_FRAME_WINDOW) {
			has_free = false;
		}
	}
	end->bytes = bytes;
	return has_free && offset == bytes;
}

static bool write_all(int fd, const void *from, size_t bytes, uint64_t offset)
{
	return pwrite(fd, from, bytes, (off_t)offset) == (ssize_t)bytes;
}

/* The window at `from` comes to `to`, which becomes its end, unless nothing is in it. Returns the
 * end of the window at `from`, 0: it could not be. */
static uint64_t move_window(int fd, uint64_t from, uint64_t *to)
{
	union frames_window page;
	const struct xt_slot *slot = page.at.window.slot;
	const uint64_t end = frames_read_window(fd, &page, from);
	uint64_t kept = 0;

	if (!end)
		return 0;
	for (uint32_t i = 0; i < page.at.window.slots; i++) {
		const uint64_t at = sizeof(page) + (uint64_t)i * XT_SLOT_BYTES;

		if (!frames_slot_is_used(&slot[i]))
			continue;
		kept++;
		if (copy_data(fd, (off_t)(*to + at), fd, (off_t)(from + at),
			      (off_t)(from + at + XT_SLOT_BYTES)) < 0)
			return 0;
	}
	if (kept && !write_all(fd, &page, sizeof(page), *to))
		return 0;
	*to += kept ? end - from : 0;
	return end;
}

/* To free space, which *to is the start of and becomes the end; behind the copies stands what is
 * left of that, until the file is cut. */
static bool move_windows(int fd, const struct end *end, uint64_t *to)
{
	const uint64_t bytes = end->bytes - end->windows_at;
	struct frame_head rest = { .magic = XT_FRAME_CHUNK };
	uint64_t from = end->windows_at;

	if (bytes &&
	    fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)*to, (off_t)bytes) < 0)
		return false;
	while (from && from < end->bytes)
		from = move_window(fd, from, to);
	rest.size = (uint32_t)(end->windows_at - *to - XT_FRAME_HEAD_BYTES);
	return from == end->bytes && write_all(fd, &rest, sizeof(rest), *to);
}

/* First the windows, then the free frame that ends before them, then the file's end: a kill in
 * between leaves each slot once or twice. */
static void cut(int fd, const struct end *end)
{
	uint64_t to = page_up(end->free_at + XT_FRAME_HEAD_BYTES + REST_BYTES);
	const uint32_t size = (uint32_t)(to - end->free_at - XT_FRAME_HEAD_BYTES);

	if (to + (end->bytes - end->windows_at) + GAIN_MIN > end->windows_at ||
	    !move_windows(fd, end, &to))
		return;
	if (write_all(fd, &size, sizeof(size), end->free_at + offsetof(struct frame_head, size)) &&
	    ftruncate(fd, (off_t)to) < 0)
		return;
}

/* A helper that was asked for does not come any more. */
static bool call_off_helper(int fd)
{
	uint32_t asked = HELPER_ASKED;
	uint8_t *page = mmap(NULL, XT_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	bool is_off;

	if (page == MAP_FAILED)
		return false;
	is_off = atomic_compare_exchange_strong(
		&((struct shared *)(void *)(page + XT_WRITERS_OFFSET))->helper, &asked,
		HELPER_GONE);
	munmap(page, XT_PAGE_BYTES);
	return is_off;
}

/* Is it a trace that nobody writes to? A process that was killed in the midst of a change of the
 * file's end has left frames that are whole; but a helper that works has that end in mind. */
static bool is_settled(int fd)
{
	struct {
		struct frame_head head;
		struct xt_header header;
	} first;
	uint32_t helper;

	return frames_read(fd, &first, sizeof(first), 0) && first.head.magic == XT_FRAME_HEADER &&
	       memcmp(first.header.magic, XT_MAGIC, sizeof(first.header.magic)) == 0 &&
	       first.header.version == XT_VERSION && !first.header.is_compact &&
	       frames_read(fd, &helper, sizeof(helper),
			   XT_WRITERS_OFFSET + offsetof(struct shared, helper)) &&
	       (helper == HELPER_NONE || helper == HELPER_GONE ||
		(helper == HELPER_ASKED && call_off_helper(fd)));
}

void trim_locked(int fd)
{
	struct end end = { .free_at = 0 };
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || !is_settled(fd))
		return;
	if (st.st_size >= GAIN_MIN && find_end(fd, (uint64_t)st.st_size, &end))
		cut(fd, &end);
	fill_window(fd);
}

void trim_trace(const char *path, bool waits)
{
	const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return;
	if (waits ? ended_lock(fd) : flock(fd, LOCK_EX | LOCK_NB) == 0)
		trim_locked(fd);
	close(fd);
}
