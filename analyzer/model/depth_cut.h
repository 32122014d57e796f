/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The recorder keeps somewhat more frames than it was asked for; here every stack gets exactly the
 * number of the setting, so that stacks which differ only beyond it are one.
 */
#ifndef XALLOC_MODEL_DEPTH_CUT_H
#define XALLOC_MODEL_DEPTH_CUT_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/result.h"
#include "analyzer/trace/stack_tree.h"

/* Stacks of more than depth frames keep that many from the leaf under one root XT_ID_ELIDED.
 * Returns how many stacks are left; those that became equal are added up. The values of the tree's
 * nodes become the indexes of their stacks. */
size_t depth_cut_run(struct stack_tree *tree, struct stack_totals *stack, size_t stacks,
		     uint32_t depth);
/* After that: the index of the stack that one of that node became, whether it was cut or not. */
uint32_t depth_cut_index(struct stack_tree *tree, uint32_t node, uint32_t depth);

#endif
