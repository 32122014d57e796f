/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/verify/step_decoder.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/verify/check_list.h"
#include "analyzer/verify/step_nodes.h"
#include "preload/trace/codec.h"
#include "preload/trace/format.h"
#include "preload/trace/predict.h"

void step_decoder_init(struct step_decoder *decoder, const struct raw_facts *facts,
		       struct stack_sums *stacks, struct thread_list *threads,
		       struct verify_report *report)
{
	*decoder = (struct step_decoder){
		.facts = facts, .stacks = stacks, .threads = threads, .report = report
	};
	decoder->frame = xreallocarray(NULL, XT_STACK_MAX, sizeof(*decoder->frame));
	decoder->prefix = xcalloc(XT_STACK_MAX + 1, sizeof(*decoder->prefix));
	decoder->node = xreallocarray(NULL, XT_STACK_MAX, sizeof(*decoder->node));
	decoder->nodes = step_nodes_new();
	decoder->blocks = step_blocks_new();
}

void step_decoder_release(struct step_decoder *decoder)
{
	free(decoder->frame);
	free(decoder->prefix);
	free(decoder->node);
	step_nodes_free(decoder->nodes);
	step_blocks_free(decoder->blocks);
}

static void forget(struct step_decoder *decoder)
{
	decoder->depth = 0;
	decoder->stack = STACK_SUMS_NONE;
	decoder->addr = 0;
	decoder->size = 0;
	decoder->is_untracked = 0;
}

static void set_thread(struct step_decoder *decoder, uint32_t number, uint32_t tid)
{
	uint32_t known = tid;

	decoder->thread = thread_list_index(decoder->threads, number, &known);
	if (known != tid)
		check_fail(decoder->report, CHECK_THREADS,
			   "thread %" PRIu32 " is called %" PRIu32 " and %" PRIu32 " by the kernel",
			   number, known, tid);
}

static const char *read_ext(struct step_decoder *decoder, struct xt_cursor *cursor)
{
	const uint8_t kind = xt_get_byte(cursor);
	const uint64_t length = xt_get_varint(cursor);
	struct xt_cursor inner;
	uint64_t value, tid;

	if (cursor->bad || length > (uint64_t)(cursor->end - cursor->at))
		return "it is cut short";
	inner = xt_cursor_init(cursor->at, length);
	cursor->at += length;
	if (kind == XT_EXT_LOW) {
		decoder->low = xt_get_byte(&inner);
		decoder->old_low = xt_get_byte(&inner);
		if ((decoder->low | decoder->old_low) & ~15)
			return "low bits of an address are too large";
	} else if (kind == XT_EXT_TRACKING) {
		decoder->is_untracked = xt_get_byte(&inner) != 0;
	} else if (kind == XT_EXT_POOL) {
		decoder->pool = xt_get_byte(&inner);
		if (!decoder->pool || decoder->pool > XT_POOL_FREE)
			return "what happened in a pool is of no known kind";
	} else if (kind == XT_EXT_RESET) {
		forget(decoder);
	} else if (kind == XT_EXT_THREAD || kind == XT_EXT_TIME || kind == XT_EXT_USABLE) {
		value = xt_get_varint(&inner);
		if (kind == XT_EXT_USABLE) {
			decoder->usable = value;
		} else if (kind == XT_EXT_TIME) {
			if (__builtin_add_overflow(decoder->stamp, value, &decoder->stamp))
				return "a stamp is too large";
		} else {
			tid = xt_get_varint(&inner);
			if (value > UINT32_MAX || tid > UINT32_MAX)
				return "a thread number is too large";
			if (!inner.bad)
				set_thread(decoder, (uint32_t)value, (uint32_t)tid);
			forget(decoder);
		}
	}
	return inner.bad ? "it is cut short" : NULL;
}

static const char *push(struct step_decoder *decoder, uint64_t id)
{
	const uint32_t depth = decoder->depth;

	if (id == XT_ID_TRUNCATED || id == XT_ID_ELIDED) {
		if (depth)
			return "the mark of a cut stack stands inside a stack";
	} else if (id < XT_ID_FIRST || id >= XT_IDS_MAX) {
		return "a frame id is impossible";
	} else if (!raw_facts_has_id(decoder->facts, id) && !decoder->misses_ids) {
		decoder->misses_ids = true;
		check_fail(decoder->report, CHECK_EVENTS,
			   "frame id %" PRIu64 " is not in the trace", id);
	}
	decoder->frame[depth] = (uint32_t)id;
	if (decoder->has_columns)
		decoder->node[depth] = step_nodes_add(
			decoder->nodes, depth ? decoder->node[depth - 1] : STEP_NODE_NONE,
			(uint32_t)id);
	decoder->prefix[depth + 1] =
		stack_sums_push(decoder->stacks, decoder->prefix[depth], (uint32_t)id);
	decoder->depth++;
	return NULL;
}

