/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams: where a thread's events go. A thread takes a stream at its first event and keeps it; one
 * whose thread is gone is taken over by a later thread, so that many short threads share a few.
 * Only the owner writes. A handler that interrupts a hook writes to the thread's nested stream.
 */
#ifndef XALLOC_STREAM_H
#define XALLOC_STREAM_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/single_threaded.h>

#include "preload/clock.h"
#include "preload/store/slot.h"
#include "preload/unwind/unwind.h"

#define STREAM_STAMP_EVERY 64u         /* events without a stamp in a row, at most one fewer */
#define STREAM_STAMP_BYTES (64u << 10) /* requests that always carry one */

struct stream {
	_Atomic int32_t owner; /* kernel thread id; 0 nobody's; -1 never to be taken over */
	uint32_t number;
	uint32_t thread; /* number in the trace; 0 is the main thread */
	uint32_t tid;
	uint32_t is_nested;
	uint32_t dirty;     /* a hook was left behind: the coding state is unknown */
	uint32_t unstamped; /* events that may follow without a stamp */
	uint32_t disturbed; /* STREAM_STAMP_EVERY: a handler came in between; 0 */
	uint32_t untracked; /* what readers of the chunk know: do its calls not count? */
	struct slot *slot;  /* NULL: none; the next event takes one */
	uint8_t *at, *end;  /* next byte, end of the slot */
	/* While `at` is before it the next event needs no care: there is room for a short one, and
	 * what it is coded upon is known. NULL: the next one does. */
	uint8_t *plain_until;      /* for one with a stack */
	uint8_t *plain_free_until; /* for a free */
	uint8_t *data;             /* of the slot */
	uint64_t *counts;          /* used and events of the slot's head, one word */
	uint64_t seq;              /* of the chunk in hand */
	uint64_t base;             /* events in earlier chunks */
	uint32_t events;           /* in the chunk in hand */
	uint64_t last_stamp, last_addr, last_size;
	uint64_t shown_stamp; /* last_stamp as readers know it: of the last event that was published
			       */
	uint32_t depth;       /* ids of the last stack that readers of the chunk know: all, or 0 */
	struct unwind_state unwind;
	struct stream *nested;
};

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
 * After streams_init in a fork child: s was the calling thread's in the parent, and a hook that a
 * handler interrupted will go on writing to it. It and its nested ones are the child's now, without
 * a chunk; what is written before the next event is begun goes nowhere.
 */
void streams_adopt(struct stream *s);

/* Memory for some threads and handlers that come when the kernel gives none any more. */
void streams_spare(void);

/* For the calling thread; nested: for handlers. NULL when there is no memory. */
struct stream *stream_acquire(const struct stream *outer);

/* Is the event to be written next in need of a stamp? */
static inline int stream_needs_stamp(const struct stream *s, uint64_t size)
{
	return !__libc_single_threaded || s->unstamped <= s->disturbed ||
	       size >= STREAM_STAMP_BYTES;
}

/* The stamp that is due. A handler that comes in from here on disturbs the next event, too. */
static inline uint64_t stream_stamp(struct stream *s)
{
	s->disturbed = 0;
	atomic_signal_fence(memory_order_seq_cst);
	return clock_stamp();
}

/*
 * Write an event; the stack is that of the hook at fp, or without fp that of e->copy, unless op is
 * FREE. The guard must be the caller's hook's, writing. What cannot be written is counted as lost.
 */
void stream_write(struct stream *s, const struct stream_event *e, const uint64_t *fp);

/*
 * The same for what nearly all events are, with no struct in between: a block of `size` bytes that
 * op (neither ALIGNED, FAILED nor REALLOC) gave at addr, and a block that was freed. The stamp of
 * an allocation is taken inside.
 */
void stream_write_alloc(struct stream *s, enum xt_op op, uint64_t size, uint64_t addr,
			uint64_t usable, const uint64_t *fp);
void stream_write_free(struct stream *s, uint64_t addr, uint64_t stamp);

/* At a clean end: commits what the calling thread and threads that are gone have written. */
void streams_finish(int may_compress);

/* Commits the chunk in hand, or leaves its slot to others; the next event takes a new one. */
void stream_close_chunk(struct stream *s, int may_compress);

/* Events written so far. */
uint64_t stream_events(const struct stream *s);

#endif
