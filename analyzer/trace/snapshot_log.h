/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The residency snapshots of a trace, from its records: which pages of the process's memory were
 * there at some moments, and the list of its mappings then.
 */
#ifndef XALLOC_TRACE_SNAPSHOT_LOG_H
#define XALLOC_TRACE_SNAPSHOT_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/trace/format.h"

struct snapshot {
	struct xt_snapshot head; /* its number is from 0 on by time, whoever took it */
	/* Taken by another process while this one went on, so much of it: else zeros. */
	bool is_outside;
	struct xt_snapshot_outside outside;
	bool is_whole; /* all of its parts are there */
	char *maps;    /* text of /proc/self/maps, NUL ended; "": none */
	size_t maps_bytes;
	struct xt_pages *pages; /* whole runs, by address, no two overlap */
	size_t runs;
	uint32_t maps_parts, pages_parts; /* seen so far */
};

struct snapshot_log {
	struct snapshot
		*snapshot; /* after snapshot_log_seal by their numbers, only those with a head */
	size_t count, room;
	struct xt_range *own; /* mappings of the recorder's own */
	size_t owns;
};

void snapshot_log_release(struct snapshot_log *log);

/* The payload of a record of one of the four types. False: it is damaged. */
bool snapshot_log_add(struct snapshot_log *log, uint16_t type, const uint8_t *payload, size_t size);
bool snapshot_log_add_own(struct snapshot_log *log, const uint8_t *payload, size_t size);
/* All were added. */
void snapshot_log_seal(struct snapshot_log *log);

#endif
