/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/verify/raw_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"
#include "analyzer/verify/check_list.h"
#include "preload/trace/sealed.h"

#define SEARCH_BYTES 65536u
#define PACKED_MIN 9u
#define ZEROS_TIMES 8 /* the file's size: so much is read in search of its end */

static bool read_at(const struct raw_trace *trace, uint64_t offset, void *to, size_t size)
{
	size_t got = 0;

	while (got < size) {
		ssize_t part = pread(trace->fd, (char *)to + got, size - got,
				     (off_t)(offset + got));

		if (part < 0 && errno == EINTR)
			continue;
		if (part <= 0)
			return false;
		got += (size_t)part;
	}
	return true;
}

/* Where a header begins that is not the file's own. */
static bool is_second_header(const struct raw_trace *trace, uint64_t offset, const uint32_t head[2])
{
	char magic[sizeof(trace->header.magic)];

	return offset && head[0] == XT_FRAME_HEADER &&
	       head[1] == XT_PAGE_BYTES - XT_FRAME_HEAD_BYTES &&
	       read_at(trace, offset + XT_FRAME_HEAD_BYTES, magic, sizeof(magic)) &&
	       !memcmp(magic, XT_MAGIC, sizeof(magic));
}

static bool is_ours(uint32_t magic)
{
	return magic >= XT_FRAME_HEADER && magic <= XT_FRAME_HEADER + 15;
}

/* A file that has many places to ask this of is not read through for each. */
static bool is_zero_to_end(struct raw_trace *trace, uint64_t offset)
{
	static const uint8_t zeros[4096];
	uint8_t block[sizeof(zeros)];

	while (offset < trace->size) {
		const off_t data = lseek(trace->fd, (off_t)offset, SEEK_DATA);
		uint64_t left;

		if (data < 0)
			return errno == ENXIO;
		offset = (uint64_t)data;
		left = trace->size - offset;
		if (left > sizeof(block))
			left = sizeof(block);
		trace->zeros_read += left;
		if (trace->zeros_read / ZEROS_TIMES > trace->size ||
		    !read_at(trace, offset, block, left) || memcmp(block, zeros, left))
			return false;
		offset += left;
	}
	return true;
}

/* A frame may end at offset: another begins there, or zeros to the end, or the file ends. */
static bool may_end_at(struct raw_trace *trace, uint64_t offset)
{
	uint32_t magic;

	if (offset == trace->size)
		return true;
	return read_at(trace, offset, &magic, sizeof(magic)) &&
	       (is_ours(magic) || (!magic && is_zero_to_end(trace, offset)));
}

static bool seems_frame(struct raw_trace *trace, uint64_t offset, const uint32_t head[2])
{
	if (head[0] == XT_FRAME_HEADER)
		return is_second_header(trace, offset, head);
	if (head[0] == XT_FRAME_CHUNK && head[1] == sizeof(struct xt_meta))
		return true;
	return may_end_at(trace, offset + XT_FRAME_HEAD_BYTES + head[1]);
}

/* The next place from `offset` on where a frame of ours seems to be, for a file that is broken. */
static uint64_t search(struct raw_trace *trace, uint64_t offset)
{
	uint8_t *block = xmalloc(SEARCH_BYTES);
	uint64_t found = trace->size;

	while (found == trace->size && offset + XT_FRAME_HEAD_BYTES <= trace->size) {
		const off_t data = lseek(trace->fd, (off_t)offset, SEEK_DATA);
		uint64_t left;

		if (data < 0)
			break;
		offset = (uint64_t)data;
		left = trace->size - offset < SEARCH_BYTES ? trace->size - offset : SEARCH_BYTES;
		if (left < XT_FRAME_HEAD_BYTES || !read_at(trace, offset, block, left))
			break;
		for (uint64_t i = 0; i + XT_FRAME_HEAD_BYTES <= left; i++) {
			uint32_t head[2];

			memcpy(head, block + i, sizeof(head));
			if (!is_ours(head[0]) || !seems_frame(trace, offset + i, head))
				continue;
			found = offset + i;
			break;
		}
		offset += left == SEARCH_BYTES ? left - XT_FRAME_HEAD_BYTES + 1 : left;
	}
	free(block);
	return found;
}

static struct raw_chunk *add_chunk(struct raw_trace *trace)
{
	if (trace->chunks == trace->capacity) {
		trace->capacity = trace->capacity * 2 + 64;
		trace->chunk = xreallocarray(trace->chunk, trace->capacity, sizeof(*trace->chunk));
	}
	return &trace->chunk[trace->chunks++];
}

/* A frame that cannot be where it is, and why. */
struct wrong {
	uint64_t offset;
	const char *what;
};

