/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/store/slot.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/store/commit.h"
#include "preload/store/file.h"
#include "preload/store/helper.h"
#include "preload/sys/syscall.h"
#include "preload/sys/sysmem.h"

#define SLOTS_MAX 65536u
#define BLOCK_SLOTS 128u
#define WINDOW_SLOTS_FIRST 8u
#define ALLOWED_SLOTS 10u    /* 1.25 MiB */
#define FIXED_SPINS 1000000u /* some seconds, for a helper that cannot be waited for */
#define FIXED_PAUSES 64
#define FIX_TRIES 100
#define KEPT_FREE 2u

static struct {
	struct slot *block[SLOTS_MAX / BLOCK_SLOTS]; /* made as they are needed */
	_Atomic uint32_t count;
	_Atomic uint32_t allowed; /* in use at once while a helper works */
	_Atomic int adding;
	_Atomic int are_fixed;
	_Atomic int lack_memory;
	uint32_t next_window, late_windows;
} slots;

static struct slot *slot_at(uint32_t i)
{
	return &slots.block[i / BLOCK_SLOTS][i % BLOCK_SLOTS];
}

/* Memory for the slots up to `count`. */
static int make_blocks(uint32_t count)
{
	uint32_t i;

	for (i = 0; i <= (count - 1) / BLOCK_SLOTS; i++)
		if (!slots.block[i]) {
			slots.block[i] = sysmem_new(BLOCK_SLOTS * sizeof(struct slot));
			if (!slots.block[i])
				return -1;
		}
	return 0;
}

static void add_slots(uint8_t *window, uint32_t count, uint32_t late)
{
	struct xt_window *head = (struct xt_window *)(void *)(window + XT_FRAME_HEAD_BYTES);
	uint32_t i, first = slots.count;

	for (i = 0; i < count; i++) {
		struct slot *s = slot_at(first + i);

		memset(s, 0, sizeof(*s));
		s->head = &head->slot[i];
		s->data = window + XT_PAGE_BYTES + (size_t)i * XT_SLOT_BYTES;
		s->late = late;
	}
	atomic_store_explicit(&slots.count, first + count, memory_order_release);
}

void slots_init(void)
{
	slots.count = 0;
	slots.allowed = ALLOWED_SLOTS;
	slots.adding = 0;
	slots.are_fixed = 0;
	slots.lack_memory = 0;
	slots.next_window = WINDOW_SLOTS_FIRST;
	slots.late_windows = 0;
	if (make_blocks(FILE_WINDOW0_SLOTS) == 0)
		add_slots(file_window0, FILE_WINDOW0_SLOTS, 0);
}

int slots_add_window(uint8_t *window, uint32_t count)
{
	if (slots.count + count > SLOTS_MAX || make_blocks(slots.count + count) < 0)
		return -1;
	add_slots(window, count, 1);
	return 0;
}

void slots_allow(uint32_t more)
{
	atomic_fetch_add_explicit(&slots.allowed, more, memory_order_relaxed);
}

/* The first one from the start: those that were in use last are used again, the others stay
 * untouched. */
