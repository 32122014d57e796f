/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The figures of a part of a trace's blocks, by a tap of the replay: what threads, sizes, stacks or
 * a time range select. Each allocation call is selected or not, and its block with it.
 *
 * With a range the trace is read as if it ended at its end, and calls before its beginning do not
 * count; blocks from before are in the peak only. The peak's instant is that of all blocks
 * together, selected or not: the greatest total within the range, or the instant that was asked
 * for. An event without a stamp of its own is at the one before it.
 */
#ifndef XALLOC_MODEL_SELECTION_H
#define XALLOC_MODEL_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/err.h"
#include "analyzer/model/live_set.h"
#include "analyzer/model/peak.h"
#include "analyzer/model/phases.h"
#include "analyzer/model/replay.h"
#include "analyzer/model/result.h"
#include "analyzer/model/thread_table.h"
#include "analyzer/trace/event.h"
#include "analyzer/trace/trace.h"

struct selection_rule {
	bool has_thread, has_size, has_from, has_to, has_at;
	uint32_t thread;         /* of the allocation call */
	const char *thread_name; /* all threads that are called so, in place of the one; or NULL */
	uint64_t least, most;    /* bytes requested */
	uint64_t from, to, at;   /* ns, as in the reports; at only without from and to */
	/* Whether a stack of the replay's tree is selected; NULL: all are. */
	bool (*has_stack)(void *owner, uint32_t node);
	void *owner;
};

struct selection;

enum selection_end { SELECTION_FREED, SELECTION_REALLOCATED, SELECTION_UNSEEN };

/* One that begins or ends to be live. */
struct selected_block {
	uint64_t addr, size;
	uint32_t stack;    /* an index: selection_where */
	uint32_t thread;   /* number of the one that allocated it */
	bool is_early;     /* it is from before the range: in the peak only */
	bool is_temporary; /* for `taken` and `ended`: its end makes it a temporary call */
	uint64_t note[2];  /* of `taken`, for `ended` */
};

/*
 * Who looks at the selected blocks one by one; each function may be NULL. A realloc is an end and a
 * beginning, at once, the end first. Outside of the range there is nothing but early blocks.
 */
struct selection_view {
	/* Before everything else. Its trace, its rule, and, at any later call of these functions,
	 * what all calls were so far (all_calls, all_bytes), are to be read. */
	void (*opened)(void *owner, const struct selection *selection);
	void (*begun)(void *owner, const struct selected_block *block, const struct event *event);
	/* Its end has begun, and its address may be another's before it is over: what a view knows
	 * of it by its address is to be looked up and forgotten now. */
	void (*taken)(void *owner, struct selected_block *block);
	void (*ended)(void *owner, const struct selected_block *block, const struct event *event,
		      enum selection_end how);
	/* After each event that changed what is live of the selection; stamp is its time. */
	void (*step)(void *owner, uint64_t stamp, uint64_t live_bytes, uint64_t live_blocks);
	/* What is live now is what the peak is made of, until this is called again. */
	void (*instant)(void *owner);
	/* As replay_tap's. */
	void (*marked)(void *owner, const struct event *mark, uint32_t phase);
	void *owner;
	struct growth *growth; /* to be filled in; NULL: nobody wants it */
};

struct selection_pending { /* a realloc that has begun */
	bool is_open, is_selected;
	struct selected_block block;
	uint64_t all_bytes;
};

struct selection {
	const struct selection_rule *rule;
	const struct selection_view *view; /* NULL: nobody */
	struct replay_tap tap;
	const struct trace *trace;
	uint64_t from_stamp, to_stamp, at_stamp;
	enum { SELECTION_BEFORE, SELECTION_WITHIN, SELECTION_BEHIND } stage;
	bool is_taken; /* the instant `at` is over */
	/* All blocks, selected or not: what is live, the greatest total within the range; and what
	 * was allocated since the trace began. */
	uint64_t all_live, all_peak, all_calls, all_bytes;
	struct peak peak;
	struct stack_totals *stack; /* two for each of the replay's: within and early */
	size_t stacks;              /* of the replay's */
	uint8_t *stack_state;
	struct live_set
		early; /* with `from`: selected blocks from before it, as far as they live */
	struct selection_pending *pending;
	uint32_t pendings;
	uint32_t *thread_number; /* by the replay's index of a thread */
	uint32_t threads;
	struct thread_table seen; /* threads with a selected call */
	struct totals totals;
	struct phases phases; /* numbered as the replay's */
	uint64_t calls[16];
	uint64_t peak_low, peak_high; /* stamps around the instant */
	uint32_t peak_stream;
	uint64_t last_stamp;
};

/* Whether it selects all there is. */
bool selection_rule_is_empty(const struct selection_rule *rule);

/* rule, view and trace are borrowed. -1: it asks for times that the trace does not have. The tap to
 * give to the replay is selection->tap. */
int selection_init(struct selection *selection, const struct trace *trace,
		   const struct selection_rule *rule, const struct selection_view *view,
		   struct err *err);
void selection_release(struct selection *selection);

/* After the replay: the result's totals and stacks become those of the selection, and so do phases
 * and dumps, while how long they took stays; pools go. where is NULL, or becomes the index in result->stack of each stack
 * that a view was told of: owned by the caller. */
void selection_finish(struct selection *selection, struct result *result, uint32_t **where);

#endif
