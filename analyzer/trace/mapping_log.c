/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/mapping_log.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"

void mapping_log_init(struct mapping_log *log)
{
	*log = (struct mapping_log){ .tree = stack_tree_new() };
}

void mapping_log_release(struct mapping_log *log)
{
	free(log->call);
	stack_tree_free(log->tree);
	*log = (struct mapping_log){ .calls = 0 };
}

/* A range of whole pages that does not wrap around. */
static bool is_range(uint64_t start, uint64_t bytes)
{
	return !((start | bytes) & (XT_PAGE_BYTES - 1)) && start + bytes >= start;
}

static bool is_possible(const struct xt_mapping *record)
{
	return record->what >= XT_MAPPING_MAP && record->what <= XT_MAPPING_BREAK &&
	       record->frames <= XT_MAPPING_FRAMES_MAX && is_range(record->start, record->bytes) &&
	       is_range(record->old_start, record->old_bytes);
}

bool mapping_log_add(struct mapping_log *log, const uint8_t *payload, size_t size)
{
	struct mapping_call call = { .node = 0 };

	if (size < sizeof(call.record))
		return false;
	memcpy(&call.record, payload, sizeof(call.record));
	if (!is_possible(&call.record) ||
	    call.record.frames > (size - sizeof(call.record)) / sizeof(uint32_t))
		return false;
	for (uint32_t i = 0; i < call.record.frames; i++) {
		uint32_t id;

		memcpy(&id, payload + sizeof(call.record) + i * sizeof(id), sizeof(id));
		if (!id || id >= XT_IDS_MAX)
			return false;
		call.node = stack_tree_child(log->tree, call.node, id);
	}
	if (!call.record.stamp0) /* it began before the recording did */
		call.record.stamp0 = call.record.stamp1;
	if (log->calls == log->room) {
		log->room = log->room * 2 + 64;
		log->call = xreallocarray(log->call, log->room, sizeof(*log->call));
	}
	log->call[log->calls++] = call;
	return true;
}

static int compare_calls(const void *left, const void *right)
{
	const struct xt_mapping *a = &((const struct mapping_call *)left)->record;
	const struct xt_mapping *b = &((const struct mapping_call *)right)->record;

	if (a->stamp1 != b->stamp1)
		return a->stamp1 < b->stamp1 ? -1 : 1;
	return a->stamp0 < b->stamp0 ? -1 : a->stamp0 > b->stamp0;
}

void mapping_log_seal(struct mapping_log *log)
{
	if (log->calls)
		qsort(log->call, log->calls, sizeof(*log->call), compare_calls);
}
