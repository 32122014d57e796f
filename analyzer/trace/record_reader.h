/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the records of a trace say about its process. */
#ifndef XALLOC_TRACE_RECORD_READER_H
#define XALLOC_TRACE_RECORD_READER_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/strlist.h"
#include "analyzer/trace/damage.h"
#include "analyzer/trace/module_map.h"
#include "preload/trace/format.h"

struct process_facts {
	char *exe, *cwd; /* NULL: no such record */
	struct strlist argv, messages, settings;
	struct module_map *modules;
	struct xt_range *range;
	size_t ranges, range_capacity;
};

void process_facts_init(struct process_facts *facts);
void process_facts_release(struct process_facts *facts);

/* The bytes of one records chunk; offset is where it stands in the file, for the words of a
 * damage. */
void record_reader_run(struct process_facts *facts, const uint8_t *bytes, size_t size,
		       uint64_t offset, struct damage *damage);

#endif
