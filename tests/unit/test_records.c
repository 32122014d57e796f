/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/trace/record_reader.h"
#include "tests/unit/replayed.h"
#include "tests/unit/suites.h"

struct records {
	uint8_t bytes[8192];
	size_t used;
};

static uint32_t padded(size_t size)
{
	return (uint32_t)((size + sizeof(struct xt_record) + XT_RECORD_ALIGN - 1) /
			  XT_RECORD_ALIGN * XT_RECORD_ALIGN);
}

static struct xt_record *put(struct records *records, uint16_t type, const void *payload,
			     size_t size)
{
	struct xt_record head = { padded(size), type, 1 };
	uint8_t *at = records->bytes + records->used;

	memcpy(at, &head, sizeof(head));
	memcpy(at + sizeof(head), payload, size);
	records->used += head.size;
	return (struct xt_record *)at;
}

static struct xt_record *put_text(struct records *records, uint16_t type, const char *text,
				  size_t size)
{
	uint8_t payload[1024];
	const uint32_t bytes = (uint32_t)size;

	memcpy(payload, &bytes, sizeof(bytes));
	memcpy(payload + sizeof(bytes), text, size);
	return put(records, type, payload, sizeof(bytes) + size);
}

static struct xt_module *put_module(struct records *records, uint32_t index)
{
	const struct xt_segment segment[2] = { { 0, 0x800, 0, 5, 0 },
					      { 0x1000, 0x200, 0x800, 6, 0 } };
	struct xt_module module = { .index = index, .first_epoch = 3, .map_start = 0x10000,
				    .map_end = 0x20000, .load_bias = 0x10000, .entry = 0x40,
				    .segments = 2, .build_id_bytes = 3, .path_bytes = 5,
				    .flags = 1 };
	uint8_t payload[256];

	memcpy(payload, &module, sizeof(module));
	memcpy(payload + sizeof(module), segment, sizeof(segment));
	memcpy(payload + sizeof(module) + sizeof(segment), "\xAB\xCD\xEF/lib/x", 9);
	return (struct xt_module *)((uint8_t *)put(records, XT_RECORD_MODULE, payload,
						   sizeof(module) + sizeof(segment) + 8) +
				    sizeof(struct xt_record));
}

static struct replayed open_with(const struct records *records, bool in_slot)
{
	const struct xt_meta meta = { .kind = XT_KIND_RECORDS, .events = 1 };
	const struct xt_slot head = { .kind = XT_KIND_RECORDS };
	struct trace_builder builder;
	struct replayed replayed;

	builder_init(&builder, 1);
	if (in_slot)
		builder_slot(&builder, head, records->bytes, (uint32_t)records->used);
	else
		builder_chunk(&builder, meta, records->bytes, (uint32_t)records->used);
	replayed = replay_of(&builder);
	builder_release(&builder);
	return replayed;
}

START_TEST(every_type)
{
	const struct xt_unload unload = { 4, 9 };
	const struct xt_range range = { 0x7000, 0x8000, 2, 0 };
	struct records *records = calloc(1, sizeof(*records));
	const struct module *module;
	struct replayed replayed;

	put_text(records, XT_RECORD_EXE, "/bin/bench", 10);
	put_text(records, XT_RECORD_ARGV, "./bench\0\0a b\0", 13);
	put_text(records, XT_RECORD_CWD, "/tmp", 4);
	records->used += 2 * XT_RECORD_ALIGN; /* not written yet */
	put_text(records, XT_RECORD_MESSAGE, "beware", 6);
	put_text(records, XT_RECORD_MESSAGE, "not ready", 9)->ready = 0;
	put_text(records, 77, "of a later version", 18);
	put_text(records, XT_RECORD_SETTING, "XALLOC_DEPTH=12", 15);
	put(records, XT_RECORD_UNLOAD, &unload, sizeof(unload));
	put(records, XT_RECORD_RANGE, &range, sizeof(range));
	put_module(records, 4);
	replayed = open_with(records, _i);
	ck_assert(!trace_is_damaged(replayed.trace));
	ck_assert_str_eq(trace_exe(replayed.trace), "/bin/bench");
	ck_assert_str_eq(trace_cwd(replayed.trace), "/tmp");
	ck_assert_uint_eq(trace_argc(replayed.trace), 3);
	ck_assert_str_eq(trace_argv(replayed.trace)[0], "./bench");
	ck_assert_str_eq(trace_argv(replayed.trace)[1], "");
	ck_assert_str_eq(trace_argv(replayed.trace)[2], "a b");
	ck_assert_ptr_null(trace_argv(replayed.trace)[3]);
	ck_assert(has_warning(replayed.trace, "beware"));
	ck_assert(!has_warning(replayed.trace, "not ready"));
	ck_assert_str_eq(trace_settings(replayed.trace)->text[0], "XALLOC_DEPTH=12");
	ck_assert_uint_eq(module_map_count(trace_modules(replayed.trace)), 1);
	module = module_map_get(trace_modules(replayed.trace), 0);
	ck_assert_str_eq(module->path, "/lib/");
	ck_assert_uint_eq(module->unload_epoch, 9);
	ck_assert_uint_eq(module->build_id_bytes, 3);
	ck_assert_mem_eq(module->build_id, "\xAB\xCD\xEF", 3);
	ck_assert_uint_eq(module->segments, 2);
	ck_assert_uint_eq(module->segment[1].file_offset, 0x800);
	ck_assert(module->is_main);
	replayed_release(&replayed);
	free(records);
}
END_TEST

