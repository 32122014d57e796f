/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the steps of a trace add up to, in two passes over them: the first finds the totals and at
 * which step the peak is, the second goes there and looks at what is live.
 */
#ifndef XALLOC_VERIFY_ACCOUNT_H
#define XALLOC_VERIFY_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/verify/heap_count.h"
#include "analyzer/verify/raw_facts.h"
#include "analyzer/verify/stack_sums.h"
#include "analyzer/verify/thread_list.h"
#include "analyzer/verify/verify.h"

struct account {
	struct verify_totals totals;
	struct stack_sums stacks;
	struct thread_list threads;
	struct heap_count heap; /* at the moment when the allocator was asked */
	bool has_heap;
	uint64_t reallocs, overtaken; /* of a block; over before their second stamp */
	/* Live blocks that were handed out again, in part or whole; the end of the process can
	 * explain all of them: each by the free of another thread that never returned. */
	uint64_t contradictions;
	bool is_excused;
};

/* Fails the checks of events, blocks and threads on the way. */
void account_run(struct account *account, const struct raw_trace *trace,
		 const struct raw_facts *facts, struct verify_report *report);
void account_release(struct account *account);

#endif
