/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/anonymous_records.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/trace/anonymize.h"
#include "analyzer/trace/chunk.h"
#include "analyzer/trace/chunk_index.h"
#include "analyzer/trace/compact.h"

struct writing {
	const struct pseudonyms *pseudonyms;
	struct trace_output *out;
	uint8_t chunk[XT_SLOT_BYTES]; /* that is being filled */
	uint32_t used;
	uint64_t seq;
};

static void end_chunk(struct writing *w)
{
	const struct xt_meta meta = { .kind = XT_KIND_RECORDS,
				      .seq = w->seq,
				      .raw_bytes = w->used };

	if (!w->used)
		return;
	trace_output_chunk(w->out, meta, w->chunk);
	w->seq++;
	w->used = 0;
}

/* In parts, one behind the other. False: it is larger than any record may be. */
struct part {
	const void *bytes;
	size_t size;
};

static bool put_record(struct writing *w, uint16_t type, const struct part *part, size_t parts)
{
	struct xt_record head = { .type = type, .ready = 1 };
	size_t size = sizeof(head), at;

	for (size_t i = 0; i < parts; i++)
		size += part[i].size;
	size = (size + XT_RECORD_ALIGN - 1) / XT_RECORD_ALIGN * XT_RECORD_ALIGN;
	if (size > sizeof(w->chunk))
		return false;
	if (size > sizeof(w->chunk) - w->used)
		end_chunk(w);
	head.size = (uint32_t)size;
	memset(w->chunk + w->used, 0, size);
	memcpy(w->chunk + w->used, &head, sizeof(head));
	at = w->used + sizeof(head);
	for (size_t i = 0; i < parts; i++) {
		if (part[i].size)
			memcpy(w->chunk + at, part[i].bytes, part[i].size);
		at += part[i].size;
	}
	w->used += (uint32_t)size;
	return true;
}

/* As struct xt_text. The text goes. */
static bool put_text(struct writing *w, uint16_t type, char *text, size_t size)
{
	const struct xt_text head = { (uint32_t)size };
	const struct part part[] = { { &head, sizeof(head) }, { text, size } };
	const bool is_fine = put_record(w, type, part, 2);

	free(text);
	return is_fine;
}

/* NULL: it does not fit. */
static char *get_text(const uint8_t *payload, size_t size, size_t *length)
{
	struct xt_text head;

	if (size < sizeof(head))
		return NULL;
	memcpy(&head, payload, sizeof(head));
	if (head.bytes > size - sizeof(head))
		return NULL;
	*length = head.bytes;
	return xstrndup((const char *)payload + sizeof(head), head.bytes);
}

static bool put_path(struct writing *w, uint16_t type, const uint8_t *payload, size_t size)
{
	size_t length;
	char *text = get_text(payload, size, &length), *path;

	if (!text)
		return false;
	path = pseudonym_path(w->pseudonyms, text);
	free(text);
	return put_text(w, type, path, strlen(path));
}

/* The first argument is a path as a rule, and has the name of the program then. */
static bool put_argv(struct writing *w, const uint8_t *payload, size_t size)
{
	struct xt_text head;
	const char *at = (const char *)payload + sizeof(head), *end;
	char *all = NULL;
	size_t used = 0;

	if (size < sizeof(head))
		return false;
	memcpy(&head, payload, sizeof(head));
	if (head.bytes > size - sizeof(head))
		return false;
	for (end = at + head.bytes; at < end;) {
		const size_t length = strnlen(at, (size_t)(end - at));
		char *text = xstrndup(at, length);
		char *other = used ? pseudonym_name(w->pseudonyms, 'a', text)
				   : pseudonym_path(w->pseudonyms, text);
		const size_t bytes = strlen(other) + 1;

		if (used + bytes <= XT_SLOT_BYTES / 2) { /* else the last ones are left out */
			all = xrealloc(all, used + bytes);
			memcpy(all + used, other, bytes);
			used += bytes;
		}
		free(text);
		free(other);
		at += length + (length < (size_t)(end - at));
	}
	return put_text(w, XT_RECORD_ARGV, all, used);
}

