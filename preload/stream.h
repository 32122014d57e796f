/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams: where a thread's events go. A thread takes a stream at its first event and keeps it; one
 * whose thread is gone is taken over by a later thread, so that many short threads share a few.
 * Only the owner writes, and of its hooks only the one that has taken the stream. One that comes
 * meanwhile (in a signal handler, in a context that a handler switched to) takes another of the
 * thread's streams, which are linked in a ring.
 */
#ifndef XALLOC_STREAM_H
#define XALLOC_STREAM_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/single_threaded.h>

#include "preload/clock.h"
#include "preload/store/slot.h"
#include "preload/trace/format.h"
#include "preload/unwind/unwind.h"

#define STREAMS_AHEAD_MAX 32u
#define STREAM_STAMP_BYTES (64u << 10) /* requests that always carry one */

struct stream {
	_Atomic int32_t owner; /* kernel thread id; 0 nobody's; -1 never to be taken over */
	uint32_t number;
	/* STREAM_FREE: no hook has taken it. Else that hook's frame address, with STREAM_WRITING
	 * once the real function has returned and the event is being written, and STREAM_SEEN when
	 * another hook found it taken; STREAM_TAKEN from when it took it until it says its frame.
	 */
	uintptr_t guard;
	uint32_t between;   /* STREAM_SWITCHED, STREAM_FORKED: what came between take and now */
	uint32_t disturbed; /* the thread wrote to another stream since this was 0 */
	uint64_t counted;   /* used and events of the slot's head, as one word */
	uint64_t *counts;   /* where they are */
	uint8_t *data;      /* of the slot; the next byte is stream_at */
	/* While stream_at is before it the next event needs no care: there is room for a short one,
	 * and what it is coded upon is known. NULL: the next one does. */
	uint8_t *plain_until;      /* for one with a stack */
	uint8_t *plain_free_until; /* for a free */
	uint64_t stamp_due; /* from this value of `counted` on the next event needs a stamp */
	uint64_t last_stamp, last_addr, last_size;
	uint64_t shown_stamp; /* last_stamp as readers know it: of the last event that was published
			       */
	uint64_t stamp_in_hand; /* for stream_write_alloc_carefully: a seventh argument takes stack
				 */
	uint32_t depth;     /* ids of the last stack that readers of the chunk know: all, or 0 */
	uint32_t dirty;     /* a hook was left behind: the coding state is unknown */
	uint32_t untracked; /* what readers of the chunk know: do its calls not count? */
	struct unwind_state unwind;
	struct slot *slot; /* NULL: none; the next event takes one */
	uint8_t *end;      /* of the slot */
	uint64_t seq;      /* of the chunk in hand */
	uint64_t base;     /* events in earlier chunks */
	uint32_t thread;   /* number in the trace; 0 is the main thread */
	uint32_t tid;
	uint64_t word[2]; /* when it was seen: what lay at the frame, if has_words */
	uint32_t has_words;
	struct stream *next; /* of the thread's ring */
	/* Beyond this place the thread's name is looked at again (thread_names.h); what readers
	 * know it as. */
	uint8_t *name_until;
	uint32_t name_step; /* bytes of events until then; 0: not in this chunk */
	char name[XT_THREAD_NAME_BYTES];
};

#define STREAM_FREE (1ul << 63) /* no address has this bit, nor any other of its byte */
#define STREAM_TAKEN 0ul
#define STREAM_WRITING 1ul
#define STREAM_SEEN 2ul
#define STREAM_FLAGS 3ul
#define STREAM_SWITCHED 1u /* another is the thread's next: the order has to be told by stamps */
#define STREAM_FORKED 2u   /* this is a fork child, where the stream has no chunk */

/*
 * A hook that runs before our own relocation finds the thread's descriptor where `tls` is to be,
 * and its own address in the first word of it: its second word, an address too, is then the guard.
 */
_Static_assert(offsetof(struct stream, guard) == 8, "not the descriptor's second word");