static struct slot *find_free(uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		struct slot *s = slot_at(i);
		uint32_t kind = XT_KIND_FREE;

		if (atomic_load_explicit(&s->gone, memory_order_relaxed) ||
		    __atomic_load_n(&s->head->kind, __ATOMIC_RELAXED) != XT_KIND_FREE)
			continue;
		if (slots.are_fixed && !s->ready)
			continue;
		if (!__atomic_compare_exchange_n(&s->head->kind, &kind, XT_KIND_TAKEN, 0,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		if (atomic_load(&s->gone))
			continue;
		return s;
	}
	return NULL;
}

/* 0 when there may be free slots now, else a negative errno. */
static int add_window(void)
{
	uint32_t count = slots.next_window;
	uint8_t *window;
	int result = -EAGAIN;

	if (!atomic_exchange_explicit(&slots.adding, 1, memory_order_acquire)) {
		if (slots.count + count > SLOTS_MAX || make_blocks(slots.count + count) < 0) {
			result = -ENOSPC;
		} else {
			result = file_add_window(count, &window);
			if (result == 0) {
				add_slots(window, count, 1);
				slots.late_windows++;
				slots.next_window = count * 2 > XT_WINDOW_SLOTS_MAX
							    ? XT_WINDOW_SLOTS_MAX
							    : count * 2;
			}
		}
		atomic_store_explicit(&slots.lack_memory, result == -ENOSPC, memory_order_relaxed);
		atomic_store_explicit(&slots.adding, 0, memory_order_release);
	}
	return result;
}

int slots_lack_memory(void)
{
	return atomic_load_explicit(&slots.lack_memory, memory_order_relaxed);
}

int slots_are_fixed(void)
{
	return slots.are_fixed;
}

void slots_loosen(void)
{
	slots.are_fixed = 0;
}

/* The pages of a free slot; they leave our resident memory, and have their place on the disk. */
static int make_ready(struct slot *s)
{
	uint32_t kind = XT_KIND_FREE;
	int result = 0;

	if (s->ready || atomic_load(&s->gone) ||
	    !__atomic_compare_exchange_n(&s->head->kind, &kind, XT_KIND_TAKEN, 0, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return 0;
	result = file_populate(s->data, XT_SLOT_BYTES);
	if (result == 0) {
		sys_call3(SYS_madvise, s->data, XT_SLOT_BYTES, MADV_DONTNEED);
		s->ready = 1;
	}
	slot_release(s);
	return result;
}

int slots_fix(uint64_t bytes)
{
	const uint32_t wanted = slots.count + (uint32_t)(bytes / XT_SLOT_BYTES);
	int result = 0, tries = 0;
	uint32_t i;

	while (slots.count < wanted &&
	       (result == 0 || (result == -EAGAIN && tries++ < FIX_TRIES))) {
		result = add_window();
		if (result == -EAGAIN) /* another thread's, which may not be running */
			sys_call0(SYS_sched_yield);
	}
	for (i = 0; i < slots.count && make_ready(slot_at(i)) == 0; i++)
		;
	slots.are_fixed = 1;
	return i < slots.count ? -ENOSPC : result;
}

/* Without a system call that must be made: the helper looks by itself what was left. */
static struct slot *find_fixed(int may_wait)
{
	uint32_t spins, i;

	for (spins = 0; spins < FIXED_SPINS; spins++) {
		const uint32_t freed = helper_freed();
		struct slot *s = find_free(slots.count);

		if (s || !may_wait)
			return s;
		if (!helper_works())
			break;
		helper_wait(freed);
		for (i = 0; i < FIXED_PAUSES; i++)
			__builtin_ia32_pause();
	}
	file_stop(XT_STOP_SEALED);
	return NULL;
}

/* NULL: none now, and waiting or adding a window is not to be done, or would not help. */
static struct slot *find_or_wait(int may_grow)
{
	int tries = 0;

	if (slots.are_fixed)
		return find_fixed(may_grow);
	for (;;) {
		const uint32_t freed = helper_freed(), allowed = slots.allowed;
		const int helped = helper_works();
		uint32_t count = atomic_load_explicit(&slots.count, memory_order_acquire);
		int result = -EAGAIN;
		struct slot *s = find_free(helped && count > allowed ? allowed : count);

		if (s || !may_grow || file_header->stop_reason)
			return s;
		if (!helped || count < allowed)
			result = add_window();
		if (result == 0)
			continue;
		/* without memory for another window what the helper gives back will do */
		if (helped && (result == -EAGAIN || atomic_load(&file_shared->left) ||
			       helper_freed() != freed)) {
			helper_wait(freed);
			continue;
		}
		/* The lock's holder may be off its processor: give it ours, but not for ever. */
		if (result != -EAGAIN || tries++ == 1000)
			return NULL;
		sys_call0(SYS_sched_yield);
	}
}

void slots_keep_free(void)
{
	uint32_t count = atomic_load_explicit(&slots.count, memory_order_acquire), i, found = 0;

	if (slots.are_fixed || file_header->stop_reason)
		return;
	for (i = 0; i < count && found < KEPT_FREE; i++)
		found += __atomic_load_n(&slot_at(i)->head->kind, __ATOMIC_RELAXED) ==
				 XT_KIND_FREE &&
			 !atomic_load_explicit(&slot_at(i)->gone, memory_order_relaxed);
	if (found < KEPT_FREE)
		add_window();
}

struct slot *slot_take(int zeroed, int may_grow)
{
	struct slot *s = slots.count && file_header ? find_or_wait(may_grow) : NULL;

	if (!s)
		return NULL;
	if (!s->ready && file_populate(s->data, XT_SLOT_BYTES) < 0) {
		file_stop(XT_STOP_NO_SPACE);
		slot_release(s);
		return NULL;
	}
	/* a slot's pages are holes at first; after the end holes may be no holes everywhere */
	if (zeroed && (s->ready || file_header->state != XT_STATE_RECORDING))
		memset(s->data, 0, XT_SLOT_BYTES);
	s->ready = 1;
	s->head->used = 0;
	s->head->events = 0;
	slot_own(s)->last_stamp = 0;
	s->fill = 0;
	s->done = 0;
	return s;
}

void slot_show(struct slot *s, enum xt_kind kind)
{
	__atomic_store_n(&s->head->kind, kind, __ATOMIC_RELEASE);
}

void slot_release(struct slot *s)
{
	__atomic_store_n(&s->head->used, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&s->head->kind, XT_KIND_FREE, __ATOMIC_RELEASE);
}

void slot_leave(struct slot *s)
{
	atomic_store_explicit(&slot_own(s)->state, SLOT_LEFT, memory_order_release);
	atomic_fetch_add(&file_shared->left, 1);
	helper_ring();
}

void slot_complete(struct slot *s, uint32_t bytes)
{
	if (bytes && atomic_fetch_add(&s->done, bytes) + bytes == XT_SLOT_BYTES)
		slot_leave(s);
}

int slots_commit_left(int may_compress, enum slot_state as)
{
	uint32_t count = atomic_load_explicit(&slots.count, memory_order_acquire), i;
	int result;

	for (i = 0; i < count && atomic_load_explicit(&file_shared->left, memory_order_relaxed);
	     i++) {
		struct slot *s = slot_at(i);
		uint32_t left = SLOT_LEFT;

		if (atomic_load(&s->gone) ||
		    !atomic_compare_exchange_strong(&slot_own(s)->state, &left, as))
			continue;
		result = commit_slot(s, may_compress);
		if (result < 0) {
			atomic_store_explicit(&slot_own(s)->state, SLOT_LEFT, memory_order_release);
			return result;
		}
		atomic_store_explicit(&slot_own(s)->state, SLOT_IN_HAND, memory_order_relaxed);
		slot_release(s);
		atomic_fetch_sub(&file_shared->left, 1);
		if (as == SLOT_HELPER)
			helper_gave_back();
	}
	return 0;
}

void slots_take_back(void)
{
	uint32_t count = atomic_load_explicit(&slots.count, memory_order_acquire), i;

	for (i = 0; i < count; i++) {
		uint32_t helper = SLOT_HELPER;

		atomic_compare_exchange_strong(&slot_own(slot_at(i))->state, &helper, SLOT_LEFT);
	}
}

int slots_give_up_late(uint32_t windows)
{
	uint32_t count = atomic_load_explicit(&slots.count, memory_order_acquire), i, j;
	uint32_t kind;

	if (windows != slots.late_windows)
		return 0; /* one is in the file, and its slots not yet here */
	for (i = 0; i < count; i++) {
		struct slot *s = slot_at(i);

		kind = XT_KIND_FREE;
		if (!s->late || atomic_load(&s->gone))
			continue;
		if (__atomic_compare_exchange_n(&s->head->kind, &kind, XT_KIND_TAKEN, 0,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		for (j = 0; j < i; j++) /* one is in use: the others go on being free */
			if (slot_at(j)->late && !atomic_load(&slot_at(j)->gone))
				slot_release(slot_at(j));
		return 0;
	}
	for (i = 0; i < count; i++)
		if (slot_at(i)->late)
			atomic_store(&slot_at(i)->gone, 1);
	return 1;
}

/* One chunk may be left, and the next one begun. */
static uint32_t add_place(struct slots_place *place, uint32_t room, uint32_t count,
			  const struct slots_place *one)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		if (place[i].stream != one->stream)
			continue;
		if (place[i].events < one->events)
			place[i].events = one->events;
		return count;
	}
	if (count < room)
		place[count++] = *one;
	return count;
}

uint32_t slots_places(struct slots_place *place, uint32_t room, uint64_t *events)
{
	const uint32_t all = atomic_load_explicit(&slots.count, memory_order_acquire);
	uint32_t count = 0, i;

	*events = 0;
	for (i = 0; i < all; i++) {
		const struct xt_slot *head = slot_at(i)->head;
		struct slots_place one;
		uint64_t seq, chunk;

		if (__atomic_load_n(&head->kind, __ATOMIC_ACQUIRE) != XT_KIND_EVENTS)
			continue;
		seq = __atomic_load_n(&head->seq, __ATOMIC_ACQUIRE);
		chunk = __atomic_load_n(&head->events, __ATOMIC_ACQUIRE);
		one = (struct slots_place){ head->stream, head->base + chunk };
		/* else it became another chunk's meanwhile */
		if (__atomic_load_n(&head->kind, __ATOMIC_ACQUIRE) != XT_KIND_EVENTS ||
		    __atomic_load_n(&head->seq, __ATOMIC_ACQUIRE) != seq)
			continue;
		*events += chunk;
		count = add_place(place, room, count, &one);
	}
	return count;
}

void slots_punch_free(void)
{
	uint32_t count = atomic_load_explicit(&slots.count, memory_order_acquire), i;

	for (i = 0; i < count; i++) {
		struct slot *s = slot_at(i);
		uint32_t kind = XT_KIND_FREE;

		if (atomic_load(&s->gone) ||
		    !__atomic_compare_exchange_n(&s->head->kind, &kind, XT_KIND_TAKEN, 0,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		sys_call3(SYS_madvise, s->data, XT_SLOT_BYTES, MADV_REMOVE);
		s->ready = 0;
		slot_release(s);
	}
}
