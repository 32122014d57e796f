/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/store/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "preload/store/mapping.h"
#include "preload/store/records.h"
#include "preload/sys/say.h"
#include "preload/sys/syscall.h"
#include "preload/sys/text.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define STEP_BYTES (64u << 20)     /* a growth step, sparse */
#define STEP_LATE_BYTES (1u << 20) /* after file_trim: what comes then is little */
#define SEGMENT_BYTES \
	(1u << 20) /* of the tail that are mapped at a time: address space is the program's */
#define AHEAD_BYTES (256u << 10) /* pages made ready, and given back, at a time */
#define REST_BYTES_MIN 128u /* a free frame's payload is never 64: it would read as a chunk's */
#define SEGMENTS 8
#define WINDOW0_BYTES (XT_PAGE_BYTES + FILE_WINDOW0_SLOTS * XT_SLOT_BYTES)
#define TRY_LOCK_TRIES 200

struct xt_header *file_header;
uint8_t *file_window0;

/* A mapping of the file's tail. A growth makes a new one; an old one goes once no writer is in it.
 */
struct segment {
	uint8_t *base;
	uint64_t offset, bytes;
	_Atomic int users;
};

static struct {
	_Atomic int lock;
	int is_dead; /* a fork child's: private pages lie over it, there is no file */
	char path[FILE_PATH_MAX];
	dev_t dev;
	ino_t ino;
	uint64_t bytes, max_bytes;  /* now, at most */
	uint64_t free_at, free_end; /* the free frame that space is taken from */
	uint64_t populated_to, released_to;
	uint32_t step;
	unsigned current;
	struct segment segment[SEGMENTS];
	uint32_t late_windows;
} file;

static uint64_t page_down(uint64_t n)
{
	return n & ~(uint64_t)(XT_PAGE_BYTES - 1);
}

static uint64_t page_up(uint64_t n)
{
	return page_down(n + XT_PAGE_BYTES - 1);
}

static uint8_t *tail(uint64_t offset)
{
	const struct segment *s = &file.segment[file.current];

	return s->base + (offset - s->offset);
}

static void put32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, 4);
}

/* Atomic although the frame may stand at any byte: x86 stores within a cache line are, and across
 * two lines the kernel, which only sees the bytes after the thread is gone, sees both halves. */
static void store_size(uint8_t *head, uint32_t value)
{
	atomic_thread_fence(memory_order_release);
	*(volatile uint32_t *)(void *)(head + 4) = value;
}

static int try_lock(void)
{
	int i;

	for (i = 0; i < TRY_LOCK_TRIES; i++) {
		if (!atomic_exchange_explicit(&file.lock, 1, memory_order_acquire))
			return 1;
		__builtin_ia32_pause();
	}
	return 0;
}

static void unlock(void)
{
	atomic_store_explicit(&file.lock, 0, memory_order_release);
}

int file_populate(void *start, uint64_t bytes)
{
	uintptr_t from = page_down((uintptr_t)start), to = page_up((uintptr_t)start + bytes);
	long result = sys_call3(SYS_madvise, from, to - from, MADV_POPULATE_WRITE);

	/* Before Linux 5.14 there is no such request: pages are touched unprobed there. */
	return result == 0 || result == -EINVAL ? 0 : -ENOSPC;
}

