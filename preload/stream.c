/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/stream.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "preload/life.h"
#include "preload/store/file.h"
#include "preload/sys/stack.h"
#include "preload/sys/syscall.h"
#include "preload/sys/sysmem.h"
#include "preload/thread_names.h"
#include "preload/tls.h"

#define STREAMS_MAX 65536u
#define CANDIDATES 8u
#define STREAM_BYTES ((sizeof(struct stream) + 63) & ~(size_t)63)

static struct {
	struct stream *_Atomic *stream; /* [STREAMS_MAX] */
	_Atomic uint32_t count, threads;
	_Atomic uint32_t hand; /* where to look next for a thread that is gone */
	uint32_t main_tid;
	struct stream *_Atomic ahead[STREAMS_AHEAD_MAX]; /* memory for those to come */
} streams;

static int were_left; /* a fork child has its parent's memory, and what was left in it */

static uint32_t streams_count(void)
{
	uint32_t count = atomic_load_explicit(&streams.count, memory_order_acquire);

	return count < STREAMS_MAX ? count : STREAMS_MAX;
}

static int is_in_ring(const struct stream *ring, const struct stream *s)
{
	const struct stream *each = ring;

	if (ring)
		do
			if (each == s)
				return 1;
		while ((each = each->next) != ring);
	return 0;
}

/* In a fork child: the memory of one of its parent's streams, for when there is no other. */
static void inherit(struct stream *s)
{
	struct stream *none = NULL;

	if (!s || atomic_load(&streams.ahead[0]) || is_in_ring(tls.stream, s))
		return;
	memset(s, 0, STREAM_BYTES);
	atomic_compare_exchange_strong(&streams.ahead[0], &none, s);
}

void streams_init(uint32_t main_tid)
{
	uint32_t i, count = streams_count();

	if (!streams.stream)
		streams.stream = sysmem_new(STREAMS_MAX * sizeof(*streams.stream));
	for (i = 0; streams.stream && i < count; i++) {
		inherit(streams.stream[i]);
		streams.stream[i] = NULL;
	}
	streams.count = 0;
	streams.threads = 1;
	file_header->threads = 1;
	streams.main_tid = main_tid;
}

/* In a fork child: s has no chunk, and what is written goes nowhere until it has one. */
static void lose_chunk(struct stream *s)
{
	static _Alignas(8) uint8_t nowhere[XT_SLOT_BYTES + 4096];

	s->slot = NULL;
	s->data = s->end = nowhere;
	s->counts = (uint64_t *)(void *)nowhere;
	s->plain_until = s->plain_free_until = NULL;
	s->seq = s->base = s->counted = 0;
	s->last_stamp = s->shown_stamp = clock_stamp();
	s->dirty = 1;
	s->stamp_due = 0;
}

void streams_adopt(void)
{
	const int32_t tid = (int32_t)sys_call0(SYS_gettid);
	struct stream *s = tls.stream;

	if (!s || !streams.stream)
		return;
	do {
		s->number = streams.count;
		s->owner = tid;
		s->tid = (uint32_t)tid;
		s->thread = 0;
		thread_names_begin(s, NULL);
		lose_chunk(s);
		if (stream_is_taken(s))
			s->between |= STREAM_FORKED;
		streams.stream[s->number] = s;
		streams.count++;
	} while ((s = s->next) != tls.stream);
}

int streams_are_taken(void)
{
	const struct stream *s = tls.stream;

	if (s)
		do
			if (stream_is_taken(s))
				return 1;
		while ((s = s->next) != tls.stream);
	return 0;
}

void stream_disturb(struct stream *ring)
{
	struct stream *s = ring;

	do {
		s->disturbed = 1;
		s->stamp_due = 0;
	} while ((s = s->next) != ring);
}

int streams_were_left(void)
{
	return were_left;
}

void stream_left_behind(struct stream *s, uintptr_t guard)
{
	were_left |= guard != STREAM_FREE;
	s->dirty = 1;
	s->between = 0;
	s->disturbed = 1;
	s->stamp_due = 0;
	s->plain_until = s->plain_free_until = NULL;
	if (guard & STREAM_WRITING)
		file_count_lost();
}

int stream_came_between(struct stream *s)
{
	const uint32_t between = s->between;

	s->between = s == tls.stream ? 0 : STREAM_SWITCHED;
	stream_disturb(s);
	/* a chunk that it has in the child is one that this very event began */
	if (!(between & STREAM_FORKED) || s->slot)
		return 0;
	lose_chunk(s); /* the hook may have stored more of its parent's */
	return 1;
}

struct stream *stream_latest(void)
{
	struct stream *latest = tls.stream, *s = latest;

	if (s)
		while ((s = s->next) != tls.stream)
			if (s->last_stamp > latest->last_stamp)
				latest = s;
	return latest;
}

/* The header says how many there are at any time: a thread may have its first event after the end.
 */
