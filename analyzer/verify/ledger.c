/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/verify/ledger.h"

#include <inttypes.h>

#include "analyzer/base/number.h"
#include "analyzer/verify/check_list.h"
#include "preload/trace/format.h"

static void count_bytes(struct ledger *ledger, const struct held *held, bool is_coming)
{
	struct verify_figures *f = &ledger->stacks->sum[held->stack].figures;
	const uint64_t one = is_coming ? 1 : UINT64_MAX;
	const uint64_t bytes = is_coming ? held->size : -held->size;

	ledger->live_bytes += bytes;
	ledger->live_blocks += one;
	/* The second pass ends at the peak: what is live then is what was live at the peak. */
	if (ledger->is_over)
		return;
	if (ledger->is_second) {
		f->peak_bytes += bytes;
		f->peak_blocks += one;
	} else {
		f->leaked_bytes += bytes;
		f->leaked_blocks += one;
	}
}

/* The allocator counts blocks of a pause, too. */
static void count_live(struct ledger *ledger, const struct held *held, bool is_coming)
{
	if (!held->is_untracked)
		count_bytes(ledger, held, is_coming);
	if (ledger->is_over)
		return;
	if (!ledger->is_glibc || raw_facts_is_static(ledger->facts, held->addr))
		return;
	if (is_coming)
		heap_count_add(&ledger->heap, held->addr, held->size, held->usable);
	else
		heap_count_remove(&ledger->heap, held->addr, held->usable);
}

/* All that one step changes has been changed. */
static void end_change(struct ledger *ledger, uint64_t stamp)
{
	struct verify_totals *t = ledger->totals;

	ledger->changes++;
	ledger->is_over = ledger->is_second && ledger->changes >= ledger->peak_change;
	if (ledger->is_second || ledger->live_bytes <= t->peak_bytes)
		return;
	t->peak_bytes = ledger->live_bytes;
	t->peak_blocks = ledger->live_blocks;
	ledger->peak_change = ledger->changes;
	ledger->peak_stamp = stamp;
}

static uint64_t end_of(const struct held *held, uint64_t bytes)
{
	uint64_t end;

	/* A block of 0 bytes has its address. */
	if (__builtin_add_overflow(held->addr, bytes ? bytes : 1, &end))
		return UINT64_MAX;
	return end;
}

static void note_contradiction(struct ledger *ledger)
{
	if (ledger->is_second)
		return;
	if (ledger->contradictions < CONTRADICTIONS_MAX)
		ledger->contradiction[ledger->contradictions] = ledger->stamp;
	ledger->contradictions++;
}

/* One free that is not in the trace may let many blocks lie across `other`. */
static void say_across(struct ledger *ledger, const struct held *held, struct held *other)
{
	const struct held *low = held->addr < other->addr ? held : other;
	const struct held *high = low == held ? other : held;
	const bool is_requested = end_of(low, low->size) > high->addr;

	if (!other->is_doubted)
		note_contradiction(ledger);
	other->is_doubted = 1;
	check_fail(ledger->report, is_requested ? CHECK_OVERLAP : CHECK_USABLE_OVERLAP,
		   "%s at 0x%" PRIx64 " (usable: %s) reach into the block at 0x%" PRIx64,
		   number_of(low->size, "byte").text, low->addr, number_count(low->usable).text,
		   high->addr);
}

/* What the allocator keeps for a block by its rule. */
static uint64_t extent_of(const struct ledger *ledger, const struct held *held)
{
	if (ledger->has_names)
		return end_of(held, 1);
	return end_of(held, ledger->is_glibc ? heap_rule(held->size) : held->size);
}

static void end_moving(struct ledger *ledger, uint32_t stream, uint64_t stamp, bool is_overtaken);

/* A block whose realloc is under way and whose bytes are handed out with `held`; the lowest. */
static const struct held *find_overtaken(const struct ledger *ledger, const struct held *held)
{
	struct neighbours around = block_tree_around(&ledger->tree, held->addr);
	const uint64_t end = extent_of(ledger, held);

	if (around.floor && around.floor->moving_by != NO_STREAM &&
	    extent_of(ledger, around.floor) > held->addr)
		return around.floor;
	while (around.above && around.above->addr < end) {
		if (around.above->moving_by != NO_STREAM)
			return around.above;
		around = block_tree_around(&ledger->tree, around.above->addr);
	}
	return NULL;
}

/* An operator new carved the block out of one that it had from malloc. */
static bool is_carved(const struct held *held, const struct held *from)
{
	return held->is_new && !from->is_new &&
	       end_of(held, held->size) <= end_of(from, from->usable);
}

