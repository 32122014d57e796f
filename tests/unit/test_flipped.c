/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each single bit that flips in a trace's header or in the metadata of a chunk is noticed. */
#include <check.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/replayed.h"
#include "tests/unit/suites.h"

struct victim {
	struct trace_builder builder;
	uint64_t chunk[2]; /* offsets of metadata */
	char path[64];
	int fd;
};

/* Before anything but the window is there. */
static void make_compact(struct trace_builder *builder)
{
	builder->size = builder->window;
	builder_header(builder)->is_compact = 1;
}

/* Killed, ended, or compact. */
static void setup(struct victim *victim, int form)
{
	struct trace_builder *const builder = &victim->builder;
	struct stream_builder *stream;

	builder_init(builder, 1);
	if (form == 2)
		make_compact(builder);
	builder_ids(builder, 0, XT_ID_FIRST, 32);
	stream = stream_new(builder, 0, 0, 0);
	for (uint64_t i = 0; i < 2; i++) {
		const uint32_t stack[] = { 16, 17 + (uint32_t)i };

		stream_alloc(stream, XT_OP_MALLOC, 10 * i + 1, 0x1000 * (i + 1), 100, stack, 2);
		victim->chunk[i] = stream_commit(stream) + XT_FRAME_HEAD_BYTES;
	}
	free(stream);
	if (form)
		builder_end(builder, 3);
	strcpy(victim->path, "/tmp/xalloc-unit.XXXXXX");
	builder_save(builder, victim->path);
	victim->fd = open(victim->path, O_RDWR | O_CLOEXEC);
	ck_assert_int_ge(victim->fd, 0);
}

static bool is_noticed(const struct victim *victim)
{
	struct trace *trace;
	struct err err;
	bool is_damaged;

	if (trace_open(&trace, victim->path, &err))
		return true;
	is_damaged = trace_is_damaged(trace);
	trace_close(trace);
	return is_damaged;
}

static void put(const struct victim *victim, uint64_t offset, uint8_t byte)
{
	ck_assert_int_eq(pwrite(victim->fd, &byte, 1, (off_t)offset), 1);
}

static void expect_noticed(const struct victim *victim, uint64_t from, uint64_t to)
{
	for (uint64_t bit = 8 * from; bit < 8 * to; bit++) {
		const uint8_t byte = victim->builder.bytes[bit / 8];

		put(victim, bit / 8, byte ^ (uint8_t)(1 << bit % 8));
		ck_assert_msg(is_noticed(victim), "offset %ju, bit %d", (uintmax_t)(bit / 8),
			      (int)(bit % 8));
		put(victim, bit / 8, byte);
	}
}

/* No figure is in the clock pair that is not the latest, nor in the numbers of raw chunks and
 * threads. */
START_TEST(every_bit)
{
	const uint64_t header = XT_FRAME_HEAD_BYTES;
	struct victim victim;

	setup(&victim, _i);
	ck_assert(!is_noticed(&victim));
	expect_noticed(&victim, 0, header + offsetof(struct xt_header, last_pair[1]));
	expect_noticed(&victim, header + offsetof(struct xt_header, last_pair_index),
		       header + offsetof(struct xt_header, raw_chunks));
	expect_noticed(&victim, header + offsetof(struct xt_header, usable_rule),
		       header + sizeof(struct xt_header));
	for (int i = 0; i < 2; i++)
		expect_noticed(&victim, victim.chunk[i], victim.chunk[i] + sizeof(struct xt_meta));
	close(victim.fd);
	unlink(victim.path);
	builder_release(&victim.builder);
}
END_TEST

Suite *flipped_suite(void)
{
	Suite *suite = suite_create("flipped");
	TCase *tcase = tcase_create("flipped");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, every_bit, 0, 3);
	suite_add_tcase(suite, tcase);
	return suite;
}