/* The stack of that number becomes the current one. */
static const char *call_stack(struct step_decoder *decoder, uint64_t number)
{
	uint32_t node, depth, kept;

	if (!step_nodes_numbered(decoder->nodes, number, &node, &depth))
		return "a stack is called by a number that none has";
	kept = depth < decoder->depth ? depth : decoder->depth;
	decoder->depth = depth;
	decoder->stack = STACK_SUMS_NONE;
	while (depth && (depth > kept || decoder->node[depth - 1] != node)) {
		decoder->node[--depth] = node;
		decoder->frame[depth] = step_nodes_frame(decoder->nodes, node);
		node = step_nodes_parent(decoder->nodes, node);
	}
	for (; depth < decoder->depth; depth++)
		decoder->prefix[depth + 1] = stack_sums_push(
			decoder->stacks, decoder->prefix[depth], decoder->frame[depth]);
	return NULL;
}

/* Pops and pushes, as rows have them. */
static const char *read_change(struct step_decoder *decoder, struct xt_cursor *cursor,
			       struct xt_cursor *ids)
{
	const uint8_t both = xt_get_byte(cursor);
	uint64_t pops = both >> 4, pushes = both & 15;
	const char *wrong = NULL;

	if (pops == 15)
		pops = xt_get_varint(cursor);
	if (pushes == 15)
		pushes = xt_get_varint(cursor);
	if (pops > decoder->depth)
		return "it takes more frames than the stack has";
	decoder->depth -= (uint32_t)pops;
	if (pushes > XT_STACK_MAX - decoder->depth)
		return "a stack is too deep";
	while (pushes-- && !wrong && !ids->bad) {
		const uint64_t id = xt_get_varint(ids);

		if (!ids->bad)
			wrong = push(decoder, id);
	}
	decoder->stack = STACK_SUMS_NONE;
	return cursor->bad || ids->bad ? "it is cut short" : wrong;
}

/* A number that in columns has its first byte in one and the others in another. */
static uint64_t read_parted(struct step_decoder *decoder, enum xt_column first, enum xt_column rest)
{
	struct xt_cursor *const cursor = decoder->part[first];
	uint64_t value;

	if (!decoder->has_columns)
		return xt_get_varint(cursor);
	value = xt_get_byte(cursor);
	if (value >= 128) {
		const uint64_t more = xt_get_varint(decoder->part[rest]);

		if (more > UINT64_MAX / 128)
			cursor->bad = 1;
		value = value - 128 + more * 128;
	}
	return value;
}

static const char *read_stack(struct step_decoder *decoder)
{
	struct xt_cursor *const ids = decoder->part[XT_COLUMN_FRAME];
	const char *wrong;
	uint64_t number;

	if (!decoder->has_columns)
		return read_change(decoder, decoder->part[XT_COLUMN_STACK], ids);
	number = read_parted(decoder, XT_COLUMN_STACK, XT_COLUMN_STACK_REST);
	if (number)
		return call_stack(decoder, number);
	wrong = read_change(decoder, ids, ids);
	step_nodes_number(decoder->nodes,
			  decoder->depth ? decoder->node[decoder->depth - 1] : STEP_NODE_NONE,
			  decoder->depth);
	return wrong;
}

static uint64_t read_address(struct step_decoder *decoder, enum xt_column column, uint8_t low)
{
	decoder->addr = xt_get_addr(decoder->part[column], decoder->addr) + low;
	return decoder->addr;
}

/* The block that goes, of a chunk of columns; *age: 0 where it has none. */
static uint64_t read_goes(struct step_decoder *decoder, uint8_t low, uint64_t *age)
{
	struct xt_cursor *const cursor = decoder->part[XT_COLUMN_FREED];
	const uint64_t value = read_parted(decoder, XT_COLUMN_FREED, XT_COLUMN_FREED_REST);
	uint64_t addr = 0;

	*age = value % 2 ? 0 : value / 2;
	if (value % 2)
		addr = (((decoder->addr >> 4) + (uint64_t)xt_unzigzag(value / 2)) << 4) + low;
	else
		addr = step_blocks_aged(decoder->blocks, *age);
	if (!addr)
		cursor->bad = 1;
	return decoder->addr = addr;
}

/* The block that goes, where blocks have names. */
static uint64_t read_gone_name(struct step_decoder *decoder)
{
	const uint64_t value = read_parted(decoder, XT_COLUMN_FREED, XT_COLUMN_FREED_REST);

	if (!value)
		return XT_NAME_NONE;
	if (value % 2)
		decoder->gone += XT_NAME_STEP * (uint64_t)xt_unzigzag(value / 2);
	else
		decoder->gone = decoder->name - XT_NAME_STEP * (value / 2);
	return decoder->gone;
}

