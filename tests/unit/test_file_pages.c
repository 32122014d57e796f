/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyzer/symbols/file_pages.h"
#include "tests/unit/suites.h"

#define BYTES ((size_t)8 << 20)

/* KB of mapped files that this process has. */
static long mapped_kb(void)
{
	FILE *status = fopen("/proc/self/status", "re");
	char line[256];
	long kb = -1;

	ck_assert_ptr_nonnull(status);
	while (kb < 0 && fgets(line, sizeof(line), status))
		sscanf(line, "RssFile: %ld", &kb);
	fclose(status);
	return kb;
}

static uint64_t sum_of(const uint8_t *bytes)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < BYTES; i += 64)
		sum += bytes[i];
	return sum;
}

static int make_file(void)
{
	char path[] = "/tmp/file-pages-XXXXXX";
	static uint8_t bytes[BYTES];
	const int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	unlink(path);
	memset(bytes, 3, sizeof(bytes));
	ck_assert_int_eq(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
	return fd;
}

START_TEST(pages_are_given_back_and_come_again)
{
	const int fd = make_file();
	uint8_t *all = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE, fd, 0);
	struct stat file;
	long before;

	ck_assert_ptr_ne(all, MAP_FAILED);
	ck_assert_uint_eq(sum_of(all), BYTES / 64 * 3);
	before = mapped_kb();
	ck_assert_int_eq(fstat(fd, &file), 0);
	file_pages_give(&file);
	ck_assert_int_le(mapped_kb(), before - (long)(BYTES >> 10) * 3 / 4);
	ck_assert_uint_eq(sum_of(all), BYTES / 64 * 3);
	munmap(all, BYTES);
	close(fd);
}
END_TEST

/* What was written to them would be gone. */
START_TEST(other_mappings_keep_theirs)
{
	const int fd = make_file();
	uint8_t *own = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	uint8_t *part = mmap(NULL, BYTES / 2, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	struct stat file;

	ck_assert_ptr_ne(own, MAP_FAILED);
	ck_assert_ptr_ne(part, MAP_FAILED);
	memset(own, 5, BYTES);
	memset(part, 6, BYTES / 2);
	mprotect(part, BYTES / 2, PROT_READ);
	ck_assert_int_eq(fstat(fd, &file), 0);
	file_pages_give(&file);
	ck_assert_uint_eq(sum_of(own), BYTES / 64 * 5);
	ck_assert_uint_eq(part[0], 6);
	munmap(own, BYTES);
	munmap(part, BYTES / 2);
	close(fd);
}
END_TEST

Suite *file_pages_suite(void)
{
	Suite *suite = suite_create("file_pages");
	TCase *tcase = tcase_create("file_pages");

	tcase_add_test(tcase, pages_are_given_back_and_come_again);
	tcase_add_test(tcase, other_mappings_keep_theirs);
	suite_add_tcase(suite, tcase);
	return suite;
}
