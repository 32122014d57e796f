/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/trace.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/trace/chunk.h"
#include "analyzer/trace/chunk_index.h"
#include "analyzer/trace/damage.h"
#include "analyzer/trace/record_reader.h"
#include "analyzer/trace/trace_file.h"
#include "analyzer/trace/trace_header.h"

#define LIVE_LOOKS 3 /* at the header of a running process that looks damaged */

struct trace {
	char *path;
	struct trace_file file;
	struct xt_header header;
	struct chunk_index index;
	struct chunk_reader *reader;
	struct frame_table *frames;
	struct process_facts facts;
	struct damage damage;
};

static int read_header(struct trace *trace, struct err *err)
{
	struct xt_header *header = &trace->header;
	unsigned looks = LIVE_LOOKS;
	const char *wrong;

	do { /* a clock pair may change while it is read */
		if (trace_header_load(header, &trace->file, trace->path, &wrong, err))
			return -1;
	} while (wrong && trace->file.is_live && --looks);
	if (wrong)
		damage_add(&trace->damage, 0, "offset %u: the header is damaged: %s",
			   XT_FRAME_HEAD_BYTES, wrong);
	if (header->last_pair_index > 2)
		header->last_pair_index = 0;
	return 0;
}

static void add_frames(struct trace *trace, const struct chunk_ref *ref, const struct chunk *chunk)
{
	if (!frame_table_add(trace->frames, chunk->base, (const struct xt_id *)chunk->bytes,
			     chunk->size / sizeof(struct xt_id)))
		damage_add(&trace->damage, 0, "offset %" PRIu64 ": impossible frame ids",
			   ref->offset);
}

/* Returns the chunk for comparison with the next one; the caller's to release. */
static struct chunk read_chunk(struct trace *trace, const struct chunk_ref *ref,
			       const struct chunk *earlier)
{
	struct chunk chunk;
	const char *wrong = chunk_load(trace->reader, ref, &chunk);

	if (wrong)
		damage_add(&trace->damage, 0, "offset %" PRIu64 ": a chunk of %s is damaged: %s",
			   ref->offset, chunk_kind_name(ref->kind), wrong);
	else if (ref->kind == XT_KIND_IDS)
		add_frames(trace, ref, &chunk);
	else
		record_reader_run(&trace->facts, &chunk, earlier, ref->offset, &trace->damage);
	return chunk;
}

static void read_chunks(struct trace *trace)
{
	struct chunk earlier = { .bytes = NULL };

	for (size_t i = 0; i < trace->index.count; i++) {
		const struct chunk_ref *ref = &trace->index.ref[i];
		struct chunk chunk;

		if (ref->kind == XT_KIND_EVENTS)
			continue;
		if (!i || !chunk_ref_is_equal(ref - 1, ref))
			chunk_release(&earlier);
		chunk = read_chunk(trace, ref, &earlier);
		chunk_release(&earlier);
		earlier = chunk;
	}
	chunk_release(&earlier);
	module_map_seal(trace->facts.modules);
	mapping_log_seal(&trace->facts.mappings);
	snapshot_log_seal(&trace->facts.snapshots);
	for (size_t i = 0; i < trace->facts.messages.count; i++)
		warnings_add(&trace->damage.warnings, "the recorder: %s",
			     trace->facts.messages.text[i]);
}

/* A copy that was cut between two frames shows in nothing else. */
static void check_end(struct trace *trace)
{
	const struct xt_header *header = &trace->header;

	if (header->is_compact) {
		if (!trace->index.has_totals)
			damage_add(&trace->damage, 0,
				   "offset %" PRIu64 ": the totals, which every compact trace has, "
				   "are missing: the file is cut or damaged",
				   trace->file.size);
	} else if (!trace->index.windows && !trace->index.has_totals)
		damage_add(&trace->damage, 0,
			   "offset %u: there is no live window: the file is cut or damaged",
			   XT_PAGE_BYTES);
	else if (header->state == XT_STATE_ENDED && header->exit_kind == XT_EXIT_STATUS &&
		 !header->stop_reason && !trace->index.has_totals)
		damage_add(&trace->damage, 0,
			   "offset %" PRIu64 ": the totals, which the recorder "
			   "writes at a clean end, are missing: the file is cut or damaged",
			   trace->file.size);
}

