/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A trace that was cut or changed anywhere: an error or figures that add up, never a crash; and
 * what hits the events is noticed.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/trace/sealed.h"
#include "tests/unit/replayed.h"
#include "tests/unit/suites.h"

#define STREAMS 2
#define STRIDE 97 /* of zeros that nobody reads one in so many is tried */

struct victim {
	struct trace_builder builder;
	char path[64];
	int fd;
	struct totals totals; /* of the whole trace */
	uint64_t chunk[8], chunk_end[8]; /* zstd frames of events */
	int chunks;
	uint64_t used; /* bytes of the slot that hold something */
};

static uint64_t commit(struct victim *victim, struct stream_builder *stream)
{
	const uint64_t offset = stream_commit(stream);

	victim->chunk[victim->chunks] = offset + XT_FRAME_HEAD_BYTES + sizeof(struct xt_meta);
	victim->chunk_end[victim->chunks++] = victim->builder.size;
	return offset;
}

static void setup(struct victim *victim, bool has_ended)
{
	struct stream_builder *stream[STREAMS];
	struct replayed replayed;
	uint64_t stamp = 0;

	memset(victim, 0, sizeof(*victim));
	builder_init(&victim->builder, 1);
	builder_ids(&victim->builder, 0, XT_ID_FIRST, 32);
	for (uint32_t i = 0; i < STREAMS; i++)
		stream[i] = stream_new(&victim->builder, i, i, 0);
	for (uint64_t i = 1; i <= 30; i++) {
		const uint32_t stack[] = { 16, 17 + (uint32_t)i % 3, 20 };

		stream_alloc(stream[i % STREAMS], XT_OP_MALLOC, ++stamp, 0x1000 * i, 10 * i, stack,
			     3);
		if (i % 3 == 0)
			stream_free(stream[i % STREAMS], ++stamp, 0x1000 * i);
		if (i % 5 == 0)
			stream_realloc(stream[i % STREAMS], stamp + 1, stamp + 2, 0x1000 * (i - 1),
				       0x1000 * i + 0x800, i, stack, 2), stamp += 2;
		if (i % 9 == 0)
			commit(victim, stream[i % STREAMS]);
	}
	commit(victim, stream[0]);
	builder_frame(&victim->builder, XT_FRAME_CHUNK, NULL, 200);
	if (has_ended) {
		commit(victim, stream[1]);
		builder_end(&victim->builder, 0);
	} else {
		victim->used = stream[1]->used;
		stream_to_slot(stream[1]);
	}
	for (int i = 0; i < STREAMS; i++)
		free(stream[i]);
	replayed = replay_of(&victim->builder);
	ck_assert(!trace_is_damaged(replayed.trace));
	ck_assert_uint_eq(replayed.result.totals.allocation_calls, 36);
	victim->totals = replayed.result.totals;
	replayed_release(&replayed);
	strcpy(victim->path, "/tmp/xalloc-unit.XXXXXX");
	builder_save(&victim->builder, victim->path);
	victim->fd = open(victim->path, O_RDWR | O_CLOEXEC);
	ck_assert_int_ge(victim->fd, 0);
}

static void teardown(struct victim *victim)
{
	close(victim->fd);
	unlink(victim->path);
	builder_release(&victim->builder);
}

enum outcome { REFUSED, INTACT, DAMAGED };

/* What comes of the file as it is now. */
static enum outcome look(const struct victim *victim, bool *is_equal)
{
	struct replayed replayed;
	struct err err = { 0 };
	enum outcome outcome;

	if (trace_open(&replayed.trace, victim->path, &err)) {
		ck_assert_uint_ne(err.text[0], '\0');
		ck_assert_ptr_null(replayed.trace);
		return REFUSED;
	}
	replay_run(replayed.trace, &replayed.result, NULL);
	check_sums(&replayed.result);
	*is_equal = !memcmp(&replayed.result.totals, &victim->totals, sizeof(victim->totals));
	outcome = trace_is_damaged(replayed.trace) ? DAMAGED : INTACT;
	/* Whoever finds damage says so. */
	ck_assert(outcome == INTACT || trace_warnings(replayed.trace)->count);
	replayed_release(&replayed);
	return outcome;
}

/* The zeros behind the header, behind the heads of the slots and in a slot. */
static bool is_skipped(const struct victim *victim, uint64_t offset)
{
	const uint64_t page = offset % XT_PAGE_BYTES;
	const uint64_t slot = victim->builder.window + XT_PAGE_BYTES;

	if (offset % STRIDE == 0 || offset >= slot + XT_SLOT_BYTES)
		return false;
	return offset < slot ? page > 300 : offset > slot + victim->used + 8;
}

