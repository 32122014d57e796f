/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/store/tail.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

#include "preload/store/file.h"
#include "preload/store/mapping.h"
#include "preload/sys/syscall.h"

#define SEGMENT_BYTES (1u << 20)
#define AHEAD_BYTES (256u << 10) /* pages made ready, and given back, at a time */
#define AHEAD_PART 32u           /* of the file's size, until that is more */
#define SEGMENTS 8

/* A mapping of the file's tail. An old one goes once no writer is in it. */
struct segment {
	uint8_t *base;
	uint64_t offset, bytes;
	_Atomic int users;
};

static struct {
	uint64_t populated_to, released_to;
	unsigned current;
	struct segment segment[SEGMENTS];
} tail;

static uint64_t page_down(uint64_t n)
{
	return n & ~(uint64_t)(XT_PAGE_BYTES - 1);
}

static uint64_t page_up(uint64_t n)
{
	return page_down(n + XT_PAGE_BYTES - 1);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint8_t *tail_at(uint64_t offset)
{
	const struct segment *s = &tail.segment[tail.current];

	return s->base + (offset - s->offset);
}

int tail_open(int fd, uint64_t offset)
{
	struct segment *s = &tail.segment[0];
	uint64_t from = page_down(offset);
	int error = 0;

	s->bytes = SEGMENT_BYTES; /* the file may end before that */
	s->base = mapping_new(fd, from, s->bytes, MAPPING_SEGMENT, &error);
	s->offset = from;
	s->users = 0;
	tail.current = 0;
	tail.populated_to = from;
	tail.released_to = from;
	return s->base ? 0 : error;
}

void tail_forget(void)
{
	unsigned i;

	for (i = 0; i < SEGMENTS; i++) {
		tail.segment[i].base = NULL;
		tail.segment[i].users = 0;
	}
}

/*
 * The kernel gives no more addresses: a segment that nobody is in shows another part of the file
 * from now on, where it is. None may be entered meanwhile, as that takes the file's lock.
 */
static struct segment *segment_find_idle(uint64_t bytes, int *are_busy)
{
	struct segment *found = NULL;
	unsigned i;

	*are_busy = 0;
	for (i = 0; i < SEGMENTS; i++) {
		struct segment *s = &tail.segment[i];

		if (!s->base || s->bytes < bytes)
			continue;
		if (atomic_load_explicit(&s->users, memory_order_acquire))
			*are_busy = 1;
		else
			found = s;
	}
	return found;
}

/* A segment entry nobody is in any more; the others like it are unmapped too. */
static struct segment *segment_find_free(void)
{
	struct segment *found = NULL;
	unsigned i;

	for (i = 0; i < SEGMENTS; i++) {
		struct segment *s = &tail.segment[i];

		if (i == tail.current || atomic_load_explicit(&s->users, memory_order_acquire))
			continue;
		if (s->base)
			mapping_free(s->base);
		s->base = NULL;
		found = s;
	}
	return found;
}

uint8_t *tail_map_window(uint64_t offset, uint64_t bytes)
{
	const struct segment *s = &tail.segment[tail.current];

	return mapping_again(s->base, s->offset, s->bytes, offset, bytes, MAPPING_LATE_WINDOW);
}

static void use(struct segment *s, uint64_t offset)
{
	s->offset = offset;
	tail.current = (unsigned)(s - tail.segment);
	if (tail.populated_to > offset + s->bytes) /* it was further on before */
		tail.populated_to = offset;
}

/* In a segment that is mapped already. */
static int map_in_place(uint64_t base, uint64_t bytes)
{
	int are_busy;
	struct segment *s = segment_find_idle(bytes, &are_busy);

	if (!s && are_busy)
		return -EAGAIN;
	if (!s || mapping_move(s->base, base) < 0) {
		file_stop(XT_STOP_NO_MEMORY);
		return -ENOSPC;
	}
	use(s, base);
	return 0;
}

/* [from, to) lies in the current segment: another one, if need be. */
static int map(uint64_t from, uint64_t to)
{
	const struct segment *now = &tail.segment[tail.current];
	struct segment *s;
	uint64_t base = page_down(from), bytes = page_up(to) - base;

	if (from >= now->offset && to <= now->offset + now->bytes)
		return 0;
	s = segment_find_free();
	if (!s)
		return -EAGAIN;
	if (bytes < SEGMENT_BYTES)
		bytes = SEGMENT_BYTES;
	s->base = mapping_again(now->base, now->offset, now->bytes, base, bytes, MAPPING_SEGMENT);
	if (!s->base)
		return map_in_place(base, page_up(to) - base);
	s->bytes = bytes;
	use(s, base);
	return 0;
}

/* Pages from the free space's start up to `to`, which are mapped. */
static int populate(uint64_t to)
{
	const struct segment *s = &tail.segment[tail.current];
	uint64_t from = page_down(file_shared->free_at), ahead;

	/* another process has written up to there, or the segment is a new one further on */
	if (tail.populated_to < from)
		tail.populated_to = from;
	if (to <= tail.populated_to)
		return 0;
	ahead = page_up(to + least(AHEAD_BYTES, to / AHEAD_PART));
	ahead = least(ahead, s->offset + s->bytes);
	ahead = least(ahead, file_shared->free_end);
	if (file_populate(tail_at(tail.populated_to), ahead - tail.populated_to) < 0) {
		ahead = page_up(to);
		if (file_populate(tail_at(tail.populated_to), ahead - tail.populated_to) < 0) {
			file_stop(XT_STOP_NO_SPACE);
			return -ENOSPC;
		}
	}
	tail.populated_to = ahead;
	return 0;
}

int tail_ready(uint64_t from, uint64_t to)
{
	int result = map(from, to);

	return result < 0 ? result : populate(to);
}

int tail_move(uint64_t offset)
{
	const uint64_t free_at = file_shared->free_at;
	int result = map(offset, offset + XT_PAGE_BYTES);

	if (result == 0 && file_populate(tail_at(offset), XT_PAGE_BYTES) < 0)
		result = -ENOSPC;
	tail.populated_to = result == 0 ? offset + XT_PAGE_BYTES : page_down(free_at);
	return result;
}

void tail_cut(uint64_t offset)
{
	if (tail.populated_to > offset)
		tail.populated_to = offset;
}

unsigned tail_enter(void)
{
	atomic_fetch_add_explicit(&tail.segment[tail.current].users, 1, memory_order_relaxed);
	return tail.current;
}

void tail_leave(unsigned mapping)
{
	atomic_fetch_sub_explicit(&tail.segment[mapping].users, 1, memory_order_release);
}

void tail_release_written(void)
{
	const struct segment *s = &tail.segment[tail.current];
	uint64_t to = page_down(file_shared->free_at);

	if (tail.released_to < s->offset)
		tail.released_to = s->offset;
	if (to < tail.released_to + AHEAD_BYTES)
		return;
	sys_call3(SYS_madvise, tail_at(tail.released_to), to - tail.released_to, MADV_DONTNEED);
	tail.released_to = to;
}
