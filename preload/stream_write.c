/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/stream.h"

#include <stddef.h>
#include <time.h>

#include "preload/life.h"
#include "preload/modules.h"
#include "preload/residency.h"
#include "preload/store/commit.h"
#include "preload/store/file.h"
#include "preload/store/helper.h"
#include "preload/store/ids.h"
#include "preload/stream_ext.h"
#include "preload/stream_short.h"
#include "preload/sys/stack.h"
#include "preload/sys/syscall.h"
#include "preload/thread_names.h"
#include "preload/tls.h"
#include "preload/trace/codec.h"

#define EVENT_BYTES_MAX 96u /* an event with what comes before it, but for its pushed ids */
#define ID_BYTES_MAX 5u
#define BUSY_TRIES 200
#define LACK_TRIES 3 /* a helper may just have given some back */

static void reset_state(struct stream *s)
{
	s->depth = 0;
	s->last_addr = 0;
	s->last_size = 0;
	s->untracked = 0;
}

/*
 * The slot in hand becomes the next chunk of the stream, and begins with an event that has that
 * stamp, or none. Stamps count on from there or from the stream's last one, never from the time
 * now: the event happened before it.
 */
static void begin_chunk(struct stream *s, uint64_t stamp)
{
	struct xt_slot *head = s->slot->head;

	reset_state(s);
	if (stamp > s->last_stamp)
		s->last_stamp = stamp;
	s->shown_stamp = s->last_stamp;
	s->stamp_due = 0;
	s->counted = 0;
	s->dirty = 0;
	head->stream = s->number;
	head->seq = s->seq;
	head->base = s->base;
	head->first_stamp = s->last_stamp;
	head->thread = s->thread;
	head->tid = s->tid;
	s->data = s->slot->data;
	s->end = s->data + XT_SLOT_BYTES;
	s->name_until = s->name_step ? s->data + s->name_step : s->end;
	s->plain_until = s->plain_free_until = NULL;
	s->counts = (uint64_t *)(void *)&head->used;
	slot_show(s->slot, XT_KIND_EVENTS);
}

static void end_chunk(struct stream *s)
{
	slot_own(s->slot)->last_stamp = s->last_stamp;
	s->seq++;
	s->base += stream_chunk_events(s);
}

/* The chunk is in the file, and its slot begins the next one. */
static void begin_again(struct stream *s, uint64_t stamp)
{
	/* used first: a kill between the two must not show old bytes under a new number */
	__atomic_store_n((uint64_t *)(void *)&s->slot->head->used, 0, __ATOMIC_RELEASE);
	begin_chunk(s, stamp);
}

/*
 * The chunk is full. It is compressed and its slot used again; when that is not possible now, it
 * stays where it is and another slot is taken.
 */
static int next_chunk(struct stream *s, uint64_t stamp, int may_compress)
{
	static const struct timespec nap = { 0, 200000 };
	struct slot *full = s->slot, *fresh;
	int tries, committed = 0;

	if (!file_header) /* a fork child that is not recorded, in a hook that began in its parent
			   */
		return 0;
	s->plain_until = s->plain_free_until = NULL;
	if (full) {
		end_chunk(s);
		if (helper_works() || slots_are_fixed()) {
			s->slot = NULL;
			slot_leave(full);
			full = NULL;
		} else {
			committed = commit_slot(full, may_compress) == 0;
		}
		if (committed)
			begin_again(s, stamp);
		modules_check();
		life_refresh_clock();
		if (committed) {
			slots_commit_left(may_compress, SLOT_PROCESS);
			if (may_compress)
				helper_ask();
			return 1;
		}
	}
	for (tries = 0;; tries++) {
		fresh = slot_take(0, 1);
		if (fresh || file_header->stop_reason ||
		    tries >= BUSY_TRIES * (slots_lack_memory() ? 10 : 1) ||
		    (!full && tries >= LACK_TRIES && slots_lack_memory() &&
		     !atomic_load(&file_shared->left)))
			break;
		if (tries < BUSY_TRIES)
			sys_call0(SYS_sched_yield);
		else /* there is no memory for another slot, and who has the file is not running */
			sys_call2(SYS_nanosleep, &nap, 0);
		if (!full && slots_lack_memory() && !helper_works() && !slots_are_fixed())
			slots_commit_left(0, SLOT_PROCESS);
		if (full && commit_slot(full, 0) == 0) { /* there is no memory for another */
			begin_again(s, stamp);
			return 1;
		}
	}
	if (full) {
		slot_leave(full);
		s->slot = NULL;
	}
	if (!fresh) {
		if (file_header->stop_reason)
			life_stop();
		return 0;
	}
	s->slot = fresh;
	begin_chunk(s, stamp);
	if (!__libc_single_threaded)
		slots_keep_free();
	return 1;
}