static uint64_t events_of(const struct victim *victim, int chunk)
{
	return builder_meta(&victim->builder, victim->chunk[chunk] - sizeof(struct xt_meta) -
			    XT_FRAME_HEAD_BYTES).events;
}

START_TEST(cut_at_every_offset)
{
	struct victim victim;

	setup(&victim, _i);
	for (uint64_t size = victim.builder.size; size-- > 0;) {
		bool is_equal = false;
		enum outcome outcome;

		if (is_skipped(&victim, size))
			continue;
		ck_assert_int_eq(ftruncate(victim.fd, (off_t)size), 0);
		outcome = look(&victim, &is_equal);
		if (size < XT_PAGE_BYTES)
			ck_assert_int_eq(outcome, REFUSED);
		else
			ck_assert_int_ne(outcome, REFUSED);
		/* A clean end has its totals at the end of the file. */
		if (_i && size >= XT_PAGE_BYTES)
			ck_assert_int_eq(outcome, DAMAGED);
		for (int i = 0; i < victim.chunks; i++) {
			if (size > victim.chunk[i] - sizeof(struct xt_meta) &&
			    size < victim.chunk_end[i])
				ck_assert_msg(outcome == DAMAGED, "cut at %ju", (uintmax_t)size);
		}
	}
	teardown(&victim);
}
END_TEST

static void flip(const struct victim *victim, uint64_t offset, uint8_t mask)
{
	const uint8_t byte = victim->builder.bytes[offset] ^ mask;

	ck_assert_int_eq(pwrite(victim->fd, &byte, 1, (off_t)offset), 1);
}

START_TEST(change_every_byte)
{
	const uint8_t mask[] = { 0x01, 0x80, 0xFF };
	uint64_t changes = 0, found = 0;
	struct victim victim;

	setup(&victim, _i / 3);
	for (uint64_t offset = 0; offset < victim.builder.size; offset++) {
		bool is_equal = false;
		enum outcome outcome;

		if (is_skipped(&victim, offset))
			continue;
		flip(&victim, offset, mask[_i % 3]);
		outcome = look(&victim, &is_equal);
		for (int i = 0; i < victim.chunks; i++) {
			if (offset < victim.chunk[i] || offset >= victim.chunk_end[i])
				continue;
			/* A few bits of a zstd frame mean nothing: what comes out is the same. */
			ck_assert_msg(outcome == DAMAGED || is_equal, "changed at %ju",
				      (uintmax_t)offset);
			changes++;
			found += outcome == DAMAGED;
		}
		flip(&victim, offset, 0);
	}
	ck_assert_uint_gt(changes, 200);
	ck_assert_uint_ge(found, changes - changes / 50);
	teardown(&victim);
}
END_TEST

/* The checksum of one chunk does not hold: its events are lost, and only those. */
START_TEST(one_chunk)
{
	struct victim victim;
	struct replayed replayed;
	struct err err;
	const uint64_t events = (setup(&victim, true), events_of(&victim, 1));

	flip(&victim, victim.chunk_end[1] - 1, 0x10);
	ck_assert_int_eq(trace_open(&replayed.trace, victim.path, &err), 0);
	replay_run(replayed.trace, &replayed.result, NULL);
	ck_assert_uint_eq(replayed.result.totals.lost_events, events);
	ck_assert_uint_eq(replayed.result.totals.events, victim.totals.events - events);
	ck_assert(has_warning(replayed.trace, "checksum"));
	replayed_release(&replayed);
	teardown(&victim);
}
END_TEST

/* Whole, but not what its metadata says, or without the checksum that each has to have. */
START_TEST(not_as_announced)
{
	struct trace_builder builder;
	struct stream_builder *stream;
	struct replayed replayed;
	struct xt_meta meta;
	uint64_t offset;

	builder_init(&builder, 0);
	builder_ids(&builder, 0, XT_ID_FIRST, 8);
	stream = stream_new(&builder, 0, 0, 0);
	for (uint64_t i = 1; i <= 7; i++)
		stream_alloc(stream, XT_OP_MALLOC, i, 16 * i, 1, NULL, 0);
	builder.no_checksum = _i == 0;
	offset = stream_commit(stream);
	meta = builder_meta(&builder, offset);
	meta.raw_bytes += (unsigned)_i;
	builder_set_meta(&builder, offset, meta);
	replayed = replay_of(&builder);
	ck_assert_uint_eq(replayed.result.totals.allocation_calls, 0);
	ck_assert_uint_eq(replayed.result.totals.lost_events, 7);
	ck_assert(has_warning(replayed.trace, _i ? "another length" : "no checksum"));
	replayed_release(&replayed);
	free(stream);
	builder_release(&builder);
}
END_TEST

