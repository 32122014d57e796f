/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of a chunk of events, as steps. */
#ifndef XALLOC_VERIFY_STEP_DECODER_H
#define XALLOC_VERIFY_STEP_DECODER_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/verify/raw_facts.h"
#include "analyzer/verify/raw_trace.h"
#include "analyzer/verify/stack_sums.h"
#include "analyzer/verify/step_blocks.h"
#include "analyzer/verify/thread_list.h"
#include "analyzer/verify/verify.h"
#include "preload/trace/codec.h"
#include "preload/trace/format.h"

/* What an event does; a realloc whose two stamps differ is two steps, and may be overtaken. */
enum step_part { STEP_WHOLE, STEP_BEGIN, STEP_END };

struct step {
	uint64_t stamp;   /* its place in time */
	uint64_t order;   /* its place in the order of all: never below that of the stream's last */
	uint32_t rank;    /* at equal order: 0 before 1 */
	uint32_t stream;  /* from 0 */
	uint64_t ordinal; /* number of its event in the stream, from 1 */
	uint64_t addr, old_addr, size, usable; /* usable 0: as the header's rule says */
	uint32_t stack, thread; /* indexes */
	uint8_t op, function, part, is_done;
	uint8_t is_untracked; /* recording was paused */
	uint8_t pool;         /* enum xt_pool: it is no FAILED, but of a pool; 0 */
};

struct step_run {
	struct step *step;
	size_t count, capacity;
};

struct step_decoder {
	/* Not its own. */
	const struct raw_facts *facts;
	struct stack_sums *stacks;
	struct thread_list *threads;
	struct verify_report *report; /* NULL: what is wrong has been said */

	struct xt_cursor column[XT_COLUMNS];
	struct xt_cursor *part[XT_COLUMNS]; /* where each part of an event stands */
	bool has_columns;
	bool has_names; /* addresses were dropped; who inits it says so */
	uint64_t name, gone; /* then: of the next block, and of the one that went last */
	struct step_blocks *blocks; /* of columns */
	uint32_t *frame; /* the stack */
	uint32_t *node;  /* of each of its frames */
	struct step_nodes *nodes; /* of columns: stacks that have numbers */
	struct stack_key *prefix;
	uint32_t depth, thread, tid;
	uint32_t stack; /* index of it; STACK_SUMS_NONE: not looked up yet */
	uint64_t stamp, addr, size, usable;
	unsigned unstamped; /* of columns: events in a row that had no stamp */
	uint8_t low, old_low;
	uint8_t is_untracked, pool;
	bool misses_ids; /* that was said */
};

void step_decoder_init(struct step_decoder *decoder, const struct raw_facts *facts,
		       struct stack_sums *stacks, struct thread_list *threads,
		       struct verify_report *report);
void step_decoder_release(struct step_decoder *decoder);

/* Appends the steps of a chunk to run, order and rank not yet filled in. Returns how many events
 * were whole; *wrong is NULL or says what ended them before the chunk's end. */
uint32_t step_decoder_run(struct step_decoder *decoder, const struct raw_chunk *chunk,
			  uint32_t stream, const uint8_t *bytes, uint32_t size,
			  struct step_run *run, const char **wrong);

#endif