static void close_unseen(struct ledger *ledger, const struct held *held)
{
	const struct held gone = *held;

	if (gone.is_untracked) {
		block_tree_remove(&ledger->tree, gone.addr);
		count_live(ledger, &gone, false);
		return;
	}
	if (!gone.is_doubted)
		note_contradiction(ledger);
	check_fail(ledger->report, CHECK_OVERLAP,
		   "the block at 0x%" PRIx64 " is live and was handed out again", gone.addr);
	ledger->totals->unseen_frees += !ledger->is_second;
	block_tree_remove(&ledger->tree, gone.addr);
	count_live(ledger, &gone, false);
}

/*
 * The bytes of a block are handed out. A realloc that is under way with some of them was over
 * before. A block at the same address was given back unseen. Anything else is a contradiction, and
 * both stay.
 */
static void make_room(struct ledger *ledger, const struct held *held)
{
	const uint64_t end = end_of(held, held->usable);
	struct neighbours around;
	const struct held *over;

	while (ledger->moving_count && (over = find_overtaken(ledger, held)) != NULL)
		end_moving(ledger, over->moving_by,
			   ledger->moving[over->moving_by].step.stamp, true);
	around = block_tree_around(&ledger->tree, held->addr);
	if (around.floor && around.floor->addr == held->addr) {
		close_unseen(ledger, around.floor);
		around = block_tree_around(&ledger->tree, held->addr);
	}
	if (around.floor && around.floor->moving_by == NO_STREAM &&
	    !is_carved(held, around.floor) && end_of(around.floor, around.floor->usable) > held->addr)
		say_across(ledger, held, around.floor);
	if (around.above && around.above->moving_by == NO_STREAM && around.above->addr < end)
		say_across(ledger, held, around.above);
}

static void count_call(struct ledger *ledger, const struct step *step)
{
	struct verify_totals *t = ledger->totals;
	struct verify_figures *f = &ledger->stacks->sum[step->stack].figures;

	if (ledger->is_second)
		return;
	t->allocation_calls++;
	t->allocated_bytes += step->size;
	f->calls++;
	f->bytes += step->size;
	t->calls_malloc += step->op == XT_OP_MALLOC;
	t->calls_calloc += step->op == XT_OP_CALLOC;
	t->calls_realloc += step->op == XT_OP_REALLOC || step->op == XT_OP_REALLOC_NULL;
	t->calls_aligned += step->op == XT_OP_ALIGNED;
	t->calls_new += step->op == XT_OP_NEW;
}

static void check_usable(struct ledger *ledger, const struct step *step, uint64_t usable)
{
	uint64_t size = step->size;
	const char *wrong;

	if (!ledger->report || raw_facts_is_static(ledger->facts, step->addr))
		return;
	if (step->function == XT_FN_PVALLOC) /* whole pages */
		size = (size + XT_PAGE_BYTES - 1) & -(uint64_t)XT_PAGE_BYTES;
	wrong = heap_usable_wrong(step->addr, size, usable, step->op == XT_OP_ALIGNED,
				  step->op == XT_OP_REALLOC, ledger->page_bytes);
	if (wrong)
		check_fail(ledger->report, CHECK_USABLE_SIZES,
			   "%s at 0x%" PRIx64 " (event %s of stream %" PRIu32 "): %s usable, %s",
			   number_of(step->size, "byte").text, step->addr,
			   number_count(step->ordinal).text, step->stream,
			   number_count(usable).text, wrong);
}

/* The new block of a call; `old`: that of a realloc, which leaves in the same step, or NULL. */
static void bring(struct ledger *ledger, const struct step *step, const struct held *old,
		  uint64_t stamp)
{
	uint64_t *calls = &ledger->threads->calls[step->thread];
	struct held held = { step->addr, step->size, step->usable, 0, step->stack, step->thread,
			     NO_STREAM, step->op == XT_OP_NEW, 0, step->is_untracked };

	if (ledger->has_names)
		held.usable = 1;
	else if (!held.usable)
		held.usable = ledger->is_glibc ? heap_rule(held.size) : held.size;
	if (ledger->is_glibc)
		check_usable(ledger, step, held.usable);
	if (step->op == XT_OP_REALLOC || step->op == XT_OP_ALIGNED)
		ledger->heap.may_split = true;
	if (old && heap_is_mapped(old->usable) && heap_is_mapped(held.usable))
		heap_count_moved(&ledger->heap, old->addr);
	make_room(ledger, &held);
	if (step->is_untracked) {
		ledger->totals->untracked_calls += !ledger->is_second;
	} else {
		held.call = ++*calls;
		count_call(ledger, step);
	}
	if (old)
		count_live(ledger, old, false);
	count_live(ledger, &held, true);
	block_tree_add(&ledger->tree, &held);
	end_change(ledger, stamp);
}

/* A block is given back: by the thread that made it, with its latest allocation call? */
static void count_temporary(struct ledger *ledger, const struct held *held, uint32_t thread)
{
	if (ledger->is_second || held->thread != thread ||
	    held->call != ledger->threads->calls[thread])
		return;
	ledger->totals->temporary_calls++;
	ledger->stacks->sum[held->stack].figures.temporary++;
}

