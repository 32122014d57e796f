/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/record_reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"

void process_facts_init(struct process_facts *facts)
{
	*facts = (struct process_facts){ 0 };
	facts->modules = module_map_new();
	jit_names_init(&facts->jit_names);
	thread_names_init(&facts->thread_names);
	mapping_log_init(&facts->mappings);
}

void process_facts_release(struct process_facts *facts)
{
	free(facts->exe);
	free(facts->cwd);
	strlist_release(&facts->argv);
	strlist_release(&facts->messages);
	strlist_release(&facts->settings);
	strlist_release(&facts->environment);
	module_map_free(facts->modules);
	jit_names_release(&facts->jit_names);
	thread_names_release(&facts->thread_names);
	mapping_log_release(&facts->mappings);
	snapshot_log_release(&facts->snapshots);
	*facts = (struct process_facts){ 0 };
}

/* The text of a payload, NULL when it does not fit; *length without a NUL. */
static const char *payload_text(const uint8_t *payload, size_t size, size_t *length)
{
	struct xt_text head;

	if (size < sizeof(head))
		return NULL;
	memcpy(&head, payload, sizeof(head));
	if (head.bytes > size - sizeof(head))
		return NULL;
	*length = head.bytes;
	return (const char *)payload + sizeof(head);
}

static bool read_text(char **text, const uint8_t *payload, size_t size)
{
	size_t length;
	const char *start = payload_text(payload, size, &length);

	if (start && !*text)
		*text = xstrndup(start, length);
	return start;
}

static bool read_line(struct strlist *list, const uint8_t *payload, size_t size)
{
	size_t length;
	const char *start = payload_text(payload, size, &length);

	if (start)
		strlist_take(list, xstrndup(start, length));
	return start;
}

static bool read_argv(struct strlist *list, const uint8_t *payload, size_t size)
{
	size_t length;
	const char *start = payload_text(payload, size, &length);

	if (!start || list->count)
		return start;
	while (length) {
		const size_t argument = strnlen(start, length);

		strlist_take(list, xstrndup(start, argument));
		if (argument == length)
			break;
		start += argument + 1;
		length -= argument + 1;
	}
	return true;
}

static void *copy_part(const uint8_t *bytes, size_t size)
{
	return size ? memcpy(xmalloc(size), bytes, size) : NULL;
}

static bool read_module(struct module_map *modules, const uint8_t *payload, size_t size)
{
	struct module module = { 0 };
	struct xt_module head;
	uint64_t segment_bytes;
	const uint8_t *at;

	if (size < sizeof(head))
		return false;
	memcpy(&head, payload, sizeof(head));
	segment_bytes = (uint64_t)head.segments * sizeof(struct xt_segment);
	if (segment_bytes + head.build_id_bytes + head.path_bytes > size - sizeof(head))
		return false;
	at = payload + sizeof(head);
	module.index = head.index;
	module.first_epoch = head.first_epoch;
	module.map_start = head.map_start;
	module.map_end = head.map_end;
	module.load_bias = head.load_bias;
	module.entry = head.entry;
	module.is_main = head.flags & 1;
	module.segments = head.segments;
	module.segment = copy_part(at, segment_bytes);
	at += segment_bytes;
	module.build_id_bytes = head.build_id_bytes;
	module.build_id = copy_part(at, head.build_id_bytes);
	at += head.build_id_bytes;
	module.path = xstrndup((const char *)at, head.path_bytes);
	module_map_add(modules, &module);
	return true;
}

static bool read_unload(struct module_map *modules, const uint8_t *payload, size_t size)
{
	struct xt_unload unload;

	if (size < sizeof(unload))
		return false;
	memcpy(&unload, payload, sizeof(unload));
	module_map_unload(modules, unload.index, unload.epoch);
	return true;
}

static bool read_jit_name(struct jit_names *names, const uint8_t *payload, size_t size)
{
	struct xt_jit_name head;

	if (size < sizeof(head))
		return false;
	memcpy(&head, payload, sizeof(head));
	if (head.bytes > size - sizeof(head))
		return false;
	jit_names_add(names, head.id, (const char *)payload + sizeof(head), head.bytes);
	return true;
}

static bool read_record(struct process_facts *facts, uint16_t type, const uint8_t *payload,
			size_t size)
{
	switch (type) {
	case XT_RECORD_EXE:
		return read_text(&facts->exe, payload, size);
	case XT_RECORD_CWD:
		return read_text(&facts->cwd, payload, size);
	case XT_RECORD_ARGV:
		return read_argv(&facts->argv, payload, size);
	case XT_RECORD_MODULE:
		return read_module(facts->modules, payload, size);
	case XT_RECORD_UNLOAD:
		return read_unload(facts->modules, payload, size);
	case XT_RECORD_JIT_NAME:
		return read_jit_name(&facts->jit_names, payload, size);
	case XT_RECORD_THREAD_NAME:
		return thread_names_add(&facts->thread_names, payload, size);
	case XT_RECORD_MAPPING:
		return mapping_log_add(&facts->mappings, payload, size);
	case XT_RECORD_SNAPSHOT:
	case XT_RECORD_SNAPSHOT_MAPS:
	case XT_RECORD_SNAPSHOT_PAGES:
	case XT_RECORD_SNAPSHOT_OUTSIDE:
		return snapshot_log_add(&facts->snapshots, type, payload, size);
	case XT_RECORD_RANGE:
		return snapshot_log_add_own(&facts->snapshots, payload, size);
	case XT_RECORD_HEAP:
		if (size >= sizeof(facts->heap))
			memcpy(&facts->heap, payload, sizeof(facts->heap));
		return size >= sizeof(facts->heap);
	case XT_RECORD_ALLOCATOR:
		if (size >= sizeof(facts->allocator))
			memcpy(&facts->allocator, payload, sizeof(facts->allocator));
		return size >= sizeof(facts->allocator);
	case XT_RECORD_MESSAGE:
		return read_line(&facts->messages, payload, size);
	case XT_RECORD_SETTING:
		return read_line(&facts->settings, payload, size);
	case XT_RECORD_ENVIRONMENT:
		return read_line(&facts->environment, payload, size);
	default:
		return true; /* nothing that is shown, or of a later version */
	}
}

/* The `size` bytes at `at` stand there in the earlier chunk too. */
static bool is_known(const struct chunk *chunk, const struct chunk *earlier, size_t at, size_t size)
{
	return earlier->bytes && at + size <= earlier->size &&
	       !memcmp(chunk->bytes + at, earlier->bytes + at, size);
}

void record_reader_run(struct process_facts *facts, const struct chunk *chunk,
		       const struct chunk *earlier, uint64_t offset, struct damage *damage)
{
	const uint8_t *bytes = chunk->bytes;
	const size_t size = chunk->size;
	size_t at = 0;

	while (size - at >= sizeof(struct xt_record)) {
		struct xt_record head;

		memcpy(&head, bytes + at, sizeof(head));
		if (!head.size) {
			if (size - at < XT_RECORD_ALIGN)
				break;
			at += XT_RECORD_ALIGN;
			continue;
		}
		if (head.size % XT_RECORD_ALIGN || head.size > size - at) {
			damage_add(damage, 0,
				   "offset %" PRIu64 ": a record is damaged; those after it "
				   "in its chunk are not read",
				   offset);
			break;
		}
		if (head.ready && !is_known(chunk, earlier, at, head.size) &&
		    !read_record(facts, head.type, bytes + at + sizeof(head),
				 head.size - sizeof(head)))
			damage_add(damage, 0, "offset %" PRIu64 ": a record of type %u is damaged",
				   offset, head.type);
		at += head.size;
	}
}
