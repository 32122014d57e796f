/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One decoded event. */
#ifndef XALLOC_TRACE_EVENT_H
#define XALLOC_TRACE_EVENT_H

#include <stdint.h>

#define EVENT_STAMPED 1u /* stamp0 and stamp1 are its own, not only the last ones known before it */
/* What of a realloc happens now: its first half at stamp0, its second at stamp1; mostly both at
 * once, as the decoder has it. */
#define EVENT_BEGIN 2u
#define EVENT_END 4u
#define EVENT_UNTRACKED 8u /* of an allocation: it came while recording was paused */
/* Of a realloc: its step is at some time between its stamps, for its old address was handed out
 * again; only taps of a replay see it. */
#define EVENT_OVERTAKEN 16u

/* "start", the phase before the first mark; a mark of that name is of it, too. */
#define EVENT_TEXT_START 0u
#define EVENT_START_NAME "start"

/* Beside enum xt_op. What the program says: fn is enum xt_mark, and text its name. */
#define EVENT_MARK 9u
/* What happened in a heap of the program's own, which text names: fn is enum xt_pool; old_addr is 0
 * but of XT_POOL_REALLOC. */
#define EVENT_POOL 10u

struct event {
	uint64_t stamp0, stamp1; /* equal but for XT_OP_REALLOC */
	uint64_t size;           /* requested; all but XT_OP_FREE */
	uint64_t addr;           /* never 0, but of XT_OP_FAILED and EVENT_MARK */
	union {
		uint64_t old_addr; /* XT_OP_REALLOC: never 0 */
		const char *name;  /* EVENT_MARK: its text, which lives as long as the texts */
	};
	uint32_t node;           /* its stack, in the stack tree; all but XT_OP_FREE */
	uint32_t thread;         /* number, as in the trace */
	uint8_t op;              /* enum xt_op, 1 to 8, or one of ours */
	uint8_t fn;              /* enum xt_fn of XT_OP_ALIGNED and XT_OP_FAILED, else 0 */
	uint8_t flags;
	union {
		uint32_t text; /* EVENT_MARK and EVENT_POOL: in merge_take_texts */
		/* Of an allocation: what the block's usable size is above that of the header's
		 * usable_rule, which is that of all but a few. */
		int32_t more;
	};
};

/* What a block of that size has under XT_USABLE_GLIBC. */
static inline uint64_t event_usable_rule(uint64_t size)
{
	return size < 24 ? 24 : ((size + 8 + 15) & ~UINT64_C(15)) - 8;
}

#endif