void stream_close_chunk(struct stream *s, int may_compress)
{
	struct slot *full = s->slot;

	end_chunk(s);
	s->slot = NULL;
	s->data = s->end = s->plain_until = s->plain_free_until = NULL;
	if (commit_slot(full, may_compress) < 0)
		slot_leave(full);
	else
		slot_release(full);
}

struct next_chunk_job {
	struct stream *stream;
	uint64_t stamp;
	int done;
};

static void next_chunk_job(void *arg, int is_private)
{
	struct next_chunk_job *job = arg;

	job->done = next_chunk(job->stream, job->stamp, is_private);
	if (job->done && is_private) {
		thread_names_look(job->stream);
		residency_look(job->stream);
	}
}

static __attribute__((noinline)) int run_next_chunk(struct stream *s, uint64_t stamp)
{
	struct next_chunk_job job = { s, stamp, 0 };

	stack_run(next_chunk_job, &job);
	return job.done;
}

uint64_t stream_events(const struct stream *s)
{
	return s->base + (s->slot ? stream_chunk_events(s) : 0);
}

/* Another thread goes on in the chunk, or the state was left unknown. */
static uint8_t *put_reset(struct stream *s, uint8_t *at)
{
	const uint64_t thread[2] = { s->thread, s->tid };

	reset_state(s);
	s->last_stamp = s->shown_stamp;
	s->dirty = 0;
	return stream_ext_put(at, XT_EXT_THREAD, thread, 2);
}

static uint8_t *put_stamps(struct stream *s, uint8_t *at, uint64_t stamp0, uint64_t stamp1)
{
	/* A clock that steps back, as after a virtual machine moved, stands still instead. */
	if (stamp0 < s->last_stamp)
		stamp0 = s->last_stamp;
	at = xt_put_varint(at, stamp0 - s->last_stamp);
	s->last_stamp = stamp0;
	if (stamp1) {
		if (stamp1 < stamp0)
			stamp1 = stamp0;
		at = xt_put_varint(at, stamp1 - stamp0);
		s->last_stamp = stamp1;
	}
	return at;
}

static inline void stamped(struct stream *s)
{
	stream_stamped(s);
	if (__builtin_expect(s->last_stamp > life_next_pair, 0))
		life_refresh_clock();
}

/* A mark is no event: its moment, and what it says. */
static uint8_t *encode_mark(struct stream *s, const struct stream_event *e)
{
	const uint64_t stamp = e->stamp0 > s->last_stamp ? e->stamp0 : s->last_stamp,
		       delta = stamp - s->last_stamp, what = e->fn;
	uint8_t *at = s->dirty ? put_reset(s, stream_at(s)) : stream_at(s);

	at = stream_ext_put(at, XT_EXT_TIME, &delta, 1);
	s->last_stamp = stamp;
	at = stream_ext_put(at, XT_EXT_MARK, &what, 1);
	return stream_ext_text(at, at - 2, e);
}