/* A chunk's metadata is broken: the chunks before and after it are read, and the gap is counted. */
START_TEST(one_metadata)
{
	struct victim victim;
	struct replayed replayed;
	struct err err;
	uint64_t events;

	setup(&victim, true);
	events = events_of(&victim, 1);
	/* its kind, or its zstd_bytes */
	flip(&victim, victim.chunk[1] - (_i ? 4 : 64), _i ? 0x01 : 0x70);
	ck_assert_int_eq(trace_open(&replayed.trace, victim.path, &err), 0);
	replay_run(replayed.trace, &replayed.result, NULL);
	ck_assert(trace_is_damaged(replayed.trace));
	ck_assert_uint_eq(replayed.result.totals.lost_events, events);
	ck_assert_uint_eq(replayed.result.totals.events, victim.totals.events - events);
	replayed_release(&replayed);
	teardown(&victim);
}
END_TEST

/* Inside a whole chunk an event is nonsense: those before it count, the rest is lost. */
START_TEST(inside_a_chunk)
{
	const uint32_t stack[] = { 16 };
	struct trace_builder builder;
	struct stream_builder *stream;
	struct replayed replayed;

	builder_init(&builder, 1);
	builder_ids(&builder, 0, XT_ID_FIRST, 8);
	stream = stream_new(&builder, 0, 0, 0);
	for (uint64_t i = 1; i <= 10; i++) {
		if (i == 8)
			stream_byte(stream, XT_OP_END);
		stream_alloc(stream, XT_OP_MALLOC, i, 16 * i, 1, stack, 1);
	}
	stream_commit(stream);
	stream_alloc(stream, XT_OP_MALLOC, 11, 0x1000, 1, stack, 1);
	stream_commit(stream);
	replayed = replay_of(&builder);
	ck_assert_uint_eq(replayed.result.totals.allocation_calls, 8);
	ck_assert_uint_eq(replayed.result.totals.lost_events, 3);
	ck_assert(has_warning(replayed.trace, "after 7 events: an event is of no known kind"));
	replayed_release(&replayed);
	free(stream);
	builder_release(&builder);
}
END_TEST

static void fill_at_random(struct stream_builder *stream, uint64_t *seed)
{
	uint64_t stamp = 0;

	for (uint32_t i = 0; i < 60; i++) {
		const uint32_t stack[] = { 16, 16 + i % 7, 17 };
		const uint64_t addr = 16 * (1 + random_next(seed) % 20);

		stamp += random_next(seed) % 9;
		if (i % 3) {
			stream_alloc(stream, XT_OP_MALLOC, stamp, addr, i, stack, 3);
			continue;
		}
		stream_realloc(stream, stamp, stamp + 40, addr, addr ^ 16, i, stack, 2);
		stamp += 40;
	}
}

/* Chunks whose checksums hold and whose bytes are wrong here and there, as no disk but an enemy
 * makes them: events of any kind in any order, and the figures add up still. */
START_TEST(nonsense_in_whole_chunks)
{
	uint64_t seed = (uint64_t)_i;

	for (int round = 0; round < 400; round++) {
		struct trace_builder builder;
		struct replayed replayed;

		builder_init(&builder, 0);
		builder_ids(&builder, 0, XT_ID_FIRST, 32);
		for (uint32_t i = 0; i < 3; i++) {
			struct stream_builder *stream = stream_new(&builder, i, i, 0);

			fill_at_random(stream, &seed);
			for (uint64_t j = random_next(&seed) % 8; j; j--)
				stream->bytes[random_next(&seed) % stream->used] =
					(uint8_t)random_next(&seed);
			stream_commit(stream);
			free(stream);
		}
		replayed = replay_of(&builder);
		/* Read or lost; a byte can also make two events of one. */
		ck_assert_uint_ge(replayed.result.totals.events +
				  replayed.result.totals.lost_events, 180);
		replayed_release(&replayed);
		builder_release(&builder);
	}
}
END_TEST

static void expect_refused(const char *path, const char *why)
{
	struct trace *trace;
	struct err err = { 0 };

	ck_assert_int_eq(trace_open(&trace, path, &err), -1);
	ck_assert_ptr_null(trace);
	ck_assert_msg(strstr(err.text, why) && strstr(err.text, path), "%s", err.text);
	ck_assert_ptr_null(strchr(err.text, '\n'));
}

