/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/frame_scan.h"

#include <inttypes.h>
#include <string.h>

#include "analyzer/base/mem.h"

#define BLOCK_BYTES 65536u
/* Under our eyes a recorder makes chunks of free space, and the file longer or shorter: a frame of
 * a running process is damaged when it looks so this often, and again. */
#define LIVE_LOOKS 3
#define ZEROS_TIMES 8         /* the file's size: so much may be read in search of its end */
#define LOOK_AGAIN UINT64_MAX /* in place of an offset */
#define WINDOW_HEAD_BYTES (XT_PAGE_BYTES - XT_FRAME_HEAD_BYTES)

struct head {
	uint32_t magic, size;
};

struct scan {
	struct chunk_index *index;
	struct trace_file *file;
	struct damage *damage;
	enum scan_what what;
	uint64_t chunks, events; /* in chunk frames so far */
	unsigned looks_left; /* so often what looks damaged is looked at again */
	uint64_t zeros_left; /* bytes that may still be read to see whether they are zeros */
};

static bool is_skippable(uint32_t magic)
{
	return (magic & ~0xFu) == XT_FRAME_HEADER;
}

/* Where a header begins that is not the file's own. */
static bool is_header(const struct trace_file *file, uint64_t offset, uint32_t size)
{
	struct xt_header header;

	return size == XT_PAGE_BYTES - XT_FRAME_HEAD_BYTES &&
	       trace_file_read(file, offset + XT_FRAME_HEAD_BYTES, &header, sizeof(header)) &&
	       !memcmp(header.magic, XT_MAGIC, sizeof(header.magic));
}

static bool fits(const struct trace_file *file, uint64_t offset, uint64_t size)
{
	return offset <= file->size && size <= file->size - offset;
}

static bool is_window_size(const struct trace_file *file, uint64_t offset, uint32_t size,
			   uint32_t *slots)
{
	uint32_t count;

	if (size < WINDOW_HEAD_BYTES)
		return false;
	if (!trace_file_read(file, offset + XT_FRAME_HEAD_BYTES, &count, sizeof(count)))
		return false;
	if (count > XT_WINDOW_SLOTS_MAX || size != WINDOW_HEAD_BYTES + count * XT_SLOT_BYTES)
		return false;
	*slots = count;
	return true;
}

/* A file that has many places to ask this of is not read through for each. */
static bool is_zero_to_end(struct scan *scan, uint64_t offset)
{
	const uint64_t data = scan->zeros_left ? trace_file_skip_zeros(scan->file, offset) : offset;

	scan->zeros_left -= data - offset < scan->zeros_left ? data - offset : scan->zeros_left;
	return data == scan->file->size;
}

/* Something that a frame may be followed by stands at offset: another one, zeros to the end, or the
 * end. */
static bool is_boundary(struct scan *scan, uint64_t offset)
{
	uint32_t magic;

	if (offset == scan->file->size)
		return true;
	if (!trace_file_read(scan->file, offset, &magic, sizeof(magic)))
		return false;
	return is_skippable(magic) || (!magic && is_zero_to_end(scan, offset));
}

/* NULL when a chunk of possible sizes is there. */
static const char *chunk_wrong(const struct scan *scan, uint64_t offset, struct xt_meta *meta)
{
	uint32_t magic;

	if (!trace_file_read(scan->file, offset + XT_FRAME_HEAD_BYTES, meta, sizeof(*meta)))
		return "the file ends inside the metadata of a chunk";
	if (!chunk_meta_is_sane(meta))
		return "the metadata of a chunk is damaged";
	if (!fits(scan->file, offset + CHUNK_HEAD_BYTES, meta->zstd_bytes))
		return "the file ends inside a chunk";
	if (!trace_file_read(scan->file, offset + CHUNK_HEAD_BYTES, &magic, sizeof(magic)) ||
	    magic != XT_FRAME_ZSTD)
		return "no zstd frame follows the metadata of a chunk";
	return NULL;
}