static void read_names(struct step_decoder *decoder, uint8_t head, struct step *step)
{
	step->addr = step->old_addr = 0;
	if (step->op == XT_OP_FAILED)
		return;
	if (step->op == XT_OP_FREE) {
		step->addr = read_gone_name(decoder);
		return;
	}
	if (step->op == XT_OP_REALLOC)
		step->old_addr = read_gone_name(decoder);
	step->addr = decoder->name;
	if (!(head & XT_EV_PREDICTED))
		step->addr += XT_NAME_STEP *
			      (uint64_t)xt_unzigzag(xt_get_varint(decoder->part[XT_COLUMN_ADDR]));
	decoder->name += XT_NAME_STEP;
}

static void read_columns_addresses(struct step_decoder *decoder, uint8_t head, struct step *step)
{
	const bool has_low = decoder->low || decoder->old_low;
	uint64_t age = 0;

	step->addr = step->old_addr = 0;
	if (step->op == XT_OP_FAILED)
		return;
	if (step->op == XT_OP_FREE) {
		step->addr = read_goes(decoder, decoder->low, &age);
		if (age && step->addr)
			step_blocks_give_back(decoder->blocks, age);
		return;
	}
	if (step->op == XT_OP_REALLOC)
		step->old_addr = read_goes(decoder, decoder->old_low, &age);
	if (!(head & XT_EV_PREDICTED))
		step->addr = xt_get_addr(decoder->part[XT_COLUMN_ADDR],
					 step_blocks_near(decoder->blocks, decoder->size)) +
			     decoder->low;
	else if (step->op == XT_OP_REALLOC)
		step->addr = step->old_addr;
	else
		step->addr = step_blocks_expected(decoder->blocks, decoder->size);
	decoder->addr = step->addr;
	if (age && step->old_addr && step->addr != step->old_addr)
		step_blocks_give_back(decoder->blocks, age);
	if (!has_low && step->op == XT_OP_REALLOC && step->addr == step->old_addr)
		step_blocks_stayed(decoder->blocks, step->addr, decoder->size);
	else if (!has_low)
		step_blocks_returned(decoder->blocks, step->addr, decoder->size);
}

static void put(struct step_run *run, const struct step *step)
{
	if (run->count == run->capacity) {
		run->capacity = run->capacity * 2 + 256;
		run->step = xreallocarray(run->step, run->capacity, sizeof(*run->step));
	}
	run->step[run->count++] = *step;
}

static bool read_stamp(struct step_decoder *decoder)
{
	return !__builtin_add_overflow(decoder->stamp,
				       read_parted(decoder, XT_COLUMN_STAMP, XT_COLUMN_STAMP_REST),
				       &decoder->stamp);
}

static const char *read_event(struct step_decoder *decoder, uint8_t head, struct step *step,
			      struct step_run *run)
{
	const uint8_t op = head & XT_OP_MASK;
	const char *wrong;
	bool fits = true, has_stamp = head & XT_EV_STAMP;