START_TEST(nothing_known)
{
	struct trace_builder builder;
	struct replayed replayed;

	builder_init(&builder, 1);
	replayed = replay_of(&builder);
	ck_assert_ptr_null(trace_exe(replayed.trace));
	ck_assert_ptr_null(trace_cwd(replayed.trace));
	ck_assert_uint_eq(trace_argc(replayed.trace), 0);
	ck_assert_ptr_null(trace_argv(replayed.trace)[0]);
	replayed_release(&replayed);
	builder_release(&builder);
}
END_TEST

/* Sizes that lie: told, stepped over where the frame of the record is whole, and the rest is
 * read. */
START_TEST(damaged_records)
{
	struct records *records = calloc(1, sizeof(*records));
	struct replayed replayed;

	put_module(records, 1)->segments = 0x7FFFFFFF;
	put_module(records, 2)->path_bytes = UINT32_MAX;
	put_module(records, 3)->build_id_bytes = 60000;
	put(records, XT_RECORD_UNLOAD, "1234567", 0)->size = 64;
	*(uint32_t *)(put_text(records, XT_RECORD_EXE, "/bin/x", 6) + 1) = 61;
	put_text(records, XT_RECORD_CWD, "/", 1);
	put_text(records, XT_RECORD_MESSAGE, "unreached", 9)->size = 65;
	replayed = open_with(records, false);
	ck_assert(trace_is_damaged(replayed.trace));
	ck_assert_uint_eq(module_map_count(trace_modules(replayed.trace)), 0);
	ck_assert_ptr_null(trace_exe(replayed.trace));
	ck_assert_str_eq(trace_cwd(replayed.trace), "/");
	ck_assert(has_warning(replayed.trace, "a record of type 3 is damaged"));
	ck_assert(has_warning(replayed.trace, "a record of type 1 is damaged"));
	ck_assert(has_warning(replayed.trace, "those after it"));
	ck_assert(!has_warning(replayed.trace, "unreached"));
	replayed_release(&replayed);
	free(records);
}
END_TEST

/* A chunk that was committed just before a kill, and its slot, which has one more: each record
 * counts once. */
START_TEST(chunk_and_slot)
{
	const struct xt_meta meta = { .kind = XT_KIND_RECORDS, .events = 1 };
	const struct xt_slot head = { .kind = XT_KIND_RECORDS };
	struct records *records = calloc(1, sizeof(*records));
	struct trace_builder builder;
	struct replayed replayed;

	put_text(records, XT_RECORD_SETTING, "XALLOC_DEPTH=12", 15);
	put_text(records, XT_RECORD_SETTING, "XALLOC_LEVEL=0", 14)->ready = 0;
	put_text(records, XT_RECORD_SETTING, "XALLOC_OUT=a", 12);
	builder_init(&builder, 2);
	builder_chunk(&builder, meta, records->bytes, (uint32_t)records->used);
	((struct xt_record *)(records->bytes + XT_RECORD_ALIGN))->ready = 1;
	put_text(records, XT_RECORD_SETTING, "XALLOC_FOLLOW=0", 15);
	builder_slot(&builder, head, records->bytes, (uint32_t)records->used);
	replayed = replay_of(&builder);
	ck_assert(!trace_is_damaged(replayed.trace));
	ck_assert_uint_eq(trace_settings(replayed.trace)->count, 4);
	ck_assert_str_eq(trace_settings(replayed.trace)->text[0], "XALLOC_DEPTH=12");
	ck_assert_str_eq(trace_settings(replayed.trace)->text[1], "XALLOC_OUT=a");
	ck_assert_str_eq(trace_settings(replayed.trace)->text[2], "XALLOC_LEVEL=0");
	ck_assert_str_eq(trace_settings(replayed.trace)->text[3], "XALLOC_FOLLOW=0");
	replayed_release(&replayed);
	builder_release(&builder);
	free(records);
}
END_TEST

Suite *records_suite(void)
{
	Suite *suite = suite_create("records");
	TCase *tcase = tcase_create("records");

	tcase_add_loop_test(tcase, every_type, 0, 2);
	tcase_add_test(tcase, nothing_known);
	tcase_add_test(tcase, damaged_records);
	tcase_add_test(tcase, chunk_and_slot);
	suite_add_tcase(suite, tcase);
	return suite;
}
