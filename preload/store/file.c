/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/store/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#if XALLOC_FAULT == 15
#include <stdlib.h>
#endif
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "preload/store/file_name.h"
#include "preload/store/mapping.h"
#include "preload/store/records.h"
#include "preload/store/tail.h"
#include "preload/sys/say.h"
#include "preload/sys/syscall.h"
#include "preload/sys/text.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#if XALLOC_FAULT == 15
#define STEP_BYTES (2u << 20)
#else
#define STEP_BYTES (64u << 20) /* a growth step, sparse */
#endif
#define FREE_BYTES_MAX (2ull << 30)
#define STEP_LATE_BYTES (1u << 20) /* after file_trim: what comes then is little */
#define REST_BYTES_MIN 128u /* a free frame's payload is never 64: it would read as a chunk's */
#define WINDOW0_BYTES (XT_PAGE_BYTES + FILE_WINDOW0_SLOTS * XT_SLOT_BYTES)
#define FIRST_BYTES (XT_PAGE_BYTES + WINDOW0_BYTES) /* header and window 0 */
#define TRY_LOCK_TRIES 200

struct xt_header *file_header;
struct shared *file_shared;
uint8_t *file_window0;

static struct {
	uint32_t side; /* enum shared_side: what this process is to the file */
	int is_dead;   /* a fork child's: private pages lie over it, there is no file */
	_Atomic int is_stop_said;
	char path[FILE_PATH_MAX];
	struct file_identity identity;
} file;

static uint64_t page_down(uint64_t n)
{
	return n & ~(uint64_t)(XT_PAGE_BYTES - 1);
}