void file_stop(uint32_t why)
{
	uint32_t none = XT_STOP_NONE;

	if (!file_header || !__atomic_compare_exchange_n(&file_header->stop_reason, &none, why, 0,
							 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	say(why == XT_STOP_MAX_SIZE   ? "the trace has reached XALLOC_MAX_SIZE"
	    : why == XT_STOP_NO_SPACE ? "no more space for the trace"
				      : "no more memory for recording",
	    ": recording stops (", file.path, ")", NULL);
}

/* What RLIMIT_FSIZE, the program's own business, lets us have. */
static uint64_t size_limit(void)
{
	struct rlimit limit;
	uint64_t max = file.max_bytes;

	if (sys_call4(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, &limit) == 0 && limit.rlim_cur < max)
		max = limit.rlim_cur;
	return page_down(max);
}

/* [offset, offset + bytes) of the file, made from the current segment. */
static uint8_t *map_at(uint64_t offset, uint64_t bytes, enum mapping_kind kind)
{
	const struct segment *s = &file.segment[file.current];

	return mapping_again(s->base, s->offset, s->bytes, offset, bytes, kind);
}

static void frame_head(uint8_t *at, uint32_t magic, uint64_t payload)
{
	put32(at, magic);
	put32(at + 4, (uint32_t)payload);
}

int file_create(int fd, uint64_t max_bytes)
{
	uint64_t first = XT_PAGE_BYTES + WINDOW0_BYTES;
	struct segment *s = &file.segment[0];
	struct stat st;
	uint8_t *base;
	int error = 0;
	long result;

	file.max_bytes = max_bytes;
	file.step = STEP_BYTES;
	file.bytes = first + STEP_BYTES;
	if (file.bytes > size_limit())
		file.bytes = size_limit();
	if (file.bytes < first + XT_PAGE_BYTES)
		return -EFBIG;
	result = sys_call2(SYS_ftruncate, fd, file.bytes);
	if (result < 0)
		return (int)result;
	result = sys_call2(SYS_fstat, fd, &st);
	if (result < 0)
		return (int)result;
	file.dev = st.st_dev;
	file.ino = st.st_ino;

	mapping_forget_all();
	file.late_windows = 0;
	file.is_dead = 0;
	base = mapping_new(fd, 0, first, MAPPING_WINDOW0, &error);
	if (!base)
		return error;
	s->bytes = file.bytes - first < SEGMENT_BYTES ? file.bytes - first : SEGMENT_BYTES;
	s->base = mapping_new(fd, first, s->bytes, MAPPING_SEGMENT, &error);
	s->offset = first;
	s->users = 0;
	if (!s->base) {
		mapping_free(base);
		return error;
	}
	file.current = 0;
	file.free_at = first;
	file.free_end = file.bytes;
	file.populated_to = first + XT_PAGE_BYTES;
	file.released_to = first;
	if (file_populate(base, 2 * XT_PAGE_BYTES) < 0 ||
	    file_populate(s->base, XT_PAGE_BYTES) < 0) {
		mapping_free(base);
		mapping_free(s->base);
		s->base = NULL;
		return -ENOSPC;
	}
	frame_head(base, XT_FRAME_HEADER, XT_PAGE_BYTES - XT_FRAME_HEAD_BYTES);
	file_window0 = base + XT_PAGE_BYTES;
	frame_head(file_window0, XT_FRAME_WINDOW, WINDOW0_BYTES - XT_FRAME_HEAD_BYTES);
	((struct xt_window *)(void *)(file_window0 + XT_FRAME_HEAD_BYTES))->slots =
		FILE_WINDOW0_SLOTS;
	frame_head(s->base, XT_FRAME_CHUNK, file.free_end - file.free_at - XT_FRAME_HEAD_BYTES);
	file_header = (struct xt_header *)(void *)(base + XT_FRAME_HEAD_BYTES);
	return 0;
}

void file_named(const char *path)
{
	struct text t = text_init(file.path, sizeof(file.path));

	text_add(&t, path);
	mapping_tell(records_range);
}

void file_forget(int is_mapped)
{
	unsigned i;

	records_forget();
	if (is_mapped)
		mapping_free_all();
	mapping_forget_all();
	for (i = 0; i < SEGMENTS; i++) {
		file.segment[i].base = NULL;
		file.segment[i].users = 0;
	}
	file_header = NULL;
	file_window0 = NULL;
	file.lock = 0;
}

void file_lay_private_pages(void)
{
	mapping_lay_private();
	file.is_dead = 1;
	file.lock = 0;
	/* Nothing is to be said of a file that is not ours. */
	file_header->stop_reason = XT_STOP_NO_SPACE;
}

/* The path may name another file by now: then ours has no name by which it could grow. */
static int truncate_path(uint64_t bytes)
{
	struct {
		uint64_t bits;
	} wanted = { 1ull << (SIGXFSZ - 1) };
	struct timespec now = { 0, 0 };
	struct stat st;
	long result;

	if (sys_call2(SYS_stat, file.path, &st) < 0 || st.st_dev != file.dev ||
	    st.st_ino != file.ino)
		return -ENOENT;
	result = sys_call2(SYS_truncate, file.path, bytes);
	if (result ==
	    -EFBIG) /* the signal that came with it is pending, blocked: it is not the program's */
		sys_call4(SYS_rt_sigtimedwait, &wanted, 0, &now, 8);
	return (int)result;
}

/* A segment entry nobody is in any more; the others like it are unmapped too. */
static struct segment *segment_find_free(void)
{
	struct segment *found = NULL;
	unsigned i;

	for (i = 0; i < SEGMENTS; i++) {
		struct segment *s = &file.segment[i];

		if (i == file.current || atomic_load_explicit(&s->users, memory_order_acquire))
			continue;
		if (s->base)
			mapping_free(s->base);
		s->base = NULL;
		found = s;
	}
	return found;
}

/* The tail from `from` to `to` lies in the current segment: another one, if need be. */
static int map_tail(uint64_t from, uint64_t to)
{
	const struct segment *now = &file.segment[file.current];
	struct segment *s;
	uint64_t base = page_down(from), bytes = page_up(to) - base;

	if (from >= now->offset && to <= now->offset + now->bytes)
		return 0;
	s = segment_find_free();
	if (!s)
		return -EAGAIN;
	if (bytes < SEGMENT_BYTES)
		bytes = SEGMENT_BYTES;
	if (bytes > file.bytes - base)
		bytes = file.bytes - base;
	s->base = map_at(base, bytes, MAPPING_SEGMENT);
	if (!s->base) {
		file_stop(XT_STOP_NO_MEMORY);
		return -ENOSPC;
	}
	s->offset = base;
	s->bytes = bytes;
	file.current = (unsigned)(s - file.segment);
	return 0;
}

/* Makes the file longer; `need` bytes with frame heads must fit the free frame afterwards. */
static int grow(uint64_t need)
{
	uint64_t limit = size_limit(), before = file.bytes, wanted = before + file.step;
	int joins = file.free_end == before, result;

	if (wanted > limit)
		wanted = limit;
	if (wanted < before + page_up(need + REST_BYTES_MIN + 2 * XT_FRAME_HEAD_BYTES)) {
		file_stop(limit == page_down(file.max_bytes) ? XT_STOP_MAX_SIZE : XT_STOP_NO_SPACE);
		return -EFBIG;
	}
	/* A frame's size is 32 bits: a free frame that would pass 2 GiB is left as it is. */
	if (joins && wanted - file.free_at > (2ull << 30))
		joins = 0;
	result = truncate_path(wanted);
	if (result < 0) {
		file_stop(XT_STOP_NO_SPACE);
		return -ENOSPC;
	}
	file.bytes = wanted;
	if (joins) {
		store_size(tail(file.free_at),
			   (uint32_t)(wanted - file.free_at - XT_FRAME_HEAD_BYTES));
	} else {
		result = map_tail(before, before + XT_PAGE_BYTES);
		if (result == 0 && file_populate(tail(before), XT_PAGE_BYTES) < 0) {
			file_stop(XT_STOP_NO_SPACE);
			result = -ENOSPC;
		}
		if (result < 0) { /* the next try grows anew; until then the file ends in zeros */
			file.bytes = before;
			return result;
		}
		put32(tail(before) + 4, (uint32_t)(wanted - before - XT_FRAME_HEAD_BYTES));
		atomic_thread_fence(memory_order_release);
		put32(tail(before), XT_FRAME_CHUNK);
		file.free_at = before;
		file.populated_to = before + XT_PAGE_BYTES;
		file.released_to = file.free_at;
	}
	file.free_end = wanted;
	return 0;
}

static uint64_t segment_end(void)
{
	return file.segment[file.current].offset + file.segment[file.current].bytes;
}

/* Pages up to `to`, which are mapped, can be written without a signal. */
static int populate_to(uint64_t to)
{
	uint64_t least = page_up(to), ahead = page_up(to + AHEAD_BYTES);

	if (to <= file.populated_to)
		return 0;
	if (ahead > file.free_end)
		ahead = file.free_end;
	if (ahead > segment_end())
		ahead = segment_end();
	if (file_populate(tail(file.populated_to), ahead - file.populated_to) < 0) {
		ahead = least;
		if (file_populate(tail(file.populated_to), ahead - file.populated_to) < 0) {
			file_stop(XT_STOP_NO_SPACE);
			return -ENOSPC;
		}
	}
	file.populated_to = ahead;
	return 0;
}

/* Written pages are the kernel's to keep: they leave the target's resident memory. */
static void release_written(void)
{
	struct segment *s = &file.segment[file.current];
	uint64_t to = page_down(file.free_at);

	if (file.released_to < s->offset)
		file.released_to = s->offset;
	if (to < file.released_to + AHEAD_BYTES)
		return;
	sys_call3(SYS_madvise, tail(file.released_to), to - file.released_to, MADV_DONTNEED);
	file.released_to = to;
}

int file_reserve(uint64_t bytes, struct file_space *space)
{
	uint64_t need = XT_FRAME_HEAD_BYTES + bytes, next;
	int result = 0;

	if (file.is_dead)
		return -ENOSPC;
	if (!try_lock())
		return -EAGAIN;
	while (file.free_end - file.free_at < need + XT_FRAME_HEAD_BYTES + REST_BYTES_MIN) {
		result = grow(need);
		if (result < 0)
			goto out;
	}
	next = file.free_at + need;
	result = map_tail(file.free_at, next + XT_FRAME_HEAD_BYTES);
	if (result < 0)
		goto out;
	result = populate_to(next + XT_FRAME_HEAD_BYTES);
	if (result < 0)
		goto out;
	release_written();
	frame_head(tail(next), XT_FRAME_CHUNK, file.free_end - next - XT_FRAME_HEAD_BYTES);
	store_size(tail(file.free_at), (uint32_t)bytes);
	space->at = tail(file.free_at) + XT_FRAME_HEAD_BYTES;
	space->size = (uint32_t *)(void *)(tail(file.free_at) + 4);
	space->segment = file.current;
	atomic_fetch_add_explicit(&file.segment[file.current].users, 1, memory_order_relaxed);
	file.free_at = next;
out:
	unlock();
	mapping_tell(records_range);
	return result;
}

void file_publish(const struct file_space *space, uint32_t frame_bytes)
{
	store_size((uint8_t *)space->size - 4, frame_bytes);
	atomic_fetch_sub_explicit(&file.segment[space->segment].users, 1, memory_order_release);
}

int file_add_window(uint32_t slots, uint8_t **at)
{
	uint64_t bytes = XT_PAGE_BYTES + (uint64_t)slots * XT_SLOT_BYTES, start;
	uint8_t *window;
	int result = 0;

	if (file.is_dead)
		return -ENOSPC;
	if (!try_lock())
		return -EAGAIN;
	while (file.free_end - file.free_at <
	       bytes + XT_PAGE_BYTES + XT_FRAME_HEAD_BYTES + REST_BYTES_MIN) {
		result = grow(bytes + XT_PAGE_BYTES);
		if (result < 0)
			goto out;
	}
	start = file.free_end - bytes;
	window = map_at(start, bytes, MAPPING_LATE_WINDOW);
	if (!window) {
		result = -ENOSPC;
		goto out;
	}
	if (file_populate(window, XT_PAGE_BYTES) < 0) {
		mapping_free(window);
		file_stop(XT_STOP_NO_SPACE);
		result = -ENOSPC;
		goto out;
	}
	frame_head(window, XT_FRAME_WINDOW, bytes - XT_FRAME_HEAD_BYTES);
	((struct xt_window *)(void *)(window + XT_FRAME_HEAD_BYTES))->slots = slots;
	store_size(tail(file.free_at), (uint32_t)(start - file.free_at - XT_FRAME_HEAD_BYTES));
	file.free_end = start;
	if (file.populated_to > start)
		file.populated_to = start;
	file.late_windows++;
	*at = window;
out:
	unlock();
	return result;
}

/*
 * The windows behind the data are empty and nobody takes a slot in them any more. Who read before
 * that they are there may still look at a head: it finds a private zero page, "free", and then that
 * the slot is gone. The file behind the data becomes zeros before the frames there do, so that a
 * kill leaves what a growth may leave.
 */
static void drop_windows(void)
{
	mapping_drop_windows(file.free_end);
	store_size(tail(file.free_at), (uint32_t)(file.bytes - file.free_at - XT_FRAME_HEAD_BYTES));
	file.free_end = file.bytes;
}

int file_trim(int (*give_up)(uint32_t windows))
{
	uint64_t end;
	int result = 0;

	if (file.is_dead)
		return -ENOSPC;
	if (!try_lock())
		return -EAGAIN;
	file.step = STEP_LATE_BYTES;
	if (file.free_end != file.bytes) {
		/* No window is added while we hold the lock. */
		if (file.bytes - file.free_at > UINT32_MAX || !give_up(file.late_windows))
			goto out;
		drop_windows();
	}
	end = page_up(file.free_at + XT_FRAME_HEAD_BYTES + REST_BYTES_MIN);
	if (end >= file.bytes || map_tail(file.free_at, file.free_at + XT_FRAME_HEAD_BYTES) < 0 ||
	    populate_to(file.free_at + XT_FRAME_HEAD_BYTES) < 0)
		goto out;
	store_size(tail(file.free_at), (uint32_t)(end - file.free_at - XT_FRAME_HEAD_BYTES));
	result = truncate_path(end);
	if (result < 0) {
		store_size(tail(file.free_at),
			   (uint32_t)(file.bytes - file.free_at - XT_FRAME_HEAD_BYTES));
		goto out;
	}
	file.bytes = end;
	file.free_end = end;
	if (file.populated_to > end)
		file.populated_to = end;
out:
	unlock();
	return result;
}

void file_count_lost(void)
{
	if (file_header)
		__atomic_fetch_add(&file_header->lost_events, 1, __ATOMIC_RELAXED);
}
