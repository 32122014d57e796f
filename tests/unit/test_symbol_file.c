/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "analyzer/symbols/symbol_file.h"
#include "tests/unit/suites.h"

#define BODY_MAX 65536

static const struct symbol_frame chain[] = {
	{ "inner", "/src/inner.h", 7 },
	{ "outer", "/src/outer.c", 70 },
	{ "", "", 0 },
};

/* A file of its own with such bytes; the caller closes it. */
static int file_of(const void *bytes, size_t size)
{
	const int fd = memfd_create("symbols", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
	return fd;
}

/* One that holds the tables. */
static int write_tables(struct symbol_table **table, size_t count)
{
	const int fd = memfd_create("symbols", MFD_CLOEXEC);
	FILE *out = fdopen(dup(fd), "w");

	ck_assert_int_eq(symbol_file_write(out, table, count, BODY_MAX), 0);
	fclose(out);
	return fd;
}

static struct symbol_file *read_file(int fd, const char *expected_why)
{
	char *why = NULL;
	struct symbol_file *file = symbol_file_read(fd, BODY_MAX, &why);

	if (expected_why)
		ck_assert_str_eq(why, expected_why);
	else
		ck_assert_ptr_null(why);
	free(why);
	close(fd);
	return file;
}

static void check_chain(const struct symbol_table *table, uint64_t addr, int first, int count)
{
	size_t at;

	ck_assert_int_eq(symbol_table_find(table, addr, &at), count);
	for (int i = 0; i < count; i++) {
		const struct symbol_frame frame = symbol_table_frame(table, at, i);

		ck_assert_str_eq(frame.function, chain[first + i].function);
		ck_assert_str_eq(frame.file, chain[first + i].file);
		ck_assert_uint_eq(frame.line, chain[first + i].line);
	}
}

static int write_two(void)
{
	struct symbol_table *table[] = { symbol_table_new("one", NULL, NULL),
					 symbol_table_new("two", "no such file", NULL) };
	int fd;

	ck_assert(!symbol_table_has_news(table[0]));
	symbol_table_add(table[0], 0x2000, chain, 2);
	symbol_table_add(table[0], 0x1000, chain + 1, 1);
	symbol_table_add(table[0], 0x2000, chain, 2);
	symbol_table_add(table[0], 0x3000, NULL, 0);
	symbol_table_add(table[0], UINT64_MAX, chain + 2, 1);
	ck_assert(symbol_table_has_news(table[0]));
	fd = write_tables(table, 2);
	symbol_table_free(table[0]);
	symbol_table_free(table[1]);
	return fd;
}

static void check_two(const struct symbol_file *file)
{
	struct symbol_table *one = symbol_file_find(file, "one"),
			    *two = symbol_file_find(file, "two");
	size_t at;

	ck_assert_uint_eq(symbol_file_count(file), 2);
	ck_assert_ptr_null(symbol_file_find(file, "three"));
	ck_assert_str_eq(symbol_table_why(one), "");
	ck_assert_str_eq(symbol_table_why(two), "no such file");
	check_chain(one, 0x1000, 1, 1);
	check_chain(one, 0x2000, 0, 2);
	check_chain(one, 0x3000, 0, 0);
	check_chain(one, UINT64_MAX, 2, 1);
	ck_assert_int_eq(symbol_table_find(one, 0x1001, &at), -1);
	ck_assert_int_eq(symbol_table_find(two, 0x1000, &at), -1);
	ck_assert(!symbol_table_has_news(one));
}

START_TEST(what_was_written_is_read)
{
	struct symbol_file *file = read_file(write_two(), NULL);

	check_two(file);
	symbol_file_free(file);
}
END_TEST

START_TEST(what_is_added_comes_to_what_was_there)
{
	struct symbol_file *file = read_file(write_two(), NULL);
	struct symbol_table *one = symbol_file_table(file, 0);
	struct symbol_file *again;

	symbol_table_add(one, 0x1800, chain, 3);
	symbol_table_add(one, 0x2000, chain + 1, 1); /* what was there stays */
	again = read_file(write_tables(&one, 1), NULL);
	symbol_file_free(file);
	one = symbol_file_find(again, "one");
	check_chain(one, 0x1000, 1, 1);
	check_chain(one, 0x1800, 0, 3);
	check_chain(one, 0x2000, 0, 2);
	symbol_file_free(again);
}
END_TEST

START_TEST(a_chain_that_is_too_long_is_left_out)
{
	static struct symbol_frame many[SYMBOL_CHAIN_MAX + 1];
	struct symbol_table *table = symbol_table_new("one", NULL, NULL);
	struct symbol_file *file;
	size_t at;

	for (size_t i = 0; i <= SYMBOL_CHAIN_MAX; i++)
		many[i] = chain[0];
	symbol_table_add(table, 1, many, SYMBOL_CHAIN_MAX + 1);
	symbol_table_add(table, 2, many, SYMBOL_CHAIN_MAX);
	file = read_file(write_tables(&table, 1), NULL);
	symbol_table_free(table);
	ck_assert_int_eq(symbol_table_find(symbol_file_table(file, 0), 1, &at), -1);
	ck_assert_int_eq(symbol_table_find(symbol_file_table(file, 0), 2, &at),
			 (int)SYMBOL_CHAIN_MAX);
	symbol_file_free(file);
}
END_TEST

static size_t read_bytes(int fd, unsigned char *bytes)
{
	const ssize_t size = pread(fd, bytes, BODY_MAX, 0);

	ck_assert_int_gt(size, 0);
	close(fd);
	return (size_t)size;
}

/* No byte of the file may be another, and none may be missing. */
START_TEST(a_damaged_file_is_none)
{
	unsigned char whole[BODY_MAX], other[BODY_MAX];
	const size_t size = read_bytes(write_two(), whole);
	size_t taken = 0;

	for (size_t i = 0; i < size; i++) {
		struct symbol_file *file;
		char *why = NULL;
		int fd = file_of(whole, i);

		ck_assert_ptr_null(symbol_file_read(fd, BODY_MAX, &why));
		free(why);
		close(fd);
		memcpy(other, whole, size);
		other[i] ^= 0x10;
		fd = file_of(other, size);
		why = NULL;
		file = symbol_file_read(fd, BODY_MAX, &why);
		ck_assert((file != NULL) == (why == NULL));
		if (file) /* Zstandard has bits that say nothing */
			check_two(file);
		taken += file != NULL;
		symbol_file_free(file);
		free(why);
		close(fd);
	}
	ck_assert_uint_lt(taken, size / 10);
}
END_TEST

/* Packed anew, so that the checksum is right. */
static int pack(const void *body, size_t size)
{
	static char packed[BODY_MAX * 2];
	const size_t bytes = ZSTD_compress(packed, sizeof(packed), body, size, 1);

	ck_assert(!ZSTD_isError(bytes));
	return file_of(packed, bytes);
}

static size_t unpacked(unsigned char *body)
{
	unsigned char whole[BODY_MAX];
	const size_t size = read_bytes(write_two(), whole);
	const size_t bytes = ZSTD_decompress(body, BODY_MAX, whole, size);

	ck_assert(!ZSTD_isError(bytes));
	return bytes;
}

/* All texts of a file end, and all entries are its own: a sanitizer sees when not. */
static size_t walk(const struct symbol_file *file)
{
	size_t sum = 0, at;

	for (size_t i = 0; i < symbol_file_count(file); i++) {
		const struct symbol_table *table = symbol_file_table(file, i);
		struct symbol_image image;

		sum += strlen(symbol_table_key(table)) + strlen(symbol_table_why(table));
		symbol_table_image(table, &image);
		for (uint32_t row = 0; row < image.rows; row++)
			sum += symbol_table_find(table, image.row[row].addr, &at) >= 0;
		sum += image.text_bytes;
		symbol_image_release(&image);
	}
	return sum;
}

START_TEST(hostile_bodies_do_no_harm)
{
	static const unsigned char values[] = { 0, 1, 0x7F, 0x80, 0xFF };
	unsigned char body[BODY_MAX], other[BODY_MAX];
	const size_t size = unpacked(body);
	size_t taken = 0, refused = 0;

	for (size_t i = 0; i < size; i++) {
		for (size_t k = 0; k < sizeof(values); k++) {
			struct symbol_file *file;
			char *why = NULL;
			int fd;

			memcpy(other, body, size);
			other[i] = values[k];
			fd = pack(other, size);
			file = symbol_file_read(fd, BODY_MAX, &why);
			ck_assert((file != NULL) == (why == NULL));
			if (file && walk(file))
				taken++;
			else
				refused++;
			symbol_file_free(file);
			free(why);
			close(fd);
		}
	}
	ck_assert_uint_gt(taken, 100);
	ck_assert_uint_gt(refused, 100);
	for (size_t i = 0; i < size; i++)
		ck_assert_ptr_null(read_file(pack(body, i), i < 16 ? "it is no file of symbols"
								   : "it is damaged"));
}
END_TEST

START_TEST(what_would_be_too_large_is_not_written)
{
	struct symbol_table *table = symbol_table_new("one", NULL, NULL);
	const int fd = memfd_create("symbols", MFD_CLOEXEC);
	FILE *out = fdopen(fd, "w");

	symbol_table_add(table, 1, chain, 2);
	errno = 0;
	ck_assert_int_eq(symbol_file_write(out, &table, 1, 100), -1);
	ck_assert_int_eq(errno, EFBIG);
	ck_assert_int_eq(ftell(out), 0);
	fclose(out);
	symbol_table_free(table);
}
END_TEST

START_TEST(other_files_say_why)
{
	unsigned char body[BODY_MAX];
	const size_t size = unpacked(body);
	static char zeros[BODY_MAX + 1];

	ck_assert_ptr_null(read_file(file_of("", 0), "it is no file of symbols"));
	ck_assert_ptr_null(read_file(file_of("text", 4), "it is no file of symbols"));
	ck_assert_ptr_null(read_file(file_of(zeros, sizeof(zeros)), "it is too large"));
	ck_assert_ptr_null(read_file(pack(zeros, sizeof(zeros)), "it is too large"));
	body[8]++;
	ck_assert_ptr_null(read_file(pack(body, size), "its version is 2, not 1"));
	body[0]++;
	ck_assert_ptr_null(read_file(pack(body, size), "it is no file of symbols"));
}
END_TEST

Suite *symbol_file_suite(void)
{
	Suite *suite = suite_create("symbol_file");
	TCase *tcase = tcase_create("symbol_file");

	tcase_add_test(tcase, what_was_written_is_read);
	tcase_add_test(tcase, what_is_added_comes_to_what_was_there);
	tcase_add_test(tcase, a_chain_that_is_too_long_is_left_out);
	tcase_add_test(tcase, a_damaged_file_is_none);
	tcase_add_test(tcase, hostile_bodies_do_no_harm);
	tcase_add_test(tcase, what_would_be_too_large_is_not_written);
	tcase_add_test(tcase, other_files_say_why);
	suite_add_tcase(suite, tcase);
	return suite;
}