static uint64_t page_up(uint64_t n)
{
	return page_down(n + XT_PAGE_BYTES - 1);
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

/* Between two stores of a change of the file's end. */
#if XALLOC_FAULT == 15
/* The helper dies at the n-th of the steps that are named in its environment: tests/transport.test.
 */
static void between(char step)
{
	static int count;
	const char *wanted = getenv("FAULT_STEP");

	if (file.side == SIDE_HELPER && wanted && *wanted == step && ++count == wanted[1] - '0') {
		file_shared->window[SHARED_WINDOWS_MAX - 1] = 15;
		raise(SIGKILL);
	}
}
#else
#define between(step) ((void)0)
#endif

static int try_lock(void)
{
	int i;

	for (i = 0; i < TRY_LOCK_TRIES; i++) {
		uint32_t none = SIDE_NONE;

		if (atomic_compare_exchange_weak_explicit(&file_shared->lock, &none, file.side,
							  memory_order_acquire,
							  memory_order_relaxed))
			return 1;
		__builtin_ia32_pause();
	}
	return 0;
}

static void unlock(void)
{
	atomic_store_explicit(&file_shared->lock, SIDE_NONE, memory_order_release);
}

int file_populate(void *start, uint64_t bytes)
{
	uintptr_t from = page_down((uintptr_t)start), to = page_up((uintptr_t)start + bytes);
	long result = sys_call3(SYS_madvise, from, to - from, MADV_POPULATE_WRITE);

	/* Before Linux 5.14 there is no such request: pages are touched unprobed there. */
	if (result == 0 || result == -EINVAL)
		return 0;
	return result == -EPERM ? -EPERM : -ENOSPC; /* EPERM: a filter's word */
}

void file_stop(uint32_t why)
{
	uint32_t none = XT_STOP_NONE;

	if (file_header)
		__atomic_compare_exchange_n(&file_header->stop_reason, &none, why, 0,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	file_say_stop();
}

void file_say_stop(void)
{
	const uint32_t why = file_header ? file_header->stop_reason : XT_STOP_NONE;

	if (why == XT_STOP_NONE || file.is_dead || file.side != SIDE_PROCESS ||
	    atomic_exchange(&file.is_stop_said, 1))
		return;
	say(why == XT_STOP_MAX_SIZE   ? "the trace has reached XALLOC_MAX_SIZE"
	    : why == XT_STOP_NO_SPACE ? "no more space for the trace"
	    : why == XT_STOP_NO_WAY   ? "the trace cannot be made larger any more"
	    : why == XT_STOP_SEALED   ? "the program allows itself no call that makes room for more"
				      : "no more memory for recording",
	    ": recording stops (", file.path, ")", NULL);
}

/* What RLIMIT_FSIZE, the program's own business, lets us have. */
static uint64_t size_limit(uint64_t max)
{
	struct rlimit limit;

	if (sys_call4(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, &limit) == 0 && limit.rlim_cur < max)
		max = limit.rlim_cur;
	return page_down(max);
}

static void frame_head(uint8_t *at, uint32_t magic, uint64_t payload)
{
	put32(at, magic);
	put32(at + 4, (uint32_t)payload);
}

/* Header and window 0, mapped; and which file it is. */
static int map_first(int fd)
{
	struct stat st;
	uint8_t *base;
	int error = 0;
	long result = sys_call2(SYS_fstat, fd, &st);

	if (result < 0)
		return (int)result;
	file.is_dead = 0;
	file.is_stop_said = 0;
	mapping_forget_all();
	base = mapping_new(fd, 0, FIRST_BYTES, MAPPING_WINDOW0, &error);
	if (!base)
		return error == -EINVAL ? FILE_CREATE_UNMAPPED : error;
	file.identity = (struct file_identity){ st.st_dev, st.st_ino, NULL };
	file_header = (struct xt_header *)(void *)(base + XT_FRAME_HEAD_BYTES);
	file_shared = (struct shared *)(void *)(base + XT_WRITERS_OFFSET);
	file_window0 = base + XT_PAGE_BYTES;
	return 0;
}

int file_create(int fd, uint64_t max_bytes)
{
	const uint64_t limit = size_limit(max_bytes);
	uint64_t bytes = FIRST_BYTES + STEP_BYTES;
	uint8_t *base;
	long result;

	file.side = SIDE_PROCESS;
	if (bytes > limit)
		bytes = limit;
	if (bytes < FIRST_BYTES + XT_PAGE_BYTES)
		return -EFBIG;
	result = sys_call2(SYS_ftruncate, fd, bytes);
	if (result < 0)
		return (int)result;
	result = map_first(fd);
	if (result < 0)
		return (int)result;
	base = file_window0 - XT_PAGE_BYTES;
	result = file_populate(base, 2 * XT_PAGE_BYTES);
	if (result < 0)
		goto fail;
	file_shared->max_bytes = max_bytes;
	file_shared->step = STEP_BYTES;
	file_shared->bytes = bytes;
	file_shared->free_at = FIRST_BYTES;
	file_shared->free_end = bytes;
	result = tail_open(fd, FIRST_BYTES);
	if (result < 0)
		goto fail;
	result = tail_ready(FIRST_BYTES, FIRST_BYTES + XT_FRAME_HEAD_BYTES);
	if (result < 0)
		goto fail;
	frame_head(base, XT_FRAME_HEADER, XT_PAGE_BYTES - XT_FRAME_HEAD_BYTES);
	frame_head(file_window0, XT_FRAME_WINDOW, WINDOW0_BYTES - XT_FRAME_HEAD_BYTES);
	((struct xt_window *)(void *)(file_window0 + XT_FRAME_HEAD_BYTES))->slots =
		FILE_WINDOW0_SLOTS;
	frame_head(tail_at(FIRST_BYTES), XT_FRAME_CHUNK, bytes - FIRST_BYTES - XT_FRAME_HEAD_BYTES);
	return 0;
fail:
	file_forget(1);
	return (int)result;
}

int file_attach(int fd, const char *path)
{
	struct text t = text_init(file.path, sizeof(file.path));
	int result;

	file.side = SIDE_HELPER;
	text_add(&t, path);
	result = map_first(fd);
	return result < 0 ? result : tail_open(fd, file_shared->free_at);
}

uint8_t *file_map_window(int fd, uint32_t number, uint32_t *slots)
{
	const uint64_t at = (uint64_t)file_shared->window[number] * XT_PAGE_BYTES;
	struct xt_window head;
	int error;

	if (sys_call4(SYS_pread64, fd, &head, sizeof(head), at + XT_FRAME_HEAD_BYTES) !=
		    sizeof(head) ||
	    head.slots > XT_WINDOW_SLOTS_MAX)
		return NULL;
	*slots = head.slots;
	return mapping_new(fd, at, XT_PAGE_BYTES + (uint64_t)head.slots * XT_SLOT_BYTES,
			   MAPPING_LATE_WINDOW, &error);
}

void file_named(const char *path)
{
	struct text t = text_init(file.path, sizeof(file.path));

	text_add(&t, path);
	file_name_note(path, &file.identity);
	mapping_tell(records_range);
}

const char *file_path(void)
{
	return file.path;
}

void file_forget(int is_mapped)
{
	records_forget();
	if (is_mapped)
		mapping_free_all();
	mapping_forget_all();
	tail_forget();
	file_header = NULL;
	file_shared = NULL;
	file_window0 = NULL;
}

void file_lay_private_pages(void)
{
	mapping_lay_private();
	file.is_dead = 1;
	/* Nothing is to be said of a file that is not ours. */
	file_header->stop_reason = XT_STOP_NO_SPACE;
}

static int truncate_path(uint64_t bytes)
{
	struct {
		uint64_t bits;
	} wanted = { 1ull << (SIGXFSZ - 1) };
	struct timespec now = { 0, 0 };
	long result;

	/* a signal that comes with it could not be taken back */
	if (sys_is_denied(SYS_rt_sigtimedwait) ||
	    file_name_check(file.path, sizeof(file.path), &file.identity) < 0)
		return -ENOENT;
	result = sys_call2(SYS_truncate, file.path, bytes);
	if (result ==
	    -EFBIG) /* the signal that came with it is pending, blocked: it is not the program's */
		sys_call4(SYS_rt_sigtimedwait, &wanted, 0, &now, 8);
	return (int)result;
}

/* The new part behind `before` is a frame of its own. */
static int begin_frame(uint64_t before, uint64_t end)
{
	const int result = tail_move(before);

	if (result < 0)
		return result;
	put32(tail_at(before) + 4, (uint32_t)(end - before - XT_FRAME_HEAD_BYTES));
	atomic_thread_fence(memory_order_release);
	put32(tail_at(before), XT_FRAME_CHUNK);
	between('b');
	file_shared->free_at = before;
	return 0;
}

/*
 * Makes the file `wanted` bytes long. The words in file_shared follow the file, so that repair
 * finds out how far a helper came.
 */
static int lengthen(uint64_t wanted)
{
	struct shared *f = file_shared;
	const uint64_t before = f->bytes;
	/* A frame's size is 32 bits: a free frame that would pass 2 GiB is left as it is. */
	const int joins = f->free_end == before && wanted - f->free_at <= FREE_BYTES_MAX;
	int result;

	result = tail_ready(f->free_at, f->free_at + XT_FRAME_HEAD_BYTES);
	if (result < 0)
		return result;
	result = truncate_path(wanted);
	between('t');
	if (result == 0 && joins)
		store_size(tail_at(f->free_at),
			   (uint32_t)(wanted - f->free_at - XT_FRAME_HEAD_BYTES));
	else if (result == 0) /* if this fails the file ends in zeros until the next try */
		result = begin_frame(before, wanted);
	if (result < 0)
		return result;
	between('g');
	atomic_thread_fence(memory_order_release);
	f->free_end = wanted;
	between('e');
	atomic_thread_fence(memory_order_release);
	f->bytes = wanted;
	between('f');
	return 0;
}

/* `need` bytes with frame heads fit the free frame afterwards; or recording stops. */
static int grow(uint64_t need)
{
	struct shared *f = file_shared;
	uint64_t limit = size_limit(f->max_bytes), before = f->bytes, wanted = before + f->step;
	const uint64_t least = before + page_up(need + REST_BYTES_MIN + 2 * XT_FRAME_HEAD_BYTES);
	int result;

	if (wanted < least) /* a window is larger than a late step */
		wanted = least;
	if (wanted > limit)
		wanted = limit;
	if (wanted < least) {
		file_stop(limit == page_down(f->max_bytes) ? XT_STOP_MAX_SIZE : XT_STOP_NO_SPACE);
		return -EFBIG;
	}
	result = lengthen(wanted);
	if (result == -EAGAIN)
		return result;
	if (result < 0)
		file_stop(result == -ENOSPC || result == -EDQUOT || result == -EFBIG
				  ? XT_STOP_NO_SPACE
				  : XT_STOP_NO_WAY);
	return result < 0 ? -ENOSPC : 0;
}

int file_extend(uint64_t bytes)
{
	struct shared *f = file_shared;
	uint64_t wanted;
	int result = 0;

	if (file.is_dead || bytes > FREE_BYTES_MAX)
		return -ENOSPC;
	if (!try_lock())
		return -EAGAIN;
	wanted = page_up((f->free_end == f->bytes ? f->free_at : f->bytes) + bytes);
	if (wanted > size_limit(f->max_bytes))
		wanted = size_limit(f->max_bytes);
	if (f->free_end - f->free_at < bytes && wanted > f->bytes + XT_PAGE_BYTES)
		result = lengthen(wanted);
	unlock();
	return result;
}

void file_ready_end(void)
{
	if (!file.is_dead && try_lock()) {
		tail_ready(file_shared->free_at, file_shared->free_at + XT_PAGE_BYTES);
		unlock();
	}
}

/* The helper is dead and was between two stores. What it took at last is free space for ever. */
static void repair(void)
{
	struct shared *f = file_shared;
	uint64_t next;
	uint32_t size;

	if (tail_ready(f->free_at, f->free_at + XT_FRAME_HEAD_BYTES) < 0)
		return; /* recording stops */
	memcpy(&size, tail_at(f->free_at) + 4, sizeof(size));
	next = f->free_at + XT_FRAME_HEAD_BYTES + size;
	if (next < f->free_end) {
		f->free_at = next;
	} else {
		f->free_end = next;
		if (f->bytes < next)
			f->bytes = next;
	}
}

void file_free_lock(void)
{
	uint32_t helper = SIDE_HELPER;

	if (!atomic_compare_exchange_strong(&file_shared->lock, &helper, SIDE_PROCESS))
		return;
	repair();
	unlock();
}

int file_reserve(uint64_t bytes, struct file_space *space)
{
	struct shared *f = file_shared;
	uint64_t need = XT_FRAME_HEAD_BYTES + bytes, next;
	int result = 0;

	if (file.is_dead)
		return -ENOSPC;
	if (!try_lock())
		return -EAGAIN;
	while (f->free_end - f->free_at < need + XT_FRAME_HEAD_BYTES + REST_BYTES_MIN) {
		result = grow(need);
		if (result < 0)
			goto out;
	}
	next = f->free_at + need;
	result = tail_ready(f->free_at, next + XT_FRAME_HEAD_BYTES);
	if (result < 0)
		goto out;
	tail_release_written();
	frame_head(tail_at(next), XT_FRAME_CHUNK, f->free_end - next - XT_FRAME_HEAD_BYTES);
	between('n');
	store_size(tail_at(f->free_at), (uint32_t)bytes);
	between('s');
	space->at = tail_at(f->free_at) + XT_FRAME_HEAD_BYTES;
	space->size = (uint32_t *)(void *)(tail_at(f->free_at) + 4);
	space->mapping = tail_enter();
	atomic_thread_fence(memory_order_release);
	f->free_at = next;
	between('l');
out:
	unlock();
	mapping_tell(records_range);
	return result;
}

void file_publish(const struct file_space *space, uint32_t frame_bytes)
{
	store_size((uint8_t *)space->size - 4, frame_bytes);
	tail_leave(space->mapping);
}

int file_add_window(uint32_t slots, uint8_t **at)
{
	struct shared *f = file_shared;
	uint64_t bytes = XT_PAGE_BYTES + (uint64_t)slots * XT_SLOT_BYTES, start;
	uint8_t *window;
	int result = 0;

	if (file.is_dead || f->late_windows == SHARED_WINDOWS_MAX)
		return -ENOSPC;
	if (!try_lock())
		return -EAGAIN;
	while (f->free_end - f->free_at <
	       bytes + XT_PAGE_BYTES + XT_FRAME_HEAD_BYTES + REST_BYTES_MIN) {
		result = grow(bytes + XT_PAGE_BYTES);
		if (result < 0)
			goto out;
	}
	start = f->free_end - bytes;
	result = tail_ready(f->free_at, f->free_at + XT_FRAME_HEAD_BYTES);
	if (result < 0)
		goto out;
	window = tail_map_window(start, bytes);
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
	store_size(tail_at(f->free_at), (uint32_t)(start - f->free_at - XT_FRAME_HEAD_BYTES));
	f->free_end = start;
	tail_cut(start);
	f->window[f->late_windows] = (uint32_t)(start / XT_PAGE_BYTES);
	atomic_fetch_add(&f->late_windows, 1);
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
	struct shared *f = file_shared;

	mapping_drop_windows(f->free_end);
	store_size(tail_at(f->free_at), (uint32_t)(f->bytes - f->free_at - XT_FRAME_HEAD_BYTES));
	f->free_end = f->bytes;
}

int file_trim(int (*give_up)(uint32_t windows), uint64_t room)
{
	struct shared *f = file_shared;
	uint64_t end;
	int result = 0;

	if (file.is_dead)
		return -ENOSPC;
	if (!try_lock())
		return -EAGAIN;
	f->step = STEP_LATE_BYTES;
	if (tail_ready(f->free_at, f->free_at + XT_FRAME_HEAD_BYTES) < 0)
		goto out;
	if (f->free_end != f->bytes) {
		/* No window is added while we hold the lock. */
		if (f->bytes - f->free_at > UINT32_MAX || !give_up(f->late_windows))
			goto out;
		drop_windows();
	}
	end = page_up(f->free_at + XT_FRAME_HEAD_BYTES + REST_BYTES_MIN + room);
	if (end >= f->bytes)
		goto out;
	store_size(tail_at(f->free_at), (uint32_t)(end - f->free_at - XT_FRAME_HEAD_BYTES));
	result = truncate_path(end);
	if (result < 0) {
		store_size(tail_at(f->free_at),
			   (uint32_t)(f->bytes - f->free_at - XT_FRAME_HEAD_BYTES));
		goto out;
	}
	f->bytes = end;
	f->free_end = end;
	tail_cut(end);
out:
	unlock();
	return result;
}

void file_count_lost(void)
{
	if (file_header)
		__atomic_fetch_add(&file_header->lost_events, XT_SURE, __ATOMIC_RELAXED);
}
