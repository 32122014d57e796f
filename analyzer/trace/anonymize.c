/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/anonymize.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/trace/anonymous_records.h"
#include "analyzer/trace/compact.h"
#include "preload/trace/codec.h"

struct anonymize {
	struct trace *trace;
	const struct pseudonyms *pseudonyms;
	struct xt_header header;
};

/* --- marks and pools: the only texts among events stand in the first column */

struct bytes {
	uint8_t *at;
	size_t used, room;
};

static void put(struct bytes *out, const void *from, size_t size)
{
	if (size > out->room - out->used) {
		out->room = out->room * 2 + size;
		out->at = xrealloc(out->at, out->room);
	}
	memcpy(out->at + out->used, from, size);
	out->used += size;
}

/* Bytes of an EXT's payload before its text; all of them: it has none. */
static size_t before_text(uint8_t type, const uint8_t *payload, size_t size)
{
	struct xt_cursor in = xt_cursor_init(payload, size);

	if (type != XT_EXT_MARK && type != XT_EXT_POOL)
		return size;
	xt_get_byte(&in);
	if (type == XT_EXT_POOL) {
		xt_get_varint(&in);
		xt_get_varint(&in);
	}
	return in.bad ? size : (size_t)(in.at - payload);
}

/* What a later version says in its own EXTs is not for others. */
static bool is_known_ext(uint8_t type)
{
	return type >= XT_EXT_THREAD && type <= XT_EXT_POOL;
}

/* It means the phase before the first mark. */
static bool is_common_mark(uint8_t type, const char *text)
{
	return type == XT_EXT_MARK && !strcmp(text, "start");
}

/* head: its first byte. A name is shorter than 100 bytes, so a varint of its length has one. */
static bool move_ext(const struct anonymize *a, struct xt_cursor *in, uint8_t head,
		     struct bytes *out)
{
	const uint8_t type = xt_get_byte(in);
	const uint64_t size = xt_get_varint(in);
	const uint8_t *payload = in->at;
	char *text, *name;
	size_t kept;
	uint8_t start[3];

	if (in->bad || size > (uint64_t)(in->end - in->at))
		return false;
	in->at += size;
	if (!is_known_ext(type))
		return true;
	kept = before_text(type, payload, size);
	text = xstrndup((const char *)payload + kept, size - kept);
	name = is_common_mark(type, text) ? xstrdup(text)
					  : pseudonym_name(a->pseudonyms, 'm', text);
	start[0] = head;
	start[1] = type;
	start[2] = (uint8_t)(kept + strlen(name));
	if (kept + strlen(name) < 128) {
		put(out, start, sizeof(start));
		put(out, payload, kept);
		put(out, name, strlen(name));
	}
	free(text);
	free(name);
	return kept < 100;
}

static bool move_heads(const struct anonymize *a, struct xt_cursor *in, struct bytes *out)
{
	while (in->at < in->end) {
		const uint8_t *start = in->at;
		const uint8_t head = xt_get_byte(in), op = head & XT_OP_MASK;

		if (op == XT_OP_EXT) {
			if (!move_ext(a, in, head, out))
				return false;
			continue;
		}
		if (op == XT_OP_ALIGNED || op == XT_OP_FAILED)
			xt_get_byte(in);
		if (in->bad)
			return false;
		put(out, start, (size_t)(in->at - start));
	}
	return true;
}

static bool edit_columns(void *owner, uint8_t **payload, struct xt_meta *meta)
{
	struct xt_columns head;
	struct bytes heads = { .at = NULL }, out = { .at = NULL };
	struct xt_cursor in;
	size_t rest;
	bool is_fine;

	if (meta->raw_bytes < sizeof(head))
		return false;
	memcpy(&head, *payload, sizeof(head));
	if (head.bytes[XT_COLUMN_HEAD] > meta->raw_bytes - sizeof(head))
		return false;
	in = xt_cursor_init(*payload + sizeof(head), head.bytes[XT_COLUMN_HEAD]);
	is_fine = move_heads(owner, &in, &heads);
	rest = sizeof(head) + head.bytes[XT_COLUMN_HEAD];
	head.bytes[XT_COLUMN_HEAD] = (uint32_t)heads.used;
	put(&out, &head, sizeof(head));
	put(&out, heads.at, heads.used);
	put(&out, *payload + rest, meta->raw_bytes - rest);
	free(heads.at);
	free(*payload);
	*payload = out.at;
	meta->raw_bytes = (uint32_t)out.used;
	return is_fine && out.used <= XT_COLUMNS_BYTES_MAX;
}

struct module anonymize_module(const struct module *module, const struct pseudonyms *pseudonyms)
{
	struct module other = *module;

	other.path = pseudonym_path(pseudonyms, module->path);
	other.build_id = module->build_id_bytes ? xmalloc(module->build_id_bytes) : NULL;
	if (other.build_id)
		pseudonym_bytes(pseudonyms, module->build_id, module->build_id_bytes,
				other.build_id);
	return other;
}

static int put_records(void *owner, struct trace_output *out, struct err *err)
{
	const struct anonymize *a = owner;

	return anonymous_records_write(a->trace, a->pseudonyms, out, err);
}

/* Traces of one machine and boot are still known to be. */
static void set_boot(struct xt_header *header, const struct pseudonyms *pseudonyms)
{
	char *boot = xstrndup(header->boot_id, sizeof(header->boot_id));
	char *other = pseudonym_name(pseudonyms, 'b', boot);

	memset(header->boot_id, 0, sizeof(header->boot_id));
	memcpy(header->boot_id, other, strlen(other));
	free(boot);
	free(other);
}

int anonymize_write(struct trace *trace, const char *path, const char *name,
		    const struct pseudonyms *pseudonyms, struct err *err)
{
	struct anonymize a = { trace, pseudonyms, *trace_header(trace) };
	const struct compact_edit edit = { &a.header, edit_columns, put_records, &a };

	set_boot(&a.header, pseudonyms);
	return compact_write(trace, path, name, &edit, err);
}
