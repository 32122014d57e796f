/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is live and what was counted while the steps of a trace are applied one by one. */
#ifndef XALLOC_VERIFY_LEDGER_H
#define XALLOC_VERIFY_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/verify/block_tree.h"
#include "analyzer/verify/heap_count.h"
#include "analyzer/verify/raw_facts.h"
#include "analyzer/verify/stack_sums.h"
#include "analyzer/verify/step_decoder.h"
#include "analyzer/verify/thread_list.h"
#include "analyzer/verify/verify.h"

#define NO_STREAM UINT32_MAX

/* A realloc between its two steps. */
struct moving {
	struct step step;
	uint64_t old_addr; /* 0: the trace does not know the block */
	bool is_open;
};

#define CONTRADICTIONS_MAX 256u

struct ledger {
	/* Not its own. What is counted goes to them in the first pass; in the second only the
	 * stacks' peak figures do. */
	struct verify_totals *totals;
	struct stack_sums *stacks;
	struct thread_list *threads;
	const struct raw_facts *facts;
	struct verify_report *report; /* NULL: what is wrong has been said */

	bool is_glibc;
	bool has_names; /* blocks have names, and no bytes */
	bool is_second, is_over; /* the pass that ends at the peak; it has come there */
	uint64_t page_bytes; /* the greatest unit in which the allocator maps */
	struct block_tree tree;
	struct moving *moving; /* by stream */
	uint32_t moving_count; /* that are open */
	struct heap_count heap;
	uint64_t live_bytes, live_blocks;
	uint64_t changes, peak_change; /* steps that changed what is live; which is the peak */
	uint64_t peak_stamp;
	uint64_t reallocs, overtaken; /* of a block; over before their second stamp */
	/* When live blocks were handed out again, or parts of them: the first of these stamps. */
	uint64_t contradiction[CONTRADICTIONS_MAX];
	uint64_t contradictions;
	uint64_t stamp; /* of the step that is applied */
};

void ledger_apply(struct ledger *ledger, struct step *step);
/* The block at addr that the program holds, or NULL: none, or its realloc has begun. */
struct held *ledger_find(const struct ledger *ledger, uint64_t addr);

#endif
