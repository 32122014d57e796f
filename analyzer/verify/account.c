/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/verify/account.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/verify/ledger.h"
#include "analyzer/verify/step_order.h"

#define HUGE_PAGE_MAX (UINT64_C(1) << 30)
#define TIE_MAX 256u /* steps looked at for one that a contradiction waits for */

/* One pass over all steps. */
struct pass {
	struct account *account;
	const struct raw_trace *trace;
	struct ledger ledger;
	uint32_t heap_stream; /* of struct xt_heap, as an index */
};

/* The address that a step takes from the program, or gives to it; 0: none. */
static uint64_t address_of(const struct step *step, bool *takes)
{
	*takes = step->op == XT_OP_FREE || (step->op == XT_OP_REALLOC && step->part != STEP_END);
	return step->op == XT_OP_REALLOC && step->part != STEP_END ? step->old_addr : step->addr;
}

/*
 * At equal stamps no order is known but that of each stream. Where a step contradicts what is live,
 * and one of another stream with the same stamp makes it right, that one comes first.
 */
static void settle_tie(struct ledger *ledger, struct step **step, size_t count)
{
	bool takes, other_takes;
	const uint64_t addr = address_of(step[0], &takes);
	size_t found = 0;

	if (!addr || takes == (ledger_find(ledger, addr) != NULL) || count < 2 ||
	    step[1]->order != step[0]->order)
		return;
	for (size_t i = 1; i < count && i < TIE_MAX && step[i]->order == step[0]->order; i++) {
		if (!step[i]->is_done && step[i]->stream != step[0]->stream &&
		    address_of(step[i], &other_takes) == addr && other_takes != takes) {
			found = i;
			break;
		}
	}
	for (size_t i = 1; found && i <= found; i++)
		if (!step[i]->is_done && step[i]->stream == step[found]->stream)
			ledger_apply(ledger, step[i]);
}

static bool take(void *owner, struct step **step, size_t count)
{
	struct pass *pass = owner;
	struct account *account = pass->account;
	const struct raw_facts *facts = pass->ledger.facts;

	for (size_t i = 0; i < count && !pass->ledger.is_over; i++) {
		if (step[i]->is_done)
			continue;
		settle_tie(&pass->ledger, step + i, count - i);
		ledger_apply(&pass->ledger, step[i]);
		if (facts->has_heap && step[i]->stream == pass->heap_stream &&
		    step[i]->ordinal == facts->heap.events && step[i]->part != STEP_BEGIN &&
		    !pass->ledger.is_second) {
			account->heap = pass->ledger.heap;
			account->has_heap = true;
		}
	}
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

static void run_pass(struct pass *pass, struct step_order_facts *facts)
{
	struct account *account = pass->account;
	struct ledger *ledger = &pass->ledger;
	struct step_decoder decoder;

	ledger->changes = 0;
	ledger->live_bytes = 0;
	ledger->live_blocks = 0;
	ledger->heap = (struct heap_count){ 0 };
	ledger->moving = xcalloc(pass->trace->chunks + 1, sizeof(*ledger->moving));
	block_tree_init(&ledger->tree);
	for (uint32_t i = 0; i < account->threads.count; i++)
		account->threads.calls[i] = 0;
	step_decoder_init(&decoder, ledger->facts, &account->stacks, &account->threads,
			  ledger->report);
	step_order_run(pass->trace, &decoder, take, pass, facts);
	step_decoder_release(&decoder);
	block_tree_release(&ledger->tree);
	free(ledger->moving);
}

static uint64_t to_ns(const struct xt_header *header, uint64_t stamp)
{
	const struct xt_clock_pair *from = &header->first_pair, *to;

	if (header->last_pair_index != 1 && header->last_pair_index != 2)
		return 0;
	to = &header->last_pair[header->last_pair_index - 1];
	if (to->stamp <= from->stamp || to->ns < from->ns || stamp <= from->stamp)
		return 0;
	return (uint64_t)((unsigned __int128)(to->ns - from->ns) * (stamp - from->stamp) /
			  (to->stamp - from->stamp));
}

static void finish_totals(struct pass *pass, const struct step_order_facts *facts)
{
	const struct xt_header *header = &pass->trace->header;
	const struct thread_list *threads = &pass->account->threads;
	struct verify_totals *t = &pass->account->totals;
	bool has_main = false;

	t->leaked_bytes = pass->ledger.live_bytes;
	t->leaked_calls = pass->ledger.live_blocks;
	t->events = facts->events;
	t->lost_events = header->lost_events + facts->lost;
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

void account_run(struct account *account, const struct raw_trace *trace,
		 const struct raw_facts *facts, struct verify_report *report)
{
	struct pass pass = { .account = account, .trace = trace };
	struct ledger *ledger = &pass.ledger;
	struct step_order_facts order;
	uint32_t depth = trace->header.depth;

	*account = (struct account){ 0 };
	if (!depth || depth > XT_DEPTH_MAX)
		depth = XT_DEPTH_MAX;
	stack_sums_init(&account->stacks, depth);
	*ledger = (struct ledger){ .totals = &account->totals, .stacks = &account->stacks,
				   .threads = &account->threads, .facts = facts,
				   .report = report };
	ledger->is_glibc = trace->header.usable_rule == XT_USABLE_GLIBC;
	ledger->page_bytes = facts->tunables && strstr(facts->tunables, "hugetlb") ?
				     HUGE_PAGE_MAX : XT_PAGE_BYTES;
	pass.heap_stream = stream_index(trace, facts->heap.stream);
	account->has_heap = facts->has_heap && !facts->heap.events;
	run_pass(&pass, &order);
	finish_totals(&pass, &order);
	account->reallocs = ledger->reallocs;
	account->overtaken = ledger->overtaken;
	ledger->report = NULL;
	ledger->is_second = true;
	if (ledger->peak_change)
		run_pass(&pass, &order);
}

void account_release(struct account *account)
{
	stack_sums_release(&account->stacks);
	thread_list_release(&account->threads);
}