/*
 * The hook at fp takes s if it is free: its bit is shifted out. In one instruction: no handler
 * comes between the look and the store. It is not locked, for that is all that may come between,
 * and it changes nothing of a stream that is taken. A handler may come before the frame is said.
 */
static inline int stream_take(struct stream *s, const uint64_t *fp)
{
	int is_taken;

	__asm__ volatile("shlb $1, 7+%[guard]"
			 : "=@ccc"(is_taken), [guard] "+m"(s->guard)
			 :
			 : "memory");
	if (!__builtin_expect(is_taken, 1))
		return 0;
	s->guard = (uintptr_t)fp;
	atomic_signal_fence(memory_order_seq_cst);
	return 1;
}

static inline int stream_is_taken(const struct stream *s)
{
	return s->guard != STREAM_FREE;
}

/* The guard becomes `to` if it is `from`, in one instruction. */
static inline int stream_change_guard(struct stream *s, uintptr_t from, uintptr_t to)
{
	int is_changed;

	__asm__ volatile("cmpxchgq %[to], %[guard]"
			 : "=@ccz"(is_changed), [guard] "+m"(s->guard), "+a"(from)
			 : [to] "r"(to)
			 : "memory");
	return is_changed;
}

/* The real function has returned: the event is written from here on. */
static inline void stream_writes(struct stream *s)
{
	s->guard |= STREAM_WRITING;
	atomic_signal_fence(memory_order_seq_cst);
}

static inline void stream_leave(struct stream *s)
{
	atomic_signal_fence(memory_order_seq_cst);
	s->guard = STREAM_FREE;
}

/* After an event was written: did something come between take and now? */
static inline int stream_is_between(const struct stream *s)
{
	atomic_signal_fence(memory_order_seq_cst);
	return __builtin_expect(s->between != 0, 0);
}

/* It did: 1 when the event went nowhere and is to be written again. */
int stream_came_between(struct stream *s);

/* Without having written. */
static inline void stream_leave_unwritten(struct stream *s)
{
	if (s->between)
		stream_came_between(s);
	stream_leave(s);
}

/* One event. address and old are 0 where they do not apply; fn is for ALIGNED and FAILED. */
struct stream_event {
	uint8_t op, fn;
	uint64_t size, addr, old_addr;
	uint64_t usable; /* malloc_usable_size(addr) where it breaks the rule of the header, else 0
			  */
	const struct unwind_copy *copy; /* the stack, when there is no frame to walk from */
	uint64_t stamp0, stamp1;        /* 0: none was due */
	/* The name of a mark (op EXT, fn enum xt_mark) or of the pool that op FAILED is about. */
	const char *text;
	uint32_t text_bytes; /* at most XT_TEXT_MAX; 0: none, and of FAILED: it is about no pool */
	uint8_t pool_what;   /* enum xt_pool */
	uint64_t pool_addr, pool_old;
};

/* Begin without streams, in a process whose main thread is main_tid. */
void streams_init(uint32_t main_tid);

/*
 * After streams_init in a fork child: the calling thread had its streams in the parent, and a hook
 * that a handler interrupted will go on writing to one. They are the child's now, without a chunk;
 * what such a hook writes before it finds that out goes nowhere, and is written again.
 */
void streams_adopt(void);

/* Memory for so many threads and handlers (at most STREAMS_AHEAD_MAX) that come when the kernel
 * gives none any more. */
void streams_keep_ahead(uint32_t count);

/* Has a hook taken one of the calling thread's streams? */
int streams_are_taken(void);

/* Was a hook of any thread left by longjmp, that is known of? */
int streams_were_left(void);

/* Another one for the calling thread, in its ring, tls.stream from now on, taken by the hook at fp.
 * NULL when there is no memory. */
struct stream *stream_acquire(const uint64_t *fp);

/* The thread goes from one of the streams of this ring to another: the order of their events is
 * told by stamps. */
void stream_disturb(struct stream *ring);