/* Returns where the next frame is, 0 when this is none. */
static uint64_t take_chunk(struct raw_trace *trace, uint64_t offset, struct wrong *wrong)
{
	const uint64_t packed = offset + XT_FRAME_HEAD_BYTES + sizeof(struct xt_meta);
	struct xt_meta meta;
	uint32_t magic, bytes_max;
	bool is_columns;

	wrong->what = "the metadata of a chunk is impossible";
	if (!read_at(trace, offset + XT_FRAME_HEAD_BYTES, &meta, sizeof(meta)) ||
	    meta.check != xt_meta_check(&meta) || meta.kind < XT_KIND_EVENTS ||
	    meta.kind > XT_KIND_COLUMNS)
		return 0;
	is_columns = meta.kind == XT_KIND_COLUMNS;
	bytes_max = is_columns ? XT_COLUMNS_BYTES_MAX : XT_SLOT_BYTES;
	if (is_columns)
		meta.kind = XT_KIND_EVENTS;
	if (!meta.raw_bytes || meta.raw_bytes > bytes_max || meta.events > bytes_max ||
	    meta.zstd_bytes < PACKED_MIN || meta.zstd_bytes > 2 * bytes_max)
		return 0;
	wrong->what = "the file ends inside a chunk";
	if (packed + meta.zstd_bytes > trace->size)
		return 0;
	wrong->what = "no zstd frame follows the metadata of a chunk";
	if (!read_at(trace, packed, &magic, 4) || magic != XT_FRAME_ZSTD)
		return 0;
	*add_chunk(trace) = (struct raw_chunk){ .offset = offset, .meta = meta,
						.is_columns = is_columns };
	if (meta.raw_bytes > trace->bytes_max)
		trace->bytes_max = meta.raw_bytes;
	if (!trace->has_totals) {
		trace->totals_chunks++;
		trace->totals_events += meta.kind == XT_KIND_EVENTS ? meta.events : 0;
	}
	*wrong = (struct wrong){ packed + meta.zstd_bytes,
				 "no frame where one should be, behind a chunk" };
	return may_end_at(trace, wrong->offset) ? wrong->offset : 0;
}

static void take_slot(struct raw_trace *trace, uint64_t window, uint32_t number,
		      struct verify_report *report)
{
	const uint64_t at = window + XT_FRAME_HEAD_BYTES + sizeof(struct xt_window) +
			    number * sizeof(struct xt_slot);
	struct xt_slot slot;

	if (!read_at(trace, at, &slot, sizeof(slot)) || slot.kind == XT_KIND_FREE ||
	    slot.kind == XT_KIND_TAKEN)
		return;
	if (slot.kind == XT_KIND_IDS)
		slot.used = XT_SLOT_BYTES;
	if (slot.kind > XT_KIND_RECORDS || slot.used > XT_SLOT_BYTES ||
	    (slot.kind == XT_KIND_EVENTS && slot.events > XT_SLOT_BYTES)) {
		check_fail(report, CHECK_FRAMES,
			   "offset %" PRIu64 ": a slot that cannot be: kind %" PRIu32 ", %s, %s",
			   at, slot.kind, number_of(slot.used, "byte").text,
			   number_of(slot.events, "event").text);
		return;
	}
	if (!slot.used)
		return;
	trace->slots++;
	*add_chunk(trace) = (struct raw_chunk){
		.offset = window + XT_PAGE_BYTES + (uint64_t)number * XT_SLOT_BYTES,
		.meta = { .kind = slot.kind, .stream = slot.stream, .seq = slot.seq,
			  .base = slot.base, .first_stamp = slot.first_stamp,
			  .events = slot.events, .thread = slot.thread, .tid = slot.tid,
			  .raw_bytes = slot.used },
		.is_slot = true,
	};
}

static bool take_window(struct raw_trace *trace, uint64_t offset, uint32_t size,
			struct verify_report *report)
{
	uint32_t slots;

	if (size < XT_PAGE_BYTES - XT_FRAME_HEAD_BYTES ||
	    !read_at(trace, offset + XT_FRAME_HEAD_BYTES, &slots, sizeof(slots)) ||
	    slots > XT_WINDOW_SLOTS_MAX ||
	    size != XT_PAGE_BYTES - XT_FRAME_HEAD_BYTES + slots * XT_SLOT_BYTES)
		return false;
	trace->windows++;
	for (uint32_t i = 0; i < slots; i++)
		take_slot(trace, offset, i, report);
	return true;
}

