/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An order of stacks by their names, so that every listing is the same each time. */
#ifndef XALLOC_REPORT_TREE_ORDER_H
#define XALLOC_REPORT_TREE_ORDER_H

#include <stdint.h>

#include "analyzer/symbols/symbolizer.h"
#include "analyzer/trace/stack_tree.h"

/*
 * For a tree whose frames are numbers of names: the rank of each node when stacks are compared name
 * by name from the root, by bytes, a caller before what it calls. Owned by the caller. Linear in
 * the nodes.
 */
uint32_t *tree_order_build(const struct stack_tree *tree, const struct symbolizer *symbolizer);

#endif