static bool is_common_value(const char *name, const char *value)
{
	static const char *const words[] = { "libunwind", "xalloc", "always", "madvise",
					     "never",     "max",    "yes",    "no" };
	static const char *const names[] = { "kernel", "cpu", "libc", "thp", "cgroup_memory_max" };

	if (!value[strspn(value, "0123456789")])
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i], value))
			return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], name))
			return true;
	return !strcmp(name, "allocator") && !strchr(value, '/');
}

char *anonymous_value(const struct pseudonyms *pseudonyms, const char *name, const char *value)
{
	return is_common_value(name, value) ? xstrdup(value)
					    : pseudonym_name(pseudonyms, 'v', value);
}

static bool put_pair(struct writing *w, uint16_t type, const uint8_t *payload, size_t size)
{
	size_t length;
	char *name = get_text(payload, size, &length);
	char *equals = name ? strchr(name, '=') : NULL, *pair, *other;

	if (!name)
		return false;
	if (!equals) {
		pair = pseudonym_name(w->pseudonyms, 'v', name);
	} else {
		*equals = '\0';
		other = anonymous_value(w->pseudonyms, name, equals + 1);
		pair = xasprintf("%s=%s", name, other);
		free(other);
	}
	free(name);
	return put_text(w, type, pair, strlen(pair));
}

static bool put_message(struct writing *w, const uint8_t *payload, size_t size)
{
	size_t length;
	char *text = get_text(payload, size, &length), *name, *line;

	if (!text)
		return false;
	name = pseudonym_name(w->pseudonyms, 'w', text);
	line = xasprintf("a message that was replaced, %s", name);
	free(text);
	free(name);
	return put_text(w, XT_RECORD_MESSAGE, line, strlen(line));
}

static bool put_module(struct writing *w, const uint8_t *payload, size_t size)
{
	struct xt_module head;
	size_t segment_bytes;
	struct module module = { .path = NULL }, other;
	bool is_fine;

	if (size < sizeof(head))
		return false;
	memcpy(&head, payload, sizeof(head));
	segment_bytes = head.segments * sizeof(struct xt_segment);
	if ((uint64_t)segment_bytes + head.build_id_bytes + head.path_bytes > size - sizeof(head))
		return false;
	payload += sizeof(head);
	module.build_id = (uint8_t *)payload + segment_bytes;
	module.build_id_bytes = head.build_id_bytes;
	module.path =
		xstrndup((const char *)module.build_id + head.build_id_bytes, head.path_bytes);
	other = anonymize_module(&module, w->pseudonyms);
	head.path_bytes = (uint32_t)strlen(other.path);
	{
		const struct part part[] = { { &head, sizeof(head) },
					     { payload, segment_bytes },
					     { other.build_id, other.build_id_bytes },
					     { other.path, head.path_bytes } };

		is_fine = put_record(w, XT_RECORD_MODULE, part, 4);
	}
	free(module.path);
	free(other.path);
	free(other.build_id);
	return is_fine;
}

static bool put_jit_name(struct writing *w, const uint8_t *payload, size_t size)
{
	struct xt_jit_name head;
	char *text, *name;
	bool is_fine;

	if (size < sizeof(head))
		return false;
	memcpy(&head, payload, sizeof(head));
	if (head.bytes > size - sizeof(head))
		return false;
	text = xstrndup((const char *)payload + sizeof(head), head.bytes);
	name = pseudonym_name(w->pseudonyms, 'f', text);
	head.bytes = (uint32_t)strlen(name);
	{
		const struct part part[] = { { &head, sizeof(head) }, { name, head.bytes } };

		is_fine = put_record(w, XT_RECORD_JIT_NAME, part, 2);
	}
	free(text);
	free(name);
	return is_fine;
}