static const char *ends_inside(uint32_t magic)
{
	if (magic == XT_FRAME_CHUNK)
		return "the file ends inside free space";
	if (magic == XT_FRAME_WINDOW)
		return "the file ends inside a live window";
	return magic == XT_FRAME_TOTALS ? "the file ends inside the totals"
					: "the file ends inside a frame of unknown kind";
}

/* The frame at offset: returns where the next one is, 0 when this one is broken. */
static uint64_t take_frame(struct raw_trace *trace, uint64_t offset, const uint32_t head[2],
			   struct verify_report *report, struct wrong *wrong)
{
	const uint64_t next = offset + XT_FRAME_HEAD_BYTES + head[1];
	const bool is_chunk = head[0] == XT_FRAME_CHUNK && head[1] == sizeof(struct xt_meta);

	wrong->what = is_chunk ? "the file ends inside a chunk" : ends_inside(head[0]);
	if (next > trace->size)
		return 0;
	trace->frames++;
	switch (head[0]) {
	case XT_FRAME_HEADER:
		wrong->what = "a header where none should be";
		return 0;
	case XT_FRAME_CHUNK:
		if (is_chunk)
			return take_chunk(trace, offset, wrong);
		*wrong = (struct wrong){ next, "no frame where one should be, behind free space" };
		return may_end_at(trace, next) ? next : 0;
	case XT_FRAME_WINDOW:
		wrong->what = "a live window of impossible size";
		return take_window(trace, offset, head[1], report) ? next : 0;
	case XT_FRAME_TOTALS:
		wrong->what = "totals of impossible size";
		if (head[1] < sizeof(trace->totals) ||
		    !read_at(trace, offset + XT_FRAME_HEAD_BYTES, &trace->totals,
			     sizeof(trace->totals)))
			return 0;
		trace->has_totals = true;
		return next;
	default:
		return next;
	}
}

static void walk(struct raw_trace *trace, struct verify_report *report)
{
	uint64_t offset = XT_PAGE_BYTES;

	while (offset < trace->size) {
		struct wrong wrong = { offset, "no frame where one should be" };
		uint32_t head[2] = { 0, 0 };
		uint64_t next = 0;

		if (trace->size - offset >= sizeof(head))
			read_at(trace, offset, head, sizeof(head));
		if (is_second_header(trace, offset, head)) {
			check_fail(report, CHECK_FRAMES,
				   "offset %" PRIu64 ": another trace begins here, not read",
				   offset);
			return;
		}
		if (is_ours(head[0]))
			next = take_frame(trace, offset, head, report, &wrong);
		else if (!head[0] && is_zero_to_end(trace, offset))
			return;
		if (!next) {
			next = search(trace, offset + XT_FRAME_HEAD_BYTES);
			if (next < trace->size)
				check_fail(report, CHECK_FRAMES,
					   "offset %" PRIu64 ": %s; went on at offset %" PRIu64,
					   wrong.offset, wrong.what, next);
			else
				check_fail(report, CHECK_FRAMES,
					   "offset %" PRIu64 ": %s; nothing to read after it",
					   wrong.offset, wrong.what);
		}
		offset = next;
	}
}

static int compare_chunks(const void *left, const void *right)
{
	const struct raw_chunk *a = left, *b = right;

#define BY(field)                                                                             \
	if (a->field != b->field)                                                             \
		return a->field < b->field ? -1 : 1
	BY(meta.kind);
	BY(meta.stream);
	BY(meta.seq);
	BY(is_slot);
	BY(offset);
#undef BY
	return 0;
}

/* Of event chunks with the same number the first is kept; all of frame ids and records are read. */
static void drop_duplicates(struct raw_trace *trace, struct verify_report *report)
{
	size_t kept = 0;

	for (size_t i = 0; i < trace->chunks; i++) {
		const struct raw_chunk *chunk = &trace->chunk[i];
		const struct xt_meta *last = kept ? &trace->chunk[kept - 1].meta : NULL;

		if (!last || chunk->meta.kind != XT_KIND_EVENTS || last->kind != chunk->meta.kind ||
		    last->stream != chunk->meta.stream || last->seq != chunk->meta.seq) {
			trace->chunk[kept++] = *chunk;
			continue;
		}
		trace->duplicates++;
		if (last->base != chunk->meta.base ||
		    (!chunk->is_slot && last->events != chunk->meta.events))
			check_fail(report, CHECK_SEQUENCE,
				   "offset %" PRIu64 ": chunk %" PRIu64 " of stream %" PRIu32
				   " is there twice, with different contents", chunk->offset,
				   chunk->meta.seq, chunk->meta.stream);
	}
	trace->chunks = kept;
}