struct held *ledger_find(const struct ledger *ledger, uint64_t addr)
{
	struct held *held = block_tree_at(&ledger->tree, addr);

	return held && held->moving_by == NO_STREAM ? held : NULL;
}

/* A block that came during a pause goes. */
static void give_back_untracked(struct ledger *ledger, const struct held *held)
{
	const struct held gone = *held;

	ledger->totals->untracked_frees += !ledger->is_second;
	block_tree_remove(&ledger->tree, gone.addr);
	count_live(ledger, &gone, false);
}

static void give_back(struct ledger *ledger, const struct step *step)
{
	struct held *held = ledger_find(ledger, step->addr);
	struct held gone;

	if (held && held->is_untracked) {
		give_back_untracked(ledger, held);
		return;
	}
	ledger->totals->free_calls += !ledger->is_second;
	if (!held) {
		ledger->totals->foreign_frees += !ledger->is_second;
		return;
	}
	count_temporary(ledger, held, step->thread);
	ledger->totals->freed_blocks += !ledger->is_second;
	gone = *held;
	block_tree_remove(&ledger->tree, gone.addr);
	count_live(ledger, &gone, false);
	end_change(ledger, step->stamp);
}

static void begin_moving(struct ledger *ledger, const struct step *step)
{
	struct moving *moving = &ledger->moving[step->stream];
	struct held *held = ledger_find(ledger, step->old_addr);

	*moving = (struct moving){ .step = *step, .is_open = true };
	ledger->moving_count++;
	ledger->reallocs += !ledger->is_second;
	if (held && held->is_untracked) {
		give_back_untracked(ledger, held);
		return;
	}
	if (!held) {
		const struct held *other = block_tree_at(&ledger->tree, step->old_addr);

		ledger->totals->foreign_frees += !ledger->is_second;
		if (other)
			check_fail(ledger->report, CHECK_REALLOCS,
				   "the block at 0x%" PRIx64
				   " is in two reallocs at once (streams %" PRIu32 " and %" PRIu32
				   ")", step->old_addr, other->moving_by, step->stream);
		return;
	}
	count_temporary(ledger, held, step->thread);
	held->moving_by = step->stream;
	moving->old_addr = held->addr;
}

static void end_moving(struct ledger *ledger, uint32_t stream, uint64_t stamp, bool is_overtaken)
{
	struct moving *moving = &ledger->moving[stream];
	struct held old;

	if (!moving->is_open)
		return; /* it was over before its second stamp */
	moving->is_open = false;
	ledger->moving_count--;
	if (is_overtaken && !ledger->is_second)
		ledger->overtaken++;
	/* Out of the way first: reallocs may hand each other their blocks in a circle. */
	if (moving->old_addr) {
		old = *block_tree_at(&ledger->tree, moving->old_addr);
		block_tree_remove(&ledger->tree, old.addr);
		ledger->totals->realloc_frees += !ledger->is_second;
	}
	bring(ledger, &moving->step, moving->old_addr ? &old : NULL, stamp);
}

/* Calls that do not make glibc's thread cache: before 2.41 all others do. */
static bool is_aligned(const struct step *step)
{
	switch (step->function) {
	case XT_FN_POSIX_MEMALIGN:
	case XT_FN_ALIGNED_ALLOC:
	case XT_FN_MEMALIGN:
	case XT_FN_VALLOC:
	case XT_FN_PVALLOC:
		return step->op == XT_OP_ALIGNED || step->op == XT_OP_FAILED;
	default:
		return false;
	}
}

static void count_failed(struct ledger *ledger, const struct step *step)
{
	struct verify_totals *t = ledger->totals;

	if (step->is_untracked)
		return;
	if (!step->pool) {
		t->failed_calls++;
	} else if (step->pool != XT_POOL_FREE) {
		t->pool_calls++;
		t->pool_bytes += step->size;
	}
}

void ledger_apply(struct ledger *ledger, struct step *step)
{
	step->is_done = 1;
	ledger->heap.has_cache |= !is_aligned(step) && !step->pool;
	ledger->stamp = step->stamp;
	ledger->threads->has_event[step->thread] = true;
	ledger->threads->last_stamp[step->thread] = step->stamp;
	switch (step->op) {
	case XT_OP_FREE:
		give_back(ledger, step);
		break;
	case XT_OP_FAILED:
		if (!ledger->is_second)
			count_failed(ledger, step);
		break;
	case XT_OP_REALLOC:
		if (step->part != STEP_END)
			begin_moving(ledger, step);
		if (step->part != STEP_BEGIN)
			end_moving(ledger, step->stream, step->stamp, false);
		break;
	default:
		bring(ledger, step, NULL, step->stamp);
		break;
	}
}