/* A frame begins at offset as far as one can tell from a place that may be anything. */
static bool is_frame(struct scan *scan, uint64_t offset)
{
	struct xt_meta meta;
	struct head head;
	uint32_t slots;

	if (!trace_file_read(scan->file, offset, &head, sizeof(head)) || !is_skippable(head.magic))
		return false;
	if (!fits(scan->file, offset + XT_FRAME_HEAD_BYTES, head.size))
		return false;
	switch (head.magic) {
	case XT_FRAME_HEADER:
		return is_header(scan->file, offset, head.size);
	case XT_FRAME_WINDOW:
		return is_window_size(scan->file, offset, head.size, &slots);
	case XT_FRAME_CHUNK:
		if (head.size == sizeof(meta))
			return !chunk_wrong(scan, offset, &meta);
		break;
	default:
		break;
	}
	return is_boundary(scan, offset + XT_FRAME_HEAD_BYTES + head.size);
}

/* The next frame at or after offset, or the size of the file. */
static uint64_t find_frame(struct scan *scan, uint64_t offset)
{
	const uint8_t tail[3] = { 0x2A, 0x4D, 0x18 }; /* of the magics, little endian */
	uint8_t block[BLOCK_BYTES];

	while ((offset = trace_file_skip_hole(scan->file, offset)) < scan->file->size) {
		const uint64_t left = scan->file->size - offset;
		const size_t size = left < sizeof(block) ? (size_t)left : sizeof(block);
		const uint8_t *at = block + 1;

		if (size < XT_FRAME_HEAD_BYTES || !trace_file_read(scan->file, offset, block, size))
			break;
		while ((at = memmem(at, (size_t)(block + size - at), tail, sizeof(tail)))) {
			const uint64_t found = offset + (uint64_t)(at - block) - 1;

			if (is_frame(scan, found))
				return found;
			at++;
		}
		/* The last three bytes may begin a magic that the next block ends. */
		offset += size > sizeof(tail) && size < left ? size - sizeof(tail) : size;
	}
	return scan->file->size;
}

/* Say that the frame at offset is broken; the next one is looked for from `from` on. */
static uint64_t step_over(struct scan *scan, uint64_t offset, uint64_t from, const char *what)
{
	uint64_t next;

	if (scan->looks_left) {
		scan->looks_left--;
		return LOOK_AGAIN;
	}
	next = find_frame(scan, from);
	if (next < scan->file->size)
		damage_add(scan->damage, 0, "offset %" PRIu64 ": %s; went on at offset %" PRIu64,
			   offset, what, next);
	else
		damage_add(scan->damage, 0, "offset %" PRIu64 ": %s; nothing to read after it",
			   offset, what);
	return next;
}

static uint64_t scan_chunk(struct scan *scan, uint64_t offset)
{
	struct xt_meta meta = { 0 };
	const char *wrong = chunk_wrong(scan, offset, &meta);
	struct chunk_ref *ref;
	uint64_t next;
	uint32_t kind;

	if (wrong) {
		next = offset + CHUNK_HEAD_BYTES + meta.zstd_bytes;
		if (meta.zstd_bytes < CHUNK_ZSTD_BYTES_MIN ||
		    meta.zstd_bytes > CHUNK_ZSTD_BYTES_MAX || !is_boundary(scan, next))
			next = offset + XT_FRAME_HEAD_BYTES;
		return step_over(scan, offset, next, wrong);
	}
	scan->chunks++;
	kind = chunk_kind(&meta);
	if (kind == XT_KIND_EVENTS)
		scan->events += meta.events;
	if (scan->what == SCAN_ALL ||
	    (scan->what == SCAN_NO_EVENTS && kind != XT_KIND_EVENTS)) {
		ref = chunk_index_add(scan->index);
		*ref = (struct chunk_ref){ offset,	meta.seq, meta.base, meta.first_stamp,
					   meta.stream, kind,	  meta.events, 0 };
	}
	next = offset + CHUNK_HEAD_BYTES + meta.zstd_bytes;
	if (!is_boundary(scan, next))
		return step_over(scan, next, offset + CHUNK_HEAD_BYTES,
				 "no frame where one should be, behind a chunk");
	return next;
}

static void scan_window(struct scan *scan, uint64_t offset)
{
	struct chunk_index *index = scan->index;

	/* An earlier walk has seen those before. */
	if (index->windows && offset <= index->window[index->windows - 1])
		return;
	if (index->windows == index->window_capacity) {
		index->window_capacity = index->window_capacity ? index->window_capacity * 2 : 4;
		index->window = xreallocarray(index->window, index->window_capacity,
					      sizeof(*index->window));
	}
	index->window[index->windows++] = offset;
}

