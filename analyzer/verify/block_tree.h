/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The blocks that are live, sorted by address: a B+ tree, so that a block's neighbours are at hand
 * and none can lie across another unseen.
 */
#ifndef XALLOC_VERIFY_BLOCK_TREE_H
#define XALLOC_VERIFY_BLOCK_TREE_H

#include <stdint.h>

struct held {
	uint64_t addr;
	uint64_t size, usable;
	uint64_t call;      /* which of its thread's allocation calls made it, from 1 */
	uint32_t stack;     /* in stack_sums */
	uint32_t thread;    /* in thread_list */
	uint32_t moving_by; /* stream, from 0, whose realloc of it has begun; UINT32_MAX: none */
	uint8_t is_new;     /* of an operator new that did without malloc in that call */
	uint8_t is_doubted; /* bytes of it were handed out again */
	uint8_t is_untracked; /* it came while recording was paused: in no figure */
};

struct block_tree {
	struct tree_node *root;
	uint32_t height; /* levels above the leaves */
	uint64_t count;
};

void block_tree_init(struct block_tree *tree);
void block_tree_release(struct block_tree *tree);

/* The block with the greatest address up to addr, and the one with the least address above it; NULL
 * where there is none. Valid until the next add or remove. */
struct neighbours {
	struct held *floor, *above;
};
struct neighbours block_tree_around(const struct block_tree *tree, uint64_t addr);
/* The block at addr, or NULL. */
struct held *block_tree_at(const struct block_tree *tree, uint64_t addr);
/* There must be none at its address yet; there must be one. */
void block_tree_add(struct block_tree *tree, const struct held *held);
void block_tree_remove(struct block_tree *tree, uint64_t addr);

#endif