	if (op == XT_OP_END || op > XT_OP_FAILED)
		return "an event is of no known kind";
	if (head & XT_EV_PREDICTED && (!decoder->has_columns || op == XT_OP_FREE ||
				       op == XT_OP_FAILED || decoder->low || decoder->old_low))
		return "an event is of no known kind";
	step->op = op;
	step->function = 0;
	if (op == XT_OP_ALIGNED || op == XT_OP_FAILED) {
		step->function = xt_get_byte(decoder->part[XT_COLUMN_HEAD]);
		if (!step->function || step->function > XT_FN_NEW)
			return "an event is of no known function";
	}
	if (decoder->has_columns)
		has_stamp ^= decoder->unstamped == XT_STAMP_EVERY - 1;
	decoder->unstamped = has_stamp ? 0 : decoder->unstamped + 1;
	if (has_stamp)
		fits = read_stamp(decoder);
	step->stamp = decoder->stamp;
	if (has_stamp && op == XT_OP_REALLOC)
		fits &= read_stamp(decoder);
	if (!fits)
		return "a stamp is too large";
	if (op != XT_OP_FREE) {
		if (!(head & XT_EV_SAME_STACK)) {
			wrong = read_stack(decoder);
			if (wrong)
				return wrong;
		}
		if (!(head & XT_EV_SAME_SIZE))
			decoder->size = read_parted(decoder, XT_COLUMN_SIZE, XT_COLUMN_SIZE_REST);
	}
	if (decoder->has_names && decoder->has_columns) {
		read_names(decoder, head, step);
	} else if (decoder->has_columns) {
		read_columns_addresses(decoder, head, step);
	} else {
		step->old_addr = op != XT_OP_REALLOC
					 ? 0
					 : read_address(decoder, XT_COLUMN_FREED, decoder->old_low);
		step->addr = op == XT_OP_FAILED
				     ? 0
				     : read_address(decoder, XT_COLUMN_ADDR, decoder->low);
	}
	for (int i = 0; i < (int)XT_COLUMNS; i++)
		if (decoder->part[i]->bad)
			return "it is cut short";
	if ((!step->addr && op != XT_OP_FAILED) || (!step->old_addr && op == XT_OP_REALLOC))
		return "the address of a block is 0";
	step->size = op == XT_OP_FREE ? 0 : decoder->size;
	step->usable = decoder->usable;
	step->thread = decoder->thread;
	step->stack = STACK_SUMS_NONE;
	step->is_untracked = decoder->is_untracked;
	step->pool = op == XT_OP_FAILED ? decoder->pool : 0;
	decoder->pool = 0;
	if (op != XT_OP_FREE && op != XT_OP_FAILED && !step->is_untracked) {
		if (decoder->stack == STACK_SUMS_NONE)
			decoder->stack = stack_sums_index(decoder->stacks, decoder->prefix,
							  decoder->frame, decoder->depth);
		step->stack = decoder->stack;
	}
	decoder->usable = 0;
	decoder->low = 0;
	decoder->old_low = 0;
	step->ordinal++;
	step->part = STEP_WHOLE;
	if (step->stamp != decoder->stamp) {
		step->part = STEP_BEGIN;
		put(run, step);
		step->part = STEP_END;
		step->stamp = decoder->stamp;
	}
	put(run, step);
	return NULL;
}

/* All parts from one place, or each from its column. */
static const char *set_parts(struct step_decoder *decoder, bool has_columns, const uint8_t *bytes,
			     uint32_t size)
{
	struct xt_columns head;
	uint64_t at = sizeof(head);

	decoder->has_columns = has_columns;
	step_blocks_forget(decoder->blocks);
	step_nodes_forget(decoder->nodes);
	for (int i = 0; i < (int)XT_COLUMNS; i++)
		decoder->part[i] = &decoder->column[has_columns ? i : 0];
	if (!has_columns) {
		decoder->column[0] = xt_cursor_init(bytes, size);
		return NULL;
	}
	decoder->column[0] = xt_cursor_init(bytes, 0);
	if (size < sizeof(head))
		return "its columns are cut short";
	memcpy(&head, bytes, sizeof(head));
	for (int i = 0; i < (int)XT_COLUMNS; i++) {
		if (head.bytes[i] > size - at)
			return "its columns are cut short";
		decoder->column[i] = xt_cursor_init(bytes + at, head.bytes[i]);
		at += head.bytes[i];
	}
	return at == size ? NULL : "there is more than its columns";
}

/* When the headers have come to their end the other columns have, too. */
static const char *check_ends(const struct step_decoder *decoder)
{
	for (int i = 0; i < (int)XT_COLUMNS; i++)
		if (decoder->part[i]->at != decoder->part[i]->end)
			return "a column is longer than its events";
	return NULL;
}

uint32_t step_decoder_run(struct step_decoder *decoder, const struct raw_chunk *chunk,
			  uint32_t stream, const uint8_t *bytes, uint32_t size,
			  struct step_run *run, const char **wrong)
{
	const struct xt_meta *meta = &chunk->meta;
	struct xt_cursor *const heads = &decoder->column[0];
	struct step step = { .stream = stream, .ordinal = meta->base };

	forget(decoder);
	set_thread(decoder, meta->thread, meta->tid);
	decoder->stamp = meta->first_stamp;
	decoder->usable = 0;
	decoder->unstamped = 0;
	decoder->low = 0;
	decoder->old_low = 0;
	decoder->pool = 0;
	decoder->name = decoder->gone = xt_name(meta->stream, meta->base);
	*wrong = set_parts(decoder, chunk->is_columns, bytes, size);
	while (heads->at != heads->end && !*wrong) {
		const uint8_t head = xt_get_byte(heads);

		if ((head & XT_OP_MASK) != XT_OP_EXT)
			*wrong = read_event(decoder, head, &step, run);
		else if (head & XT_EV_PREDICTED)
			*wrong = "an event is of no known kind";
		else
			*wrong = read_ext(decoder, heads);
	}
	if (!*wrong)
		*wrong = check_ends(decoder);
	return (uint32_t)(step.ordinal - meta->base);
}