/* What the recorder counted at a clean end against what is here. */
static void scan_totals(struct scan *scan, uint64_t offset, uint32_t size)
{
	struct xt_totals totals;

	if (size < sizeof(totals) ||
	    !trace_file_read(scan->file, offset + XT_FRAME_HEAD_BYTES, &totals, sizeof(totals))) {
		damage_add(scan->damage, 0, "offset %" PRIu64 ": the totals are damaged", offset);
		return;
	}
	scan->index->has_totals = true;
	if (totals.chunks > scan->chunks)
		scan->index->totals_chunks = totals.chunks - scan->chunks;
	if (totals.events > scan->events)
		scan->index->totals_events = totals.events - scan->events;
}

static const char *ends_inside(const struct head *head)
{
	switch (head->magic) {
	case XT_FRAME_CHUNK:
		return "the file ends inside free space";
	case XT_FRAME_WINDOW:
		return "the file ends inside a live window";
	case XT_FRAME_TOTALS:
		return "the file ends inside the totals";
	default:
		return "the file ends inside a frame of a kind that this version does not know";
	}
}

static uint64_t scan_skippable(struct scan *scan, uint64_t offset, const struct head *head)
{
	const uint64_t next = offset + XT_FRAME_HEAD_BYTES + head->size;
	uint32_t slots;

	if (head->magic == XT_FRAME_CHUNK && head->size == sizeof(struct xt_meta))
		return scan_chunk(scan, offset);
	if (head->magic == XT_FRAME_HEADER) {
		if (!is_header(scan->file, offset, head->size))
			return step_over(scan, offset, offset + XT_FRAME_HEAD_BYTES,
					 "a header where none should be");
		damage_add(scan->damage, 0,
			   "offset %" PRIu64 ": another trace begins here, not read", offset);
		return scan->file->size;
	}
	if (next > scan->file->size)
		return step_over(scan, offset, offset + XT_FRAME_HEAD_BYTES, ends_inside(head));
	if (head->magic == XT_FRAME_WINDOW) {
		if (!is_window_size(scan->file, offset, head->size, &slots))
			return step_over(scan, offset, offset + XT_FRAME_HEAD_BYTES,
					 "a live window is damaged");
		scan_window(scan, offset);
	} else if (head->magic == XT_FRAME_TOTALS) {
		scan_totals(scan, offset, head->size);
	} else if (head->magic == XT_FRAME_CHUNK && !is_boundary(scan, next)) {
		/* Free space whose size lies would hide the chunks behind it. */
		return step_over(scan, next, offset + XT_FRAME_HEAD_BYTES,
				 "no frame where one should be, behind free space");
	}
	return next;
}

/* The frame at offset, or what stands in its place. Returns where the next one begins, or the
 * file's size: the rest is zeros. */
static uint64_t scan_frame(struct scan *scan, uint64_t offset)
{
	const struct trace_file *file = scan->file;
	struct head head = { 0, 0 };
	uint64_t data;

	if (file->size - offset < sizeof(head) ||
	    !trace_file_read(file, offset, &head, sizeof(head)))
		head.magic = 0;
	if (is_skippable(head.magic))
		return scan_skippable(scan, offset, &head);
	if (head.magic)
		return step_over(scan, offset, offset + 1, "no frame where one should be");
	data = trace_file_skip_zeros(file, offset);
	if (data == file->size)
		return data;
	return step_over(scan, offset, data, "no frame where one should be");
}

void frame_scan(struct chunk_index *index, struct trace_file *file, enum scan_what what,
		struct damage *damage)
{
	const unsigned looks = file->is_live ? LIVE_LOOKS : 0;
	struct scan scan = { index, file, damage, what, 0, 0, looks, ZEROS_TIMES * file->size };
	uint64_t offset = XT_PAGE_BYTES; /* the header's frame: trace_open has looked at it */

	for (;;) {
		const struct scan before = scan;
		const size_t count = index->count;
		uint64_t next;

		if (file->is_live)
			trace_file_refresh(file);
		if (offset >= file->size)
			break;
		next = scan_frame(&scan, offset);
		/* Where the file ended is no boundary once it has grown. */
		if (next != LOOK_AGAIN && file->is_live && next >= file->size)
			break;
		if (next != LOOK_AGAIN) {
			offset = next;
			scan.looks_left = looks;
			continue;
		}
		index->count = count;
		scan.chunks = before.chunks;
		scan.events = before.events;
	}
}