static uint32_t next_thread(void)
{
	const uint32_t number = atomic_fetch_add(&streams.threads, 1);
	uint32_t said = __atomic_load_n(&file_header->threads, __ATOMIC_RELAXED);

	while (said < number + 1 &&
	       !__atomic_compare_exchange_n(&file_header->threads, &said, number + 1, 1,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	return number;
}

static int thread_is_gone(int32_t tid)
{
	return sys_call3(SYS_tgkill, life_pid(), tid, 0) == -ESRCH;
}

/* A stream whose thread is gone. */
static struct stream *take_over(int32_t tid)
{
	uint32_t count = streams_count(), i;

	for (i = 0; i < count && i < CANDIDATES; i++) {
		uint32_t hand = atomic_load_explicit(&streams.hand, memory_order_relaxed);
		uint32_t at = hand < count ? hand : 0;
		struct stream *s = atomic_load_explicit(&streams.stream[at], memory_order_acquire);
		int32_t owner = s ? atomic_load(&s->owner) : -1;

		atomic_store_explicit(&streams.hand, at + 1, memory_order_relaxed);
		/* our own number on it: a thread had that number before us */
		if (owner <= 0 || (owner != tid && !thread_is_gone(owner)))
			continue;
		if (atomic_compare_exchange_strong(&s->owner, &owner, tid))
			return s;
	}
	return NULL;
}

static size_t stream_bytes(void)
{
	return (STREAM_BYTES + unwind_kept_bytes() + 4095) & ~(size_t)4095;
}

void streams_keep_ahead(uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		struct stream *none = NULL, *fresh;

		if (atomic_load_explicit(&streams.ahead[i], memory_order_relaxed))
			continue;
		fresh = sysmem_new(stream_bytes());
		if (fresh && !atomic_compare_exchange_strong(&streams.ahead[i], &none, fresh))
			sysmem_free(fresh, stream_bytes());
	}
}

static struct stream *take_ahead(void)
{
	struct stream *s = NULL;
	uint32_t i;

	for (i = STREAMS_AHEAD_MAX; i && !s; i--)
		if (atomic_load_explicit(&streams.ahead[i - 1], memory_order_relaxed))
			s = atomic_exchange(&streams.ahead[i - 1], NULL);
	return s;
}

static struct stream *stream_new(int32_t tid)
{
	struct stream *s = streams.stream ? sysmem_new(stream_bytes()) : NULL;
	uint32_t number;

	if (!s && streams.stream)
		s = take_ahead();
	if (!s)
		return NULL;
	if (!__libc_single_threaded)
		streams_keep_ahead(1);
	number = atomic_fetch_add(&streams.count, 1);
	if (number >= STREAMS_MAX)
		return NULL;
	s->number = number;
	s->owner = tid;
	s->guard = STREAM_FREE;
	slots_allow(1);
	atomic_store_explicit(&streams.stream[number], s, memory_order_release);
	return s;
}

static struct stream *acquire(void)
{
	const struct stream *other = tls.stream;
	int32_t tid = (int32_t)sys_call0(SYS_gettid);
	const int is_vforked = life_is_vforked();
	struct stream *s = NULL;

	/* A vfork child runs in its parent's memory and thread-local storage: nobody takes over
	 * from it. */
	if (is_vforked)
		tid = -1;
	if (tid > 0 && !other)
		s = take_over(tid);
	if (!s)
		s = stream_new(tid);
	if (!s)
		return NULL;
	/* a filter forbids to ask for it: 0 */
	s->tid = (uint32_t)(tid > 0 ? tid : is_vforked ? life_pid() : 0);
	if (other)
		s->thread = other->thread;
	else
		s->thread = s->tid == streams.main_tid ? 0 : next_thread();
	thread_names_begin(s, other);
	/* says THREAD in a chunk that is begun already; the thread that had it may have ended in a
	 * hook */
	stream_left_behind(s, s->guard);
	s->stamp_due = 0;
	s->disturbed = 0;
	return s;
}

struct acquire_job {
	const uint64_t *fp;
	struct stream *stream;
};

static void acquire_job(void *arg, int is_private)
{
	struct acquire_job *job = arg;
	struct stream *s = acquire();

	job->stream = s;
	if (!s)
		return;
	if (is_private)
		thread_names_look(s);
	s->guard = (uintptr_t)job->fp;
	/* one taken over leaves the others of its ring, which are taken over one by one */
	s->next = s;
	if (tls.stream) {
		s->next = tls.stream->next;
		tls.stream->next = s;
	}
	tls.stream = s;
}

struct stream *stream_acquire(const uint64_t *fp)
{
	struct acquire_job job = { fp, NULL };

	stack_run(acquire_job, &job);
	if (job.stream)
		unwind_state_init(&job.stream->unwind, (uint8_t *)job.stream + STREAM_BYTES);
	return job.stream;
}

void streams_finish(int may_compress)
{
	int32_t tid = (int32_t)sys_call0(SYS_gettid);
	uint32_t count = streams_count(), i;

	for (i = 0; i < count; i++) {
		struct stream *s = atomic_load_explicit(&streams.stream[i], memory_order_acquire);
		int32_t owner = s ? atomic_load(&s->owner) : -1;

		if (owner <= 0 || !s->slot)
			continue;
		if (owner != tid && (!thread_is_gone(owner) ||
				     !atomic_compare_exchange_strong(&s->owner, &owner, tid)))
			continue;
		stream_close_chunk(s, may_compress);
		if (owner != tid)
			atomic_store(&s->owner, owner);
	}
}

void streams_each(void (*fn)(struct stream *s, void *arg), void *arg)
{
	const uint32_t count = streams_count();
	uint32_t i;

	for (i = 0; i < count; i++) {
		struct stream *s = atomic_load_explicit(&streams.stream[i], memory_order_acquire);

		if (s && atomic_load(&s->owner) > 0)
			fn(s, arg);
	}
}