static bool put_thread_name(struct writing *w, const uint8_t *payload, size_t size)
{
	struct xt_thread_name head;
	char *text, *name;
	bool is_fine;

	if (size < sizeof(head))
		return false;
	memcpy(&head, payload, sizeof(head));
	if (head.bytes > size - sizeof(head))
		return false;
	text = xstrndup((const char *)payload + sizeof(head), head.bytes);
	name = pseudonym_name(w->pseudonyms, 't', text);
	head.bytes = (uint32_t)strlen(name);
	{
		const struct part part[] = { { &head, sizeof(head) }, { name, head.bytes } };

		is_fine = put_record(w, XT_RECORD_THREAD_NAME, part, 2);
	}
	free(text);
	free(name);
	return is_fine;
}

/* What a later version has in records of its own is left out. */
static bool put_other(struct writing *w, uint16_t type, const uint8_t *payload, size_t size)
{
	const struct part part = { payload, size };

	switch (type) {
	case XT_RECORD_EXE:
	case XT_RECORD_CWD:
		return put_path(w, type, payload, size);
	case XT_RECORD_ARGV:
		return put_argv(w, payload, size);
	case XT_RECORD_MODULE:
		return put_module(w, payload, size);
	case XT_RECORD_JIT_NAME:
		return put_jit_name(w, payload, size);
	case XT_RECORD_THREAD_NAME:
		return put_thread_name(w, payload, size);
	case XT_RECORD_MESSAGE:
		return put_message(w, payload, size);
	case XT_RECORD_SETTING:
	case XT_RECORD_ENVIRONMENT:
		return put_pair(w, type, payload, size);
	case XT_RECORD_UNLOAD:
	case XT_RECORD_RANGE:
	case XT_RECORD_HEAP:
	case XT_RECORD_ALLOCATOR:
	case XT_RECORD_MAPPING:
		return put_record(w, type, &part, 1);
	default:
		return true;
	}
}

/* As record_reader.c reads them: a record that an equal chunk before has too is the same one. */
static bool put_chunk(struct writing *w, const struct chunk *chunk, const struct chunk *earlier)
{
	size_t at = 0;

	while (chunk->size - at >= sizeof(struct xt_record)) {
		struct xt_record head;

		memcpy(&head, chunk->bytes + at, sizeof(head));
		if (!head.size) {
			if (chunk->size - at < XT_RECORD_ALIGN)
				break;
			at += XT_RECORD_ALIGN;
			continue;
		}
		if (head.size < sizeof(head) || head.size > chunk->size - at)
			return false;
		if (head.ready &&
		    !(earlier->bytes && at + head.size <= earlier->size &&
		      !memcmp(chunk->bytes + at, earlier->bytes + at, head.size)) &&
		    !put_other(w, head.type, chunk->bytes + at + sizeof(head),
			       head.size - sizeof(head)))
			return false;
		at += head.size;
	}
	return true;
}

int anonymous_records_write(struct trace *trace, const struct pseudonyms *pseudonyms,
			    struct trace_output *out, struct err *err)
{
	const struct chunk_index *index = trace_chunks(trace);
	struct writing *w = xcalloc(1, sizeof(*w));
	struct chunk earlier = { .bytes = NULL };
	int ret = 0;

	w->pseudonyms = pseudonyms;
	w->out = out;
	for (size_t i = 0; !ret && i < index->count; i++) {
		const struct chunk_ref *ref = &index->ref[i];
		struct chunk chunk;
		const char *wrong;

		if (ref->kind != XT_KIND_RECORDS)
			continue;
		if (!i || !chunk_ref_is_equal(ref - 1, ref))
			chunk_release(&earlier);
		wrong = chunk_load(trace_reader(trace), ref, &chunk);
		if (!wrong && !put_chunk(w, &chunk, &earlier))
			wrong = "a record in it is damaged";
		if (wrong)
			ret = compact_set_damaged(trace, ref->offset, wrong, err);
		chunk_release(&earlier);
		earlier = chunk;
	}
	chunk_release(&earlier);
	end_chunk(w);
	free(w);
	return ret;
}
