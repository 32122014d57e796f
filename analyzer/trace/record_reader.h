/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the records of a trace say about its process. */
#ifndef XALLOC_TRACE_RECORD_READER_H
#define XALLOC_TRACE_RECORD_READER_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/strlist.h"
#include "analyzer/trace/chunk.h"
#include "analyzer/trace/damage.h"
#include "analyzer/trace/jit_names.h"
#include "analyzer/trace/mapping_log.h"
#include "analyzer/trace/module_map.h"
#include "analyzer/trace/snapshot_log.h"
#include "analyzer/trace/thread_names.h"
#include "preload/trace/format.h"

struct process_facts {
	char *exe, *cwd; /* NULL: no such record */
	struct strlist argv, messages, settings, environment;
	struct module_map *modules;
	struct jit_names jit_names;
	struct thread_names thread_names;
	struct mapping_log mappings;
	struct snapshot_log snapshots;
	struct xt_heap heap;           /* its state 0: no such record */
	struct xt_allocator allocator; /* the same */
};

void process_facts_init(struct process_facts *facts);
void process_facts_release(struct process_facts *facts);

/*
 * Reads one chunk of records; offset is where it stands in the file, for the words of a damage.
 * earlier: the same chunk as it was read before, without bytes if it was not; a record that stands
 * in both is the same one.
 */
void record_reader_run(struct process_facts *facts, const struct chunk *chunk,
		       const struct chunk *earlier, uint64_t offset, struct damage *damage);

#endif
