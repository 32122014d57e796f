/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stacks of a chunk of columns that have numbers. Each frame that was pushed is a node, even
 * when a stack was there before: so there are no more than the chunk has bytes.
 */
#ifndef XALLOC_VERIFY_STEP_NODES_H
#define XALLOC_VERIFY_STEP_NODES_H

#include <stdbool.h>
#include <stdint.h>

#define STEP_NODE_NONE UINT32_MAX /* of the empty stack */

struct step_nodes;

struct step_nodes *step_nodes_new(void);
void step_nodes_free(struct step_nodes *nodes);
/* A chunk begins: there are none. */
void step_nodes_forget(struct step_nodes *nodes);

/* The node of a frame that stands on another. */
uint32_t step_nodes_add(struct step_nodes *nodes, uint32_t parent, uint32_t frame);
uint32_t step_nodes_parent(const struct step_nodes *nodes, uint32_t node);
uint32_t step_nodes_frame(const struct step_nodes *nodes, uint32_t node);

/* The stack that ends in the node gets the next number, from 1, as long as there are any. */
void step_nodes_number(struct step_nodes *nodes, uint32_t node, uint32_t depth);
/* False: no stack has it. */
bool step_nodes_numbered(const struct step_nodes *nodes, uint64_t number, uint32_t *node,
			 uint32_t *depth);

#endif