/* Before a call that counts, or does not, unlike the one before. */
static uint8_t *put_tracking(struct stream *s, uint8_t *at, uint32_t untracked)
{
	const uint64_t value = untracked;

	s->untracked = untracked;
	/* the short ways know of no pause; this hook may have begun before it */
	s->plain_until = s->plain_free_until = NULL;
	return stream_ext_put(at, XT_EXT_TRACKING, &value, 1);
}

/* Encodes the event at stream_at; returns the place after it. The state changes, `used` does not
 * yet.
 */
static uint8_t *encode(struct stream *s, const struct stream_event *e, uint32_t pushes,
		       uint32_t untracked)
{
	const struct unwind_state *u = &s->unwind;
	int has_stack = e->op != XT_OP_FREE, has_addr = e->op != XT_OP_FAILED;
	uint8_t *at = stream_at(s), *head;

	if (__builtin_expect(s->dirty, 0))
		at = put_reset(s, at);
	if (__builtin_expect(has_stack && untracked != s->untracked, 0))
		at = put_tracking(s, at, untracked);
	if (__builtin_expect(e->text_bytes, 0))
		at = stream_ext_pool(at, e);
	if (__builtin_expect((e->addr | e->old_addr) & 15, 0)) {
		*at++ = XT_OP_EXT;
		*at++ = XT_EXT_LOW;
		*at++ = 2;
		*at++ = e->addr & 15;
		*at++ = e->old_addr & 15;
	}
	if (__builtin_expect(e->usable, 0))
		at = stream_ext_put(at, XT_EXT_USABLE, &e->usable, 1);
	head = at++;
	*head = e->op;
	if (e->op == XT_OP_ALIGNED || e->op == XT_OP_FAILED)
		*at++ = e->fn;
	if (e->stamp0) {
		*head |= XT_EV_STAMP;
		at = put_stamps(s, at, e->stamp0, e->stamp1);
		stamped(s);
	}
	if (has_stack) {
		uint32_t pops = untracked ? 0 : s->depth + pushes - u->shown;

		if (pops | pushes)
			at = xt_put_stack(at, pops, pushes, u->ids + u->shown - pushes);
		else
			*head |= XT_EV_SAME_STACK;
		if (e->size == s->last_size)
			*head |= XT_EV_SAME_SIZE;
		else
			at = xt_put_varint(at, s->last_size = e->size);
	}
	if (e->op == XT_OP_REALLOC) {
		at = xt_put_addr(at, e->old_addr, s->last_addr);
		s->last_addr = e->old_addr;
	}
	if (has_addr) {
		at = xt_put_addr(at, e->addr, s->last_addr);
		s->last_addr = e->addr;
	}
	return at;
}

/* How many ids the event's stack pushes upon what the chunk's readers know of the last one. */
static inline uint32_t walk(struct stream *s, const struct stream_event *e, const uint64_t *fp)
{
	struct unwind_change change;

	if (__builtin_expect(fp != NULL, 1))
		change = unwind_stack(&s->unwind, fp);
	else
		change = unwind_stack_copy(&s->unwind, e->copy);
	return __builtin_expect(s->depth != 0, 1) ? change.pushes : s->unwind.shown;
}

/* After an event: 1 when it has to be written again. */
static inline int came_between(struct stream *s)
{
	return stream_is_between(s) && stream_came_between(s);
}

