/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All steps of a trace in one order: docs/trace-format.md, "The order of events", without what
 * waits.
 *
 * Chunks are decoded whole; what lies before the earliest stamp of what is not decoded yet is
 * merged as one batch. The first `count` steps of a batch are its own; behind them stand those of
 * stamps up to `ahead` later, which the next batch begins with. Needs memory for about two chunks
 * of each stream.
 */
#ifndef XALLOC_VERIFY_STEP_ORDER_H
#define XALLOC_VERIFY_STEP_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/verify/raw_trace.h"
#include "analyzer/verify/step_decoder.h"

struct step_order_facts {
	uint32_t streams;
	uint64_t events, lost; /* decoded; of chunks that could not be */
	uint64_t last_stamp;
};

struct step_batch {
	struct step **step;
	size_t count, visible; /* at least count */
};

/* take is called for each batch; when it returns false that is the end. What is wrong goes to the
 * decoder's report. */
void step_order_run(const struct raw_trace *trace, struct step_decoder *decoder, uint64_t ahead,
		    bool (*take)(void *owner, const struct step_batch *batch), void *owner,
		    struct step_order_facts *facts);

#endif