/* A hook with this guard was left behind, and s can be taken: what it did not publish is lost. */
void stream_left_behind(struct stream *s, uintptr_t guard);

/* Events in the chunk in hand. */
static inline uint32_t stream_chunk_events(const struct stream *s)
{
	return (uint32_t)(s->counted >> 32);
}

/* Where the next byte goes. */
static inline uint8_t *stream_at(const struct stream *s)
{
	return s->data + (uint32_t)s->counted;
}

/* Is the event to be written next in need of a stamp? */
static inline int stream_needs_stamp(const struct stream *s, uint64_t size)
{
	return __builtin_expect(!__libc_single_threaded || s->counted >= s->stamp_due ||
					size >= STREAM_STAMP_BYTES,
				0);
}

/* The event to be written next has one. A handler may have disturbed the stream since it was taken.
 */
static inline void stream_stamped(struct stream *s)
{
	s->stamp_due = s->counted + ((uint64_t)XT_STAMP_EVERY << 32);
	atomic_signal_fence(memory_order_seq_cst);
	if (__builtin_expect(s->disturbed, 0))
		s->stamp_due = 0;
}

/* The stamp that is due. A handler that comes in from here on disturbs the next event, too. */
static inline uint64_t stream_stamp(struct stream *s)
{
	s->disturbed = 0;
	atomic_signal_fence(memory_order_seq_cst);
	return __libc_single_threaded ? clock_stamp_alone() : clock_stamp();
}

/* What was written up to `at` becomes known to readers, by one store: so many events more. */
static inline void stream_publish(struct stream *s, uint8_t *at, uint32_t events)
{
	s->counted += (uint64_t)(at - stream_at(s)) | (uint64_t)events << 32;
	__atomic_store_n(s->counts, s->counted, __ATOMIC_RELEASE);
	s->shown_stamp = s->last_stamp;
	atomic_signal_fence(memory_order_seq_cst);
}

/*
 * Write an event; the stack is that of the hook at fp, or without fp that of e->copy, unless op is
 * FREE. The caller's hook has taken s, and writes. What cannot be written is counted as lost.
 */
void stream_write(struct stream *s, const struct stream_event *e, const uint64_t *fp);

/*
 * The same for what nearly all events are, with no struct in between: a block of `size` bytes that
 * op (neither ALIGNED, FAILED nor REALLOC) gave at addr, and a block that was freed. The stamp of
 * an allocation is taken inside. stream_short.h has a short way for most of them.
 */
void stream_write_alloc(struct stream *s, enum xt_op op, uint64_t size, uint64_t addr,
			uint64_t usable, const uint64_t *fp);
void stream_write_free(struct stream *s, uint64_t addr, uint64_t stamp);

/* What stream_short.h leaves. The stamp of an allocation is stamp_in_hand; 0: none was due for an
 * event without a size. */
void stream_write_alloc_carefully(struct stream *s, enum xt_op op, uint64_t size, uint64_t addr,
				  uint64_t usable, const uint64_t *fp);
void stream_write_free_carefully(struct stream *s, uint64_t addr, uint64_t stamp);

/*
 * The stack of the hook at fp, *ids with the root first, valid until the stream's next one; returns
 * how many. The caller's hook has taken s. The stream does not say this stack, so its next event
 * begins with a whole one.
 */
uint32_t stream_stack(struct stream *s, const uint64_t *fp, const uint32_t **ids);

/* At a clean end: commits what the calling thread and threads that are gone have written. */
void streams_finish(int may_compress);

/* Each stream of some thread, also of one that is gone. */
void streams_each(void (*fn)(struct stream *s, void *arg), void *arg);

/* In which the calling thread's latest event is; NULL: it has no stream. */
struct stream *stream_latest(void);

/* Commits the chunk in hand, or leaves its slot to others; the next event takes a new one. */
void stream_close_chunk(struct stream *s, int may_compress);

/* Events written so far. */
uint64_t stream_events(const struct stream *s);

#endif