/* has_stack: it is u's present one, of which `pushes` ids are not known to readers. */
static void write(struct stream *s, const struct stream_event *e, const uint64_t *fp, int has_stack,
		  uint32_t pushes)
{
	/* one that began before the pause counts */
	const uint32_t untracked = !has_stack && *life_word == LIFE_PAUSED;
	const int walks = e->op != XT_OP_FREE && e->op != XT_OP_EXT && !untracked;
	uint8_t *at;

	do {
		if (__builtin_expect(s->dirty, 0)) {
			/* what a hook that was left behind did not publish is no event */
			if (s->slot)
				s->counted = *s->counts;
			s->depth = 0;
			unwind_drop(&s->unwind);
			has_stack = 0;
		}
		if (!walks)
			pushes = 0;
		else if (!has_stack)
			pushes = walk(s, e, fp);
		if (__builtin_expect(!s->slot || (uint64_t)(s->end - stream_at(s)) <
							 EVENT_BYTES_MAX + e->text_bytes +
								 (uint64_t)pushes * ID_BYTES_MAX,
				     0)) {
			if (!run_next_chunk(s, e->stamp0)) {
				file_count_lost();
				if (s->between)
					stream_came_between(s);
				return;
			}
			if (walks)
				pushes = s->unwind.shown;
		}
		at = e->op == XT_OP_EXT ? encode_mark(s, e) : encode(s, e, pushes, untracked);
		if (walks)
			s->depth = s->unwind.shown;
		stream_publish(s, at, e->op != XT_OP_EXT);
	} while (came_between(s));
	if (__builtin_expect(stream_at(s) >= s->name_until, 0) && s->slot)
		thread_names_look_again(s);
}

uint32_t stream_stack(struct stream *s, const uint64_t *fp, const uint32_t **ids)
{
	if (s->dirty)
		unwind_drop(&s->unwind);
	s->dirty = 1;
	s->plain_until = s->plain_free_until = NULL;
	unwind_stack(&s->unwind, fp);
	*ids = s->unwind.ids;
	return s->unwind.shown;
}

#define SHORT_CHANGE 14u

/* After an event that was written with care. */
static void set_plain(struct stream *s)
{
	if (!s->slot || s->dirty || s->untracked || s->end - stream_at(s) < STREAM_SHORT_BYTES)
		return;
	s->plain_free_until = s->end - STREAM_SHORT_BYTES;
	if (s->plain_free_until > s->name_until)
		s->plain_free_until = s->name_until;
	if (s->depth)
		s->plain_until = s->plain_free_until;
}

struct look {
	const struct stream *stream;
	uint64_t size;
};

static void look_job(void *arg, int is_private)
{
	const struct look *look = arg;

	if (is_private)
		residency_look_beside(look->stream, look->size);
}

/* So much was asked for; what came before it may have been filled by now. */
static __attribute__((noinline)) void look_beside(const struct stream *s, uint64_t size)
{
	struct look look = { s, size };

	if (residency_is_due(size))
		stack_run(look_job, &look);
}

void stream_write(struct stream *s, const struct stream_event *e, const uint64_t *fp)
{
	write(s, e, fp, 0, 0);
	set_plain(s);
	if (__builtin_expect(e->size >= RESIDENCY_ALLOC_BYTES && e->op != XT_OP_FAILED, 0))
		look_beside(s, e->size);
}

static __attribute__((noinline)) void write_alloc(struct stream *s, const struct stream_event *e,
						  const uint64_t *fp, int has_stack,
						  uint32_t pushes)
{
	write(s, e, fp, has_stack, pushes);
	set_plain(s);
}

/* Most ids take one or two bytes, in no order. */
static inline uint8_t *put_id(uint8_t *at, uint32_t id)
{
	return __builtin_expect(id < SHORT_NEAR_END, 1) ? at + short_varint_2(at, id)
							: xt_put_varint(at, id);
}

static inline uint8_t *put_varint(uint8_t *at, uint64_t value)
{
	return __builtin_expect(value < SHORT_VARINT_END, 1)
		       ? at + short_varint(at, (uint32_t)value)
		       : xt_put_varint(at, value);
}

#define ALLOC_EVENT                                                                              \
	(struct stream_event)                                                                    \
	{                                                                                        \
		.op = (uint8_t)op, .size = size, .addr = addr, .usable = usable, .stamp0 = stamp \
	}

