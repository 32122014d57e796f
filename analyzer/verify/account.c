/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/verify/account.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/verify/ledger.h"
#include "analyzer/verify/step_order.h"

#define HUGE_PAGE_MAX (UINT64_C(1) << 30)
#define LOOK_MAX 256u  /* steps looked at for one that a contradiction waits for */
#define WAITING_MAX 16u /* longer chains of waiting break by stamp, as circles do */

/* One pass over all steps. */
struct pass {
	struct account *account;
	const struct raw_trace *trace;
	struct ledger ledger;
	uint32_t heap_stream; /* of struct xt_heap, as an index */
	uint64_t clock_error; /* stamps that far apart may be in the wrong order */
	struct step_order_facts order;
};

/* A step that stands in the way of another: of a realloc either half may. */
struct need {
	uint64_t addr;
	bool wants_free; /* addr is live, and has to be given back before; else the reverse */
};

static bool gives_back(const struct step *step)
{
	return step->op == XT_OP_FREE || (step->op == XT_OP_REALLOC && step->part != STEP_END);
}

static bool hands_out(const struct step *step)
{
	return step->op != XT_OP_FREE && step->op != XT_OP_FAILED && step->part != STEP_BEGIN;
}

/* What would have to be before the step, so that it does not contradict what is live? Up to two;
 * returns how many. */
static uint32_t find_needs(const struct ledger *ledger, const struct step *step, struct need *need)
{
	const bool is_realloc = step->op == XT_OP_REALLOC;
	uint32_t count = 0;

	if (gives_back(step)) {
		const uint64_t addr = is_realloc ? step->old_addr : step->addr;

		if (!ledger_find(ledger, addr))
			need[count++] = (struct need){ addr, false };
	}
	if (!hands_out(step) || (is_realloc && step->addr == step->old_addr) ||
	    (step->part == STEP_END && !ledger->moving[step->stream].is_open))
		return count;
	if (ledger_find(ledger, step->addr))
		need[count++] = (struct need){ step->addr, true };
	return count;
}

static bool meets(const struct step *step, const struct need *need)
{
	if (need->wants_free)
		return gives_back(step) && need->addr == (step->op == XT_OP_REALLOC ?
							  step->old_addr : step->addr);
	return hands_out(step) && step->addr == need->addr;
}

/* Streams with a step that waits for another. */
struct waiting {
	uint32_t stream[WAITING_MAX];
	uint32_t count;
};

static bool is_waiting(const struct waiting *waiting, uint32_t stream)
{
	for (uint32_t i = 0; i < waiting->count; i++)
		if (waiting->stream[i] == stream)
			return true;
	return false;
}

/* The steps of a batch before `first` are done. */
struct work {
	const struct step_batch *batch;
	size_t first;
	struct waiting waiting;
};

/* Is there a step that may have been before, as far as stamps tell? */
static bool has_company(const struct pass *pass, const struct work *work, size_t at)
{
	const struct step_batch *batch = work->batch;

	if (pass->order.streams == 1 || work->waiting.count == WAITING_MAX)
		return false;
	return at != work->first ||
	       (at + 1 < batch->visible &&
		batch->step[at + 1]->order - batch->step[at]->order <= pass->clock_error);
}

static bool is_too_late(const struct pass *pass, const struct step *other, const struct step *step)
{
	return other->order > step->order && other->order - step->order > pass->clock_error;
}

/* The end of the realloc that begins there, when that is no later than a step that waits for it
 * can wait; else the beginning. */
static const struct step *end_of(const struct pass *pass, const struct work *work, size_t at,
				 const struct step *step)
{
	const struct step_batch *batch = work->batch;
	const struct step *begin = batch->step[at];

	for (; at < batch->visible && !is_too_late(pass, batch->step[at], step); at++)
		if (batch->step[at]->part == STEP_END && batch->step[at]->stream == begin->stream)
			return batch->step[at];
	return begin;
}

/* The first step of another stream that meets a need of this one, or the last that comes with it;
 * NULL: there is none. */
