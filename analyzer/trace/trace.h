/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A trace file, opened: its header, the process that it is of, its modules, frame ids and where its
 * chunks of events are. Events themselves are read by replay (model/replay.h).
 *
 * What is returned stays the trace's own and is valid until trace_close. A trace of a process that
 * is still running is read as it was when it was opened.
 */
#ifndef XALLOC_TRACE_TRACE_H
#define XALLOC_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/err.h"
#include "analyzer/base/strlist.h"
#include "analyzer/base/warnings.h"
#include "analyzer/trace/damage.h"
#include "analyzer/trace/frame_table.h"
#include "analyzer/trace/jit_names.h"
#include "analyzer/trace/mapping_log.h"
#include "analyzer/trace/module_map.h"
#include "analyzer/trace/snapshot_log.h"
#include "analyzer/trace/thread_names.h"
#include "preload/trace/format.h"

struct trace;
struct chunk_index;
struct chunk_reader;

/* -1: no file, no regular file, empty, no trace, a version that we do not understand, not
 * readable. */
int trace_open(struct trace **out, const char *path, struct err *err);
void trace_close(struct trace *trace); /* NULL is fine */

const char *trace_path(const struct trace *trace);
const struct xt_header *trace_header(const struct trace *trace);
const char *trace_exe(const struct trace *trace); /* NULL: not known */
const char *trace_cwd(const struct trace *trace); /* NULL: not known */
size_t trace_argc(const struct trace *trace);
char *const *trace_argv(const struct trace *trace); /* argc strings, then NULL */
const struct module_map *trace_modules(const struct trace *trace);
const struct frame_table *trace_frames(const struct trace *trace);
const struct jit_names *trace_jit_names(const struct trace *trace);
const struct thread_names *trace_thread_names(const struct trace *trace);
const struct mapping_log *trace_mappings(const struct trace *trace);
const struct snapshot_log *trace_snapshots(const struct trace *trace);
/* What the allocator said of its heap at the end, or why it was not asked; NULL: neither. */
const struct xt_heap *trace_heap(const struct trace *trace);
/* The same of an allocator that is not glibc's and can be asked. */
const struct xt_allocator *trace_allocator(const struct trace *trace);
const struct strlist *trace_settings(const struct trace *trace);    /* NAME=VALUE */
const struct strlist *trace_environment(const struct trace *trace); /* NAME=VALUE */

/* Found while it was read; replay adds to them. Includes the recorder's messages. */
const struct warnings *trace_warnings(const struct trace *trace);
/* Something was torn, missing or contradicts itself. True also when replay found it. */
bool trace_is_damaged(const struct trace *trace);
/* Its file was locked, so its process alive, when it was opened. */
/* The file's size, and what of it takes room on the disk; 0: not known. */
uint64_t trace_file_bytes(const struct trace *trace);
uint64_t trace_disk_bytes(const struct trace *trace);
bool trace_is_live(const struct trace *trace);
/* Calls that are not in the trace: those that the recorder counted and those in gaps and damaged
 * chunks. Complete only after replay. */
uint64_t trace_lost_events(const struct trace *trace);
/* No event before the end of the process is missing, however it ended. Only after replay. */
bool trace_is_complete(const struct trace *trace);

/* What a compact trace may be without: then blocks have names that say nothing of where they were,
 * and stamps say what came first but not when. */
enum trace_part { TRACE_ADDRESSES, TRACE_STAMPS };
bool trace_has_dropped(const struct trace *trace, enum trace_part part);

/* For the rest of trace/ and model/. */
const struct chunk_index *trace_chunks(const struct trace *trace);
struct chunk_reader *trace_reader(struct trace *trace);
/* Another one, for who reads while others do; chunk_reader_free. */
struct chunk_reader *trace_reader_new(struct trace *trace);
/* Where those who read on tell what they find wrong. */
struct damage *trace_damage(struct trace *trace);

#endif