static inline uint8_t *put_stamp_if_due(struct stream *s, uint8_t *at, uint8_t *flags,
					uint64_t stamp)
{
	if (__builtin_expect(stamp != 0, 0)) {
		*flags |= XT_EV_STAMP;
		at = put_stamps(s, at, stamp, 0);
		stamped(s);
	}
	return at;
}

/* When the stack has changed, or care is needed. */
static __attribute__((noinline)) void write_plain_alloc(struct stream *s, enum xt_op op,
							uint64_t size, uint64_t addr,
							uint64_t usable, const uint64_t *fp)
{
	uint64_t stamp = s->stamp_in_hand;
	struct unwind_change change;
	uint8_t *at, *head = stream_at(s), flags = (uint8_t)op;
	uint32_t i;

	if (!stamp && stream_needs_stamp(s, size))
		stamp = stream_stamp(s);
	if (head >= s->plain_until || (addr & 15) || usable) {
		const struct stream_event e = ALLOC_EVENT;

		write_alloc(s, &e, fp, 0, 0);
		return;
	}
	change = unwind_stack(&s->unwind, fp);
	if (__builtin_expect(change.pops > SHORT_CHANGE || change.pushes > SHORT_CHANGE, 0)) {
		const struct stream_event e = ALLOC_EVENT;

		write_alloc(s, &e, fp, 1, change.pushes);
		return;
	}
	at = put_stamp_if_due(s, head + 1, &flags, stamp);
	if (change.pops | change.pushes) {
		const uint32_t *id = s->unwind.ids + s->unwind.shown - change.pushes;

		*at++ = (uint8_t)(change.pops << 4 | change.pushes);
		for (i = 0; i < change.pushes; i++)
			at = put_id(at, id[i]);
		s->depth = s->unwind.shown;
	} else {
		flags |= XT_EV_SAME_STACK;
	}
	if (size == s->last_size)
		flags |= XT_EV_SAME_SIZE;
	else
		at = put_varint(at, s->last_size = size);
	at = put_varint(at, short_distance(s, addr));
	s->last_addr = addr;
	*head = flags;
	stream_publish(s, at, 1);
	if (came_between(s)) {
		const struct stream_event e = ALLOC_EVENT;

		write_alloc(s, &e, fp, 0, 0);
	}
}

static __attribute__((noinline)) void write_large_alloc(struct stream *s, enum xt_op op,
							uint64_t size, uint64_t addr,
							uint64_t usable, const uint64_t *fp)
{
	write_plain_alloc(s, op, size, addr, usable, fp);
	look_beside(s, size);
}

/* It takes no stack of its own. */
void stream_write_alloc_carefully(struct stream *s, enum xt_op op, uint64_t size, uint64_t addr,
				  uint64_t usable, const uint64_t *fp)
{
	if (__builtin_expect(size < RESIDENCY_ALLOC_BYTES, 1))
		write_plain_alloc(s, op, size, addr, usable, fp);
	else
		write_large_alloc(s, op, size, addr, usable, fp);
}

void stream_write_alloc(struct stream *s, enum xt_op op, uint64_t size, uint64_t addr,
			uint64_t usable, const uint64_t *fp)
{
	s->stamp_in_hand = stream_needs_stamp(s, size) ? stream_stamp(s) : 0;
	if (usable || !stream_short_alloc(s, op, size, addr, fp, s->stamp_in_hand) ||
	    came_between(s))
		stream_write_alloc_carefully(s, op, size, addr, usable, fp);
}

void stream_write_free_carefully(struct stream *s, uint64_t addr, uint64_t stamp)
{
	const struct stream_event e = { .op = XT_OP_FREE, .addr = addr, .stamp0 = stamp };

	write(s, &e, NULL, 0, 0);
	set_plain(s);
}

void stream_write_free(struct stream *s, uint64_t addr, uint64_t stamp)
{
	if (!stream_short_free(s, addr, stamp) || came_between(s))
		stream_write_free_carefully(s, addr, stamp);
}