START_TEST(no_trace)
{
	char path[] = "/tmp/xalloc-unit.XXXXXX";
	char directory[] = "/tmp/xalloc-unit.XXXXXX";
	const int fd = mkstemp(path);

	expect_refused(path, "empty, not a trace");
	ck_assert_int_eq(write(fd, "Hello, this is no trace.\n", 25), 25);
	expect_refused(path, "not an xalloc trace");
	unlink(path);
	expect_refused(path, "No such file");
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	expect_refused(path, "not a regular file");
	unlink(path);
	ck_assert_ptr_nonnull(mkdtemp(directory));
	expect_refused(directory, "a directory, not a trace");
	rmdir(directory);
	close(fd);
}
END_TEST

START_TEST(versions)
{
	struct victim victim;
	struct xt_header *header;
	struct trace *trace;
	struct err err;

	setup(&victim, true);
	header = builder_header(&victim.builder);
	/* A later writer that says that we may read it. */
	header->version = XT_VERSION + 1;
	ck_assert_int_eq(pwrite(victim.fd, victim.builder.bytes, 4096, 0), 4096);
	ck_assert_int_eq(trace_open(&trace, victim.path, &err), 0);
	ck_assert_uint_eq(trace_header(trace)->version, XT_VERSION + 1);
	trace_close(trace);
	header->oldest_reader = XT_VERSION + 1;
	ck_assert_int_eq(pwrite(victim.fd, victim.builder.bytes, 4096, 0), 4096);
	expect_refused(victim.path, "needs a reader of version 10 or later");
	header->oldest_reader = 1;
	header->header_bytes = 100;
	ck_assert_int_eq(pwrite(victim.fd, victim.builder.bytes, 4096, 0), 4096);
	expect_refused(victim.path, "the header is damaged");
	teardown(&victim);
}
END_TEST

/* As long as somebody holds the lock its process lives, and it is read all the same. */
START_TEST(live)
{
	struct victim victim;
	struct trace *trace;
	struct err err;
	bool is_equal = false;

	setup(&victim, false);
	ck_assert_int_eq(flock(victim.fd, LOCK_EX), 0);
	ck_assert_int_eq(trace_open(&trace, victim.path, &err), 0);
	ck_assert(trace_is_live(trace));
	trace_close(trace);
	ck_assert_int_eq(look(&victim, &is_equal), INTACT);
	ck_assert(is_equal);
	ck_assert_int_eq(flock(victim.fd, LOCK_UN), 0);
	ck_assert_int_eq(trace_open(&trace, victim.path, &err), 0);
	ck_assert(!trace_is_live(trace));
	trace_close(trace);
	teardown(&victim);
}
END_TEST

/*
 * A recorder that commits one chunk after the other: free space is split, filled and published; is
 * there too little of it, then the file is made longer and the free frame after it.
 */
struct writer {
	int fd;
	uint64_t free_at, size;
	const uint8_t *frame; /* a chunk frame, whole */
	uint32_t frame_bytes;
	atomic_uint allowed, written; /* chunks */
	atomic_bool is_over;
};

static void store(const struct writer *writer, const void *bytes, size_t size, uint64_t offset)
{
	ck_assert_int_eq(pwrite(writer->fd, bytes, size, (off_t)offset), (ssize_t)size);
}

static void free_frame(const struct writer *writer, uint64_t offset, uint64_t end)
{
	const uint32_t head[2] = { XT_FRAME_CHUNK,
				   (uint32_t)(end - offset - XT_FRAME_HEAD_BYTES) };

	store(writer, head, sizeof(head), offset);
}

static void commit_frame(struct writer *writer, const uint8_t *frame)
{
	const uint64_t at = writer->free_at, pad = at + writer->frame_bytes;
	/* A size that lies in two pages is not stored at once: its reader may see half of it. */
	const uint64_t end = (pad + XT_FRAME_HEAD_BYTES + 7) & ~UINT64_C(7);

	if (writer->size - end < 1000) {
		writer->size += 4000;
		ck_assert_int_eq(ftruncate(writer->fd, (off_t)writer->size), 0);
		free_frame(writer, at, writer->size);
	}
	free_frame(writer, end, writer->size);
	free_frame(writer, at, end);
	free_frame(writer, pad, end);
	store(writer, frame + XT_FRAME_HEAD_BYTES, writer->frame_bytes - XT_FRAME_HEAD_BYTES,
	      at + XT_FRAME_HEAD_BYTES);
	store(writer, frame + 4, 4, at + 4);
	writer->free_at = end;
}

