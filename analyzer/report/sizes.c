/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/sizes.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"
#include "analyzer/base/seed.h"

/* --- by size */

static uint32_t *slot_of(const struct sizes *s, uint64_t size)
{
	size_t at = seed_hash(s->seed, size) & (s->slots - 1);

	while (s->slot[at] && s->size[s->slot[at] - 1].size != size)
		at = (at + 1) & (s->slots - 1);
	return &s->slot[at];
}

static void grow(struct sizes *s)
{
	s->slots = s->slots ? s->slots * 2 : 256;
	free(s->slot);
	s->slot = xcalloc(s->slots, sizeof(*s->slot));
	for (size_t i = 0; i < s->count; i++)
		*slot_of(s, s->size[i].size) = (uint32_t)i + 1;
}

static struct stack_totals *sum_of(struct sizes *s, uint64_t size)
{
	uint32_t *slot;

	if (2 * s->count >= s->slots)
		grow(s);
	slot = slot_of(s, size);
	if (!*slot) {
		if (s->count == s->room) {
			s->room = s->room * 2 + 64;
			s->size = xreallocarray(s->size, s->room, sizeof(*s->size));
		}
		s->size[s->count] = (struct size_sum){ .size = size };
		*slot = (uint32_t)++s->count;
	}
	return &s->size[*slot - 1].sum;
}

/* --- slack by stack */

static struct stack_totals *slack_of(struct sizes *s, uint32_t stack)
{
	if (stack >= s->slacks) {
		const size_t slacks = (size_t)stack + stack / 2 + 64;

		s->slack = xreallocarray(s->slack, slacks, sizeof(*s->slack));
		memset(s->slack + s->slacks, 0, (slacks - s->slacks) * sizeof(*s->slack));
		s->slacks = slacks;
	}
	return &s->slack[stack];
}

/* more: of usable bytes than the rule says. */
static uint64_t slack_bytes(uint64_t size, int32_t more)
{
	const int64_t slack = (int64_t)(event_usable_rule(size) - size) + more;

	return slack > 0 ? (uint64_t)slack : 0;
}

static void add_slack(struct sizes *s, const struct selected_block *block,
		      const struct event *event)
{
	const uint64_t bytes = slack_bytes(block->size, event->more);
	struct stack_totals *slack = slack_of(s, block->stack);
	struct block old;

	peak_add(&s->slack_peak, slack, bytes);
	if (!block->is_early)
		slack->bytes += bytes;
	if (event->more)
		live_set_put(&s->odd, block->addr, &(struct block){ (uint32_t)event->more, 0, 0 },
			     &old);
}

static void taken(void *owner, struct selected_block *block)
{
	struct sizes *s = owner;
	struct block odd;

	if (!live_set_get(&s->odd, block->addr, &odd))
		return;
	live_set_remove(&s->odd, block->addr);
	block->note[0] = odd.size;
}

static void remove_slack(struct sizes *s, const struct selected_block *block)
{
	peak_remove(&s->slack_peak, slack_of(s, block->stack),
		    slack_bytes(block->size, (int32_t)(uint32_t)block->note[0]));
}

/* --- the view */

static void opened(void *owner, const struct selection *selection)
{
	struct sizes *s = owner;

	s->has_slack = trace_header(selection->trace)->usable_rule == XT_USABLE_GLIBC;
}

static void begun(void *owner, const struct selected_block *block, const struct event *event)
{
	struct sizes *s = owner;
	struct stack_totals *sum = sum_of(s, block->size);

	peak_add(&s->peak, sum, block->size);
	if (!block->is_early) {
		sum->calls++;
		sum->bytes += block->size;
	}
	if (s->has_slack)
		add_slack(s, block, event);
}

static void ended(void *owner, const struct selected_block *block, const struct event *event,
		  enum selection_end how)
{
	struct sizes *s = owner;

	(void)event;
	(void)how;
	peak_remove(&s->peak, sum_of(s, block->size), block->size);
	if (s->has_slack)
		remove_slack(s, block);
}

static void instant(void *owner)
{
	struct sizes *s = owner;

	if (++s->peak.epoch)
		s->slack_peak.epoch++;
	if (s->peak.epoch)
		return;
	for (size_t i = 0; i < s->count; i++)
		s->size[i].sum.peak_epoch = 0;
	for (size_t i = 0; i < s->slacks; i++)
		s->slack[i].peak_epoch = 0;
	s->peak.epoch = s->slack_peak.epoch = 1;
}

void sizes_init(struct sizes *s)
{
	*s = (struct sizes){ .seed = seed_make(),
			     .view = { .opened = opened,
				       .begun = begun,
				       .taken = taken,
				       .ended = ended,
				       .instant = instant,
				       .owner = s } };
	peak_init(&s->peak);
	peak_init(&s->slack_peak);
	live_set_init(&s->odd);
}

static int compare(const void *left, const void *right)
{
	const struct size_sum *a = left, *b = right;

	if (a->sum.calls != b->sum.calls)
		return a->sum.calls > b->sum.calls ? -1 : 1;
	return a->size < b->size ? -1 : a->size > b->size;
}

/* Sizes of blocks from before the range that were not live at the peak have nothing to say. */
static void drop_empty(struct sizes *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->count; i++)
		if (s->size[i].sum.calls || s->size[i].sum.peak_blocks)
			s->size[kept++] = s->size[i];
	s->count = kept;
}

void sizes_finish(struct sizes *s)
{
	for (size_t i = 0; i < s->count; i++)
		peak_save(&s->peak, &s->size[i].sum);
	drop_empty(s);
	if (s->count)
		qsort(s->size, s->count, sizeof(*s->size), compare);
	for (size_t i = 0; i < s->count; i++)
		stack_totals_add(&s->by_class[number_class(s->size[i].size)].sum, &s->size[i].sum);
	peak_settle(&s->slack_peak, s->slack, s->slacks);
	for (size_t i = 0; i < s->slacks; i++) {
		const struct stack_totals *slack = &s->slack[i];
		struct stack_figures *figures;

		if (!slack->bytes && !slack->peak_bytes)
			continue;
		figures = stack_figure_table_at(&s->stacks, (uint32_t)i);
		figures->figure[SIZES_SLACK_PEAK] = slack->peak_bytes;
		figures->figure[SIZES_SLACK_CALLS] = slack->bytes;
	}
}

void sizes_release(struct sizes *s)
{
	free(s->size);
	free(s->slot);
	free(s->slack);
	stack_figure_table_release(&s->stacks);
	live_set_release(&s->odd);
}