static const struct step *find_right(const struct pass *pass, const struct work *work,
				     const struct step *step)
{
	const struct step_batch *batch = work->batch;
	struct need need[2];
	const uint32_t needs = find_needs(&pass->ledger, step, need);

	for (uint32_t n = 0; n < needs; n++) {
		for (size_t i = work->first; i < batch->visible && i - work->first < LOOK_MAX;
		     i++) {
			const struct step *other = batch->step[i];

			if (is_too_late(pass, other, step))
				break;
			if (!other->is_done && !is_waiting(&work->waiting, other->stream) &&
			    meets(other, &need[n]))
				return other->part != STEP_BEGIN ? other :
				       end_of(pass, work, i, step);
		}
	}
	return NULL;
}

/*
 * Stamps that are close say nothing of what was first. Where a step contradicts what is live, and
 * one of another stream that is no later than the clock can be wrong makes it right, that one comes
 * first, with all that stands before it in its stream. What contradicts then looks again.
 */
static void apply(struct pass *pass, struct work *work, size_t at)
{
	const struct step_batch *batch = work->batch;
	struct ledger *ledger = &pass->ledger;
	struct step *step = batch->step[at];

	if (has_company(pass, work, at)) {
		const struct step *found;

		work->waiting.stream[work->waiting.count++] = step->stream;
		while ((found = find_right(pass, work, step)) != NULL)
			for (size_t i = work->first; !found->is_done; i++)
				if (!batch->step[i]->is_done &&
				    batch->step[i]->stream == found->stream)
					apply(pass, work, i);
		work->waiting.count--;
	}
	ledger_apply(ledger, step);
	if (ledger->facts->has_heap && step->stream == pass->heap_stream &&
	    step->ordinal == ledger->facts->heap.events && step->part != STEP_BEGIN &&
	    !ledger->is_second) {
		pass->account->heap = ledger->heap;
		pass->account->has_heap = true;
	}
}

static bool take(void *owner, const struct step_batch *batch)
{
	struct pass *pass = owner;
	struct work work = { .batch = batch };

	for (; work.first < batch->count && !pass->ledger.is_over; work.first++)
		if (!batch->step[work.first]->is_done)
			apply(pass, &work, work.first);
	return !pass->ledger.is_over;
}

/* The number that step_order gives to a stream of the trace. */
static uint32_t stream_index(const struct raw_trace *trace, uint32_t stream)
{
	uint32_t index = NO_STREAM, last = 0;

	for (size_t i = 0; i < trace->chunks; i++) {
		const struct xt_meta *meta = &trace->chunk[i].meta;

		if (meta->kind != XT_KIND_EVENTS || (index != NO_STREAM && meta->stream == last))
			continue;
		index++; /* from NO_STREAM to 0 */
		last = meta->stream;
		if (last == stream)
			return index;
	}
	return NO_STREAM;
}

static void run_pass(struct pass *pass)
{
	struct account *account = pass->account;
	struct ledger *ledger = &pass->ledger;
	struct step_decoder decoder;

	ledger->changes = 0;
	ledger->live_bytes = 0;
	ledger->live_blocks = 0;
	ledger->heap = (struct heap_count){ 0 };
	ledger->moving_count = 0;
	ledger->moving = xcalloc(pass->trace->chunks + 1, sizeof(*ledger->moving));
	block_tree_init(&ledger->tree);
	for (uint32_t i = 0; i < account->threads.count; i++)
		account->threads.calls[i] = 0;
	step_decoder_init(&decoder, ledger->facts, &account->stacks, &account->threads,
			  ledger->report);
	decoder.has_names = ledger->has_names;
	/* What a step waits for may itself wait, and so on. */
	step_order_run(pass->trace, &decoder, pass->clock_error * WAITING_MAX, take, pass,
		       &pass->order);
	step_decoder_release(&decoder);
	block_tree_release(&ledger->tree);
	free(ledger->moving);
}