static int read_header(struct raw_trace *trace, const char *path, struct err *err)
{
	struct xt_header *header = &trace->header;
	uint32_t head[2];

	errno = 0;
	if (trace->size < XT_PAGE_BYTES || !read_at(trace, 0, head, sizeof(head)) ||
	    head[0] != XT_FRAME_HEADER || head[1] != XT_PAGE_BYTES - XT_FRAME_HEAD_BYTES ||
	    !read_at(trace, XT_FRAME_HEAD_BYTES, header, sizeof(*header)) ||
	    memcmp(header->magic, XT_MAGIC, sizeof(header->magic)))
		return err_set(err, "%s: is no xalloc trace", path);
	if (header->oldest_reader > XT_VERSION)
		return err_set(err, "%s: needs a reader of version %u or later", path,
			       header->oldest_reader);
	if (header->version < XT_OLDEST_VERSION)
		return err_set(err, "%s: is of version %u; this reader knows versions from %u on",
			       path, header->version, XT_OLDEST_VERSION);
	if (header->header_bytes < sizeof(*header))
		return err_set(err, "%s: offset %zu: the header's size is damaged", path,
			       XT_FRAME_HEAD_BYTES + offsetof(struct xt_header, header_bytes));
	return 0;
}

int raw_trace_open(struct raw_trace *trace, const char *path, struct err *err)
{
	struct stat status;

	*trace = (struct raw_trace){ .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK),
				     .bytes_max = XT_SLOT_BYTES };
	if (trace->fd < 0)
		return err_set(err, "%s: cannot be opened: %s", path, strerror(errno));
	if (fstat(trace->fd, &status) || !S_ISREG(status.st_mode)) {
		err_set(err, "%s: is no regular file, so no trace", path);
		close(trace->fd);
		return -1;
	}
	trace->size = (uint64_t)status.st_size;
	trace->is_live = flock(trace->fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
	if (!trace->is_live)
		flock(trace->fd, LOCK_UN);
	if (read_header(trace, path, err)) {
		close(trace->fd);
		return -1;
	}
	return 0;
}

void raw_trace_walk(struct raw_trace *trace, struct verify_report *report)
{
	const char *const wrong = xt_header_wrong(&trace->header);

	if (wrong)
		check_fail(report, CHECK_FRAMES, "offset %u: the header is damaged: %s",
			   XT_FRAME_HEAD_BYTES, wrong);
	walk(trace, report);
	if (trace->chunks)
		qsort(trace->chunk, trace->chunks, sizeof(*trace->chunk), compare_chunks);
	if (raw_trace_is_compact(trace) && !trace->has_totals)
		check_fail(report, CHECK_FRAMES, "offset %" PRIu64 ": the totals are missing",
			   trace->size);
	if (!raw_trace_is_compact(trace) && !trace->windows && !trace->has_totals)
		check_fail(report, CHECK_FRAMES, "offset %u: the live window is missing",
			   XT_PAGE_BYTES);
	check_say(report, CHECK_FRAMES, "%s: %s, %s with %s in use",
		  number_of(trace->frames + 1, "frame").text,
		  number_of(trace->chunks - trace->slots, "chunk").text,
		  number_of(trace->windows, "live window").text,
		  number_of(trace->slots, "slot").text);
	drop_duplicates(trace, report);
}

void raw_trace_close(struct raw_trace *trace)
{
	close(trace->fd);
	free(trace->chunk);
}

int raw_trace_unpack(const struct raw_trace *trace, const struct raw_chunk *chunk, uint8_t *bytes,
		     uint32_t *size, struct err *err)
{
	const uint64_t packed_at = chunk->offset + XT_FRAME_HEAD_BYTES + sizeof(chunk->meta);
	const uint32_t has_checksum = 0x04; /* in the descriptor behind the frame's magic */
	uint8_t *packed;
	size_t got;
	int ret = 0;

	*size = chunk->meta.raw_bytes;
	if (chunk->is_slot && read_at(trace, chunk->offset, bytes, *size))
		return 0;
	if (chunk->is_slot)
		return err_set(err, "it cannot be read");
	packed = xmalloc(chunk->meta.zstd_bytes);
	if (!read_at(trace, packed_at, packed, chunk->meta.zstd_bytes)) {
		ret = err_set(err, "it cannot be read");
	} else if (!(packed[4] & has_checksum)) {
		ret = err_set(err, "it has no checksum");
	} else {
		got = ZSTD_decompress(bytes, *size, packed, chunk->meta.zstd_bytes);
		if (ZSTD_isError(got))
			ret = err_set(err, "it does not unpack (zstd: %s)", ZSTD_getErrorName(got));
		else if (got != *size)
			ret = err_set(err, "it has another length than its metadata says");
	}
	free(packed);
	return ret;
}
