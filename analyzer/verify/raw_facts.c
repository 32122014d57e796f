/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/verify/raw_facts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/verify/check_list.h"

#define BLOCK_IDS (XT_SLOT_BYTES / sizeof(struct xt_id))

static void read_ids(struct raw_facts *facts, uint64_t base, const uint8_t *bytes, uint32_t size)
{
	struct id_block *block;

	if (!facts->blocks || facts->block[facts->blocks - 1].base != base) {
		facts->block = xreallocarray(facts->block, facts->blocks + 1,
					     sizeof(*facts->block));
		facts->block[facts->blocks++] = (struct id_block){ .base = base };
	}
	block = &facts->block[facts->blocks - 1];
	for (uint32_t i = 0; i < size / sizeof(struct xt_id); i++) {
		struct xt_id id;

		memcpy(&id, bytes + i * sizeof(id), sizeof(id));
		if (id.flags & XT_IDF_READY)
			block->bits[i / 64] |= UINT64_C(1) << i % 64;
	}
}

static void read_variable(struct raw_facts *facts, const uint8_t *payload, size_t size)
{
	static const char libc[] = "libc=", tunables[] = "env.GLIBC_TUNABLES=";
	struct xt_text head;
	const char *text;

	if (size < sizeof(head))
		return;
	memcpy(&head, payload, sizeof(head));
	text = (const char *)payload + sizeof(head);
	if (head.bytes > size - sizeof(head))
		return;
	if (!facts->libc && head.bytes >= strlen(libc) && !memcmp(text, libc, strlen(libc)))
		facts->libc = xstrndup(text + strlen(libc), head.bytes - strlen(libc));
	if (!facts->tunables && head.bytes >= strlen(tunables) &&
	    !memcmp(text, tunables, strlen(tunables)))
		facts->tunables = xstrndup(text + strlen(tunables), head.bytes - strlen(tunables));
}

static void read_module(struct raw_facts *facts, const uint8_t *payload, size_t size)
{
	struct xt_module module;

	if (size < sizeof(module))
		return;
	memcpy(&module, payload, sizeof(module));
	facts->module = xreallocarray(facts->module, facts->modules + 1, sizeof(*facts->module));
	facts->module[facts->modules++] =
		(struct xt_range){ .start = module.map_start, .end = module.map_end };
}

static void read_records(struct raw_facts *facts, const uint8_t *bytes, uint32_t size)
{
	struct xt_record head;

	for (uint32_t at = 0; size - at >= sizeof(head); at += head.size) {
		memcpy(&head, bytes + at, sizeof(head));
		if (!head.size) {
			head.size = XT_RECORD_ALIGN;
			if (head.size > size - at)
				return;
			continue;
		}
		if (head.size < sizeof(head) || head.size > size - at)
			return;
		if (!head.ready)
			continue;
		if (head.type == XT_RECORD_ENVIRONMENT)
			read_variable(facts, bytes + at + sizeof(head), head.size - sizeof(head));
		if (head.type == XT_RECORD_MODULE)
			read_module(facts, bytes + at + sizeof(head), head.size - sizeof(head));
		if (head.type == XT_RECORD_HEAP && !facts->has_heap &&
		    head.size >= sizeof(head) + sizeof(facts->heap)) {
			memcpy(&facts->heap, bytes + at + sizeof(head), sizeof(facts->heap));
			facts->has_heap = true;
		}
	}
}

static int compare_ranges(const void *left, const void *right)
{
	const struct xt_range *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* What was loaded where another module had been is one range with it. */
static void join_modules(struct raw_facts *facts)
{
	size_t kept = 0;

	if (facts->modules)
		qsort(facts->module, facts->modules, sizeof(*facts->module), compare_ranges);
	for (size_t i = 0; i < facts->modules; i++) {
		struct xt_range *last = kept ? &facts->module[kept - 1] : NULL;

		if (!last || last->end < facts->module[i].start)
			facts->module[kept++] = facts->module[i];
		else if (last->end < facts->module[i].end)
			last->end = facts->module[i].end;
	}
	facts->modules = kept;
}

static int compare_blocks(const void *left, const void *right)
{
	const struct id_block *a = left, *b = right;

	return a->base < b->base ? -1 : a->base > b->base;
}

void raw_facts_read(struct raw_facts *facts, const struct raw_trace *trace,
		    struct verify_report *report)
{
	uint8_t *bytes = xmalloc(trace->bytes_max);

	*facts = (struct raw_facts){ 0 };
	for (size_t i = 0; i < trace->chunks; i++) {
		const struct raw_chunk *chunk = &trace->chunk[i];
		struct err wrong;
		uint32_t size;

		if (chunk->meta.kind == XT_KIND_EVENTS)
			continue;
		if (raw_trace_unpack(trace, chunk, bytes, &size, &wrong))
			check_fail(report, CHECK_CHECKSUMS, "offset %" PRIu64 ": a chunk of %s: %s",
				   chunk->offset,
				   chunk->meta.kind == XT_KIND_IDS ? "frame ids" : "records",
				   wrong.text);
		else if (chunk->meta.kind == XT_KIND_IDS)
			read_ids(facts, chunk->meta.base, bytes, size);
		else
			read_records(facts, bytes, size);
	}
	if (facts->blocks)
		qsort(facts->block, facts->blocks, sizeof(*facts->block), compare_blocks);
	join_modules(facts);
	free(bytes);
}

void raw_facts_release(struct raw_facts *facts)
{
	free(facts->block);
	free(facts->module);
	free(facts->libc);
	free(facts->tunables);
}

bool raw_facts_is_static(const struct raw_facts *facts, uint64_t addr)
{
	size_t low = 0, high = facts->modules;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (facts->module[middle].end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < facts->modules && facts->module[low].start <= addr;
}

bool raw_facts_has_id(const struct raw_facts *facts, uint64_t id)
{
	size_t low = 0, high = facts->blocks;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (facts->block[middle].base <= id)
			low = middle + 1;
		else
			high = middle;
	}
	/* Blocks of a damaged trace may lie across each other. */
	for (; low && id - facts->block[low - 1].base < BLOCK_IDS; low--) {
		const struct id_block *block = &facts->block[low - 1];
		const uint64_t at = id - block->base;

		if (block->bits[at / 64] >> at % 64 & 1)
			return true;
	}
	return false;
}
