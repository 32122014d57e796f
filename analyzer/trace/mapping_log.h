/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the program mapped and gave back, from the records of a trace: struct xt_mapping as it was
 * written, with the stack as a node of a tree of the log's own.
 */
#ifndef XALLOC_TRACE_MAPPING_LOG_H
#define XALLOC_TRACE_MAPPING_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/trace/stack_tree.h"
#include "preload/trace/format.h"

struct mapping_call {
	struct xt_mapping record;
	uint32_t node; /* of the log's tree; 0: there is no stack */
};

struct mapping_log {
	struct mapping_call *call; /* after mapping_log_seal in the order of their second stamps */
	size_t calls, room;
	struct stack_tree *tree;
};

void mapping_log_init(struct mapping_log *log);
void mapping_log_release(struct mapping_log *log);

/* The payload of one record. False: it is damaged. */
bool mapping_log_add(struct mapping_log *log, const uint8_t *payload, size_t size);
/* All were added. */
void mapping_log_seal(struct mapping_log *log);

#endif