static void *write_on(void *arg)
{
	struct writer *writer = arg;
	uint8_t *frame = malloc(writer->frame_bytes);
	struct xt_meta meta;

	memcpy(frame, writer->frame, writer->frame_bytes);
	memcpy(&meta, frame + XT_FRAME_HEAD_BYTES, sizeof(meta));
	while (!atomic_load(&writer->is_over)) {
		if (meta.seq >= atomic_load(&writer->allowed)) {
			sched_yield();
			continue;
		}
		meta.seq++;
		meta.base += meta.events;
		meta.check = xt_meta_check(&meta);
		memcpy(frame + XT_FRAME_HEAD_BYTES, &meta, sizeof(meta));
		commit_frame(writer, frame);
		atomic_fetch_add(&writer->written, 1);
	}
	free(frame);
	return NULL;
}

/* What grows while it is read is not damaged, and all that was there at the start is seen. */
START_TEST(grows_while_it_is_read)
{
	char path[] = "/tmp/xalloc-unit.XXXXXX";
	struct trace_builder builder;
	struct stream_builder *stream;
	struct writer writer = { .is_over = false };
	uint64_t chunk, before = 0;
	pthread_t thread;

	builder_init(&builder, 0);
	stream = stream_new(&builder, 0, 0, 0);
	for (uint64_t i = 1; i <= 50; i++)
		stream_alloc(stream, XT_OP_MALLOC, 0, 16 * i, i, NULL, 0);
	chunk = stream_commit(stream);
	writer.frame_bytes = (uint32_t)(builder.size - chunk);
	writer.free_at = builder_frame(&builder, XT_FRAME_CHUNK, NULL, 2000);
	writer.size = builder.size;
	writer.frame = builder.bytes + chunk;
	builder_save(&builder, path);
	writer.fd = open(path, O_RDWR | O_CLOEXEC);
	ck_assert_int_eq(flock(writer.fd, LOCK_EX), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, write_on, &writer), 0);
	for (int i = 0; i < 50; i++) {
		struct replayed replayed;
		struct err err;

		atomic_fetch_add(&writer.allowed, 150);
		ck_assert_int_eq(trace_open(&replayed.trace, path, &err), 0);
		replay_run(replayed.trace, &replayed.result, NULL);
		ck_assert_msg(!trace_is_damaged(replayed.trace), "%s",
			      trace_warnings(replayed.trace)->text[0]);
		ck_assert_uint_ge(replayed.result.totals.events, before);
		replayed_release(&replayed);
		before = 50 * (1 + (uint64_t)atomic_load(&writer.written));
	}
	atomic_store(&writer.is_over, true);
	pthread_join(thread, NULL);
	close(writer.fd);
	unlink(path);
	free(stream);
	builder_release(&builder);
}
END_TEST

/* The file shrinks between open and replay: a warning, not a SIGBUS. */
START_TEST(shrinks_while_it_is_read)
{
	struct victim victim;
	struct replayed replayed;
	struct err err;

	setup(&victim, true);
	ck_assert_int_eq(trace_open(&replayed.trace, victim.path, &err), 0);
	ck_assert_int_eq(ftruncate(victim.fd, (off_t)victim.chunk[0] + 5), 0);
	replay_run(replayed.trace, &replayed.result, NULL);
	ck_assert(trace_is_damaged(replayed.trace));
	ck_assert(has_warning(replayed.trace, "can no longer be read"));
	ck_assert_uint_eq(replayed.result.totals.lost_events, victim.totals.events);
	replayed_release(&replayed);
	teardown(&victim);
}
END_TEST

Suite *damage_suite(void)
{
	Suite *suite = suite_create("damage");
	TCase *tcase = tcase_create("damage");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, cut_at_every_offset, 0, 2);
	tcase_add_loop_test(tcase, change_every_byte, 0, 6);
	tcase_add_test(tcase, one_chunk);
	tcase_add_loop_test(tcase, not_as_announced, 0, 2);
	tcase_add_loop_test(tcase, one_metadata, 0, 2);
	tcase_add_test(tcase, inside_a_chunk);
	tcase_add_loop_test(tcase, nonsense_in_whole_chunks, 0, 4);
	tcase_add_test(tcase, no_trace);
	tcase_add_test(tcase, versions);
	tcase_add_test(tcase, live);
	tcase_add_test(tcase, grows_while_it_is_read);
	tcase_add_test(tcase, shrinks_while_it_is_read);
	suite_add_tcase(suite, tcase);
	return suite;
}