static uint64_t to_ns(const struct xt_header *header, uint64_t stamp)
{
	const struct xt_clock_pair *from = &header->first_pair, *to;
	unsigned __int128 ns;

	if (header->last_pair_index != 1 && header->last_pair_index != 2)
		return 0;
	to = &header->last_pair[header->last_pair_index - 1];
	if (to->stamp <= from->stamp || to->ns < from->ns || stamp <= from->stamp)
		return 0;
	ns = (unsigned __int128)(to->ns - from->ns) * (stamp - from->stamp) /
	     (to->stamp - from->stamp);
	return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

static void finish_totals(struct pass *pass)
{
	const struct step_order_facts *facts = &pass->order;
	const struct xt_header *header = &pass->trace->header;
	const struct thread_list *threads = &pass->account->threads;
	struct verify_totals *t = &pass->account->totals;
	bool has_main = false;

	t->leaked_bytes = pass->ledger.live_bytes;
	t->leaked_calls = pass->ledger.live_blocks;
	t->events = facts->events;
	t->lost_events = header->lost_events / XT_SURE + facts->lost;
	t->peak_time_ns = t->peak_bytes ? to_ns(header, pass->ledger.peak_stamp) : 0;
	t->duration_ns = to_ns(header, facts->last_stamp);
	if (header->last_pair_index == 1 || header->last_pair_index == 2) {
		const struct xt_clock_pair *last = &header->last_pair[header->last_pair_index - 1];
		const uint64_t ns = to_ns(header, last->stamp);

		t->duration_ns = ns > t->duration_ns ? ns : t->duration_ns;
	}
	for (uint32_t i = 0; i < threads->count; i++) {
		const struct listed_thread *thread = &threads->thread[i];

		t->threads += threads->has_event[thread->index];
		has_main |= !thread->number && threads->has_event[thread->index];
	}
	t->threads += !has_main;
}

static int compare_stamps(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/*
 * A call is written when it has returned. A thread that was in a free when the process ended had
 * perhaps given its block back already, and another had it by then. So each contradiction needs a
 * thread of its own that has no event after it.
 */
static bool end_explains(struct ledger *ledger)
{
	const uint64_t count = ledger->contradictions;
	const struct thread_list *threads = ledger->threads;
	uint32_t silent = 0;
	uint64_t *last;
	bool explains = count && count <= CONTRADICTIONS_MAX;

	if (!explains)
		return false;
	last = xcalloc(threads->count, sizeof(*last));
	memcpy(last, threads->last_stamp, threads->count * sizeof(*last));
	qsort(last, threads->count, sizeof(*last), compare_stamps);
	qsort(ledger->contradiction, count, sizeof(*last), compare_stamps);
	for (uint64_t i = 0; i < count; i++) {
		while (silent < threads->count && last[silent] < ledger->contradiction[i])
			silent++;
		explains &= silent > i;
	}
	free(last);
	return explains;
}

void account_run(struct account *account, const struct raw_trace *trace,
		 const struct raw_facts *facts, struct verify_report *report)
{
	struct pass pass = { .account = account, .trace = trace };
	struct ledger *ledger = &pass.ledger;
	uint32_t depth = trace->header.depth;

	*account = (struct account){ 0 };
	if (!depth || depth > XT_DEPTH_MAX)
		depth = XT_DEPTH_MAX;
	stack_sums_init(&account->stacks, depth);
	*ledger = (struct ledger){ .totals = &account->totals, .stacks = &account->stacks,
				   .threads = &account->threads, .facts = facts,
				   .report = report };
	ledger->is_glibc = trace->header.usable_rule == XT_USABLE_GLIBC;
	ledger->has_names = trace->header.usable_rule == XT_USABLE_NO_ADDRESSES;
	ledger->page_bytes = facts->tunables && strstr(facts->tunables, "hugetlb") ?
				     HUGE_PAGE_MAX : XT_PAGE_BYTES;
	/* Of a counter each value is another moment. */
	pass.clock_error = trace->header.clock == XT_CLOCK_TSC ||
					   trace->header.clock == XT_CLOCK_LEFT ?
				   XT_STAMP_ERROR :
				   0;
	pass.heap_stream = stream_index(trace, facts->heap.stream);
	account->has_heap = facts->has_heap && !facts->heap.events;
	run_pass(&pass);
	finish_totals(&pass);
	account->reallocs = ledger->reallocs;
	account->overtaken = ledger->overtaken;
	account->contradictions = ledger->contradictions;
	account->is_excused = end_explains(ledger);
	ledger->report = NULL;
	ledger->is_second = true;
	if (ledger->peak_change)
		run_pass(&pass);
}

void account_release(struct account *account)
{
	stack_sums_release(&account->stacks);
	thread_list_release(&account->threads);
}