int trace_open(struct trace **out, const char *path, struct err *err)
{
	struct trace *trace = xcalloc(1, sizeof(*trace));

	*out = NULL;
	trace->path = xstrdup(path);
	trace->file.fd = -1;
	trace->frames = frame_table_new();
	process_facts_init(&trace->facts);
	if (trace_file_open(&trace->file, path, err) || read_header(trace, err)) {
		trace_close(trace);
		return -1;
	}
	chunk_index_build(&trace->index, &trace->file, &trace->damage);
	check_end(trace);
	trace->reader = chunk_reader_new(&trace->file, &trace->index);
	read_chunks(trace);
	*out = trace;
	return 0;
}

void trace_close(struct trace *trace)
{
	if (!trace)
		return;
	trace_file_close(&trace->file);
	chunk_reader_free(trace->reader);
	chunk_index_release(&trace->index);
	frame_table_free(trace->frames);
	process_facts_release(&trace->facts);
	warnings_release(&trace->damage.warnings);
	free(trace->path);
	free(trace);
}

const char *trace_path(const struct trace *trace)
{
	return trace->path;
}

const struct xt_header *trace_header(const struct trace *trace)
{
	return &trace->header;
}

const char *trace_exe(const struct trace *trace)
{
	return trace->facts.exe;
}

const char *trace_cwd(const struct trace *trace)
{
	return trace->facts.cwd;
}

size_t trace_argc(const struct trace *trace)
{
	return trace->facts.argv.count;
}

char *const *trace_argv(const struct trace *trace)
{
	static char *const none[] = { NULL };

	return trace->facts.argv.count ? trace->facts.argv.text : none;
}

const struct module_map *trace_modules(const struct trace *trace)
{
	return trace->facts.modules;
}

const struct frame_table *trace_frames(const struct trace *trace)
{
	return trace->frames;
}

const struct jit_names *trace_jit_names(const struct trace *trace)
{
	return &trace->facts.jit_names;
}

const struct thread_names *trace_thread_names(const struct trace *trace)
{
	return &trace->facts.thread_names;
}

const struct mapping_log *trace_mappings(const struct trace *trace)
{
	return &trace->facts.mappings;
}

const struct snapshot_log *trace_snapshots(const struct trace *trace)
{
	return &trace->facts.snapshots;
}

const struct xt_heap *trace_heap(const struct trace *trace)
{
	return trace->facts.heap.state ? &trace->facts.heap : NULL;
}

const struct xt_allocator *trace_allocator(const struct trace *trace)
{
	return trace->facts.allocator.state ? &trace->facts.allocator : NULL;
}

const struct strlist *trace_settings(const struct trace *trace)
{
	return &trace->facts.settings;
}

const struct strlist *trace_environment(const struct trace *trace)
{
	return &trace->facts.environment;
}

const struct warnings *trace_warnings(const struct trace *trace)
{
	return &trace->damage.warnings;
}

bool trace_is_damaged(const struct trace *trace)
{
	return trace->damage.found;
}

uint64_t trace_file_bytes(const struct trace *trace)
{
	return trace->file.size;
}

uint64_t trace_disk_bytes(const struct trace *trace)
{
	return trace_file_disk_bytes(&trace->file);
}

bool trace_is_live(const struct trace *trace)
{
	return trace->file.is_live;
}

uint64_t trace_lost_events(const struct trace *trace)
{
	uint64_t lost;

	if (__builtin_add_overflow(trace->header.lost_events / XT_SURE, trace->damage.lost_events,
				   &lost))
		return UINT64_MAX;
	return lost;
}

bool trace_is_complete(const struct trace *trace)
{
	return !trace_lost_events(trace) && !trace_is_damaged(trace) &&
	       !trace->header.stop_reason && !trace_is_live(trace);
}

bool trace_has_dropped(const struct trace *trace, enum trace_part part)
{
	if (part == TRACE_ADDRESSES)
		return trace->header.usable_rule == XT_USABLE_NO_ADDRESSES;
	return trace->header.clock == XT_CLOCK_ORDER;
}

const struct chunk_index *trace_chunks(const struct trace *trace)
{
	return &trace->index;
}

struct chunk_reader *trace_reader(struct trace *trace)
{
	return trace->reader;
}

struct chunk_reader *trace_reader_new(struct trace *trace)
{
	return chunk_reader_new(&trace->file, &trace->index);
}

struct damage *trace_damage(struct trace *trace)
{
	return &trace->damage;
}
