/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stacks of chunks that are read, one behind the other, and of the large one that is written of
 * them: each has numbers of its own for them.
 */
#ifndef XALLOC_TRACE_COLUMN_STACKS_H
#define XALLOC_TRACE_COLUMN_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/trace/stack_tree.h"
#include "preload/trace/codec.h"

struct column_stacks {
	struct stack_tree *tree; /* a stack's value is its number in what is written */
	uint32_t *path;          /* path[depth] is the current stack, path[0] the empty one */
	uint32_t depth;
	uint32_t *next; /* the one that was read; as path up to common */
	uint32_t next_depth, common;
	uint32_t *read, *written; /* the stacks that have numbers, number n at n - 1 */
	uint32_t reads, writes;
};

void column_stacks_init(struct column_stacks *stacks);
void column_stacks_release(struct column_stacks *stacks);

/* In a new chunk that is read, or written, no stack has a number. The current one is empty. */
void column_stacks_begin_read(struct column_stacks *stacks);
void column_stacks_begin_write(struct column_stacks *stacks);
void column_stacks_clear(struct column_stacks *stacks);

/* What comes next, by how it differs from the current one, or by its number. False: it is damaged.
 */
bool column_stacks_read(struct column_stacks *stacks, struct xt_cursor *in);
bool column_stacks_call(struct column_stacks *stacks, uint64_t number);

/* The number of what comes next in what is written; 0: none yet. */
uint32_t column_stacks_number(const struct column_stacks *stacks);

/* What comes next is the current one, and gets the next number where it has none and was written,
 * or read, frame by frame. */
void column_stacks_take(struct column_stacks *stacks, bool has_read, bool has_written);

#endif
