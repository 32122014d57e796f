/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdint.h>
#include <string.h>

#include "preload/trace/codec.h"
#include "tests/unit/suites.h"

static const uint64_t boundary[] = {
	0, 1, 0x7F, 0x80, 0x3FFF, 0x4000, 0x1FFFFF, 0x200000, 0xFFFFFFF, 0x10000000, UINT32_MAX,
	UINT64_C(1) << 32, UINT64_C(1) << 35, (UINT64_C(1) << 42) - 1, UINT64_C(1) << 56,
	(UINT64_C(1) << 63) - 1, UINT64_C(1) << 63, UINT64_MAX - 1, UINT64_MAX,
};
#define BOUNDARIES ((int)(sizeof(boundary) / sizeof(boundary[0])))

START_TEST(varint_round_trip)
{
	const uint64_t value = boundary[_i];
	uint8_t bytes[16];
	const size_t size = (size_t)(xt_put_varint(bytes, value) - bytes);
	struct xt_cursor cursor = xt_cursor_init(bytes, size);
	size_t bits = 0;

	while (bits < 64 && value >> bits)
		bits++;
	ck_assert_uint_eq(size, bits ? (bits + 6) / 7 : 1);
	ck_assert_uint_eq(xt_get_varint(&cursor), value);
	ck_assert_int_eq(cursor.bad, 0);
	ck_assert_ptr_eq(cursor.at, bytes + size);
}
END_TEST

START_TEST(varint_cut_short)
{
	uint8_t bytes[16];
	const size_t size = (size_t)(xt_put_varint(bytes, boundary[_i]) - bytes);

	for (size_t cut = 0; cut < size; cut++) {
		struct xt_cursor cursor = xt_cursor_init(bytes, cut);

		ck_assert_uint_eq(xt_get_varint(&cursor), 0);
		ck_assert_int_eq(cursor.bad, 1);
		ck_assert_ptr_eq(cursor.at, bytes);
		/* It stays bad, even where a byte could be had. */
		ck_assert_uint_eq(xt_get_byte(&cursor), 0);
		ck_assert_uint_eq(xt_get_varint(&cursor), 0);
		ck_assert_ptr_eq(cursor.at, bytes);
	}
}
END_TEST

START_TEST(varint_too_long)
{
	uint8_t bytes[12];
	struct xt_cursor cursor;

	/* 10 bytes are the most, and the tenth has one bit. */
	memset(bytes, 0xFF, sizeof(bytes));
	bytes[9] = 0x01;
	cursor = xt_cursor_init(bytes, sizeof(bytes));
	ck_assert_uint_eq(xt_get_varint(&cursor), UINT64_MAX);
	bytes[9] = 0x02;
	cursor = xt_cursor_init(bytes, sizeof(bytes));
	ck_assert_uint_eq(xt_get_varint(&cursor), 0);
	ck_assert_int_eq(cursor.bad, 1);
	bytes[9] = 0x81;
	bytes[10] = 0x00;
	cursor = xt_cursor_init(bytes, sizeof(bytes));
	ck_assert_uint_eq(xt_get_varint(&cursor), 0);
	ck_assert_int_eq(cursor.bad, 1);
	/* Zeros that add nothing are no error. */
	memset(bytes, 0x80, sizeof(bytes));
	bytes[9] = 0x00;
	cursor = xt_cursor_init(bytes, sizeof(bytes));
	ck_assert_uint_eq(xt_get_varint(&cursor), 0);
	ck_assert_int_eq(cursor.bad, 0);
	ck_assert_ptr_eq(cursor.at, bytes + 10);
}
END_TEST

START_TEST(bad_stays_bad)
{
	const uint8_t bytes[] = { 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01 };
	struct xt_cursor cursor = xt_cursor_init(bytes, sizeof(bytes));

	ck_assert_uint_eq(xt_get_varint(&cursor), 0);
	ck_assert_int_eq(cursor.bad, 1);
	ck_assert_uint_eq(xt_get_varint(&cursor), 0);
	ck_assert_uint_eq(xt_get_byte(&cursor), 0);
	ck_assert_int_eq(cursor.bad, 1);
	ck_assert_ptr_eq(cursor.at, bytes);
}
END_TEST

START_TEST(zigzag)
{
	const int64_t value[] = { 0, -1, 1, -2, 63, -64, 64, INT32_MIN, INT64_MAX, INT64_MIN };

	for (size_t i = 0; i < sizeof(value) / sizeof(value[0]); i++)
		ck_assert_int_eq(xt_unzigzag(xt_zigzag(value[i])), value[i]);
	ck_assert_uint_eq(xt_zigzag(0), 0);
	ck_assert_uint_eq(xt_zigzag(-1), 1);
	ck_assert_uint_eq(xt_zigzag(1), 2);
	ck_assert_uint_eq(xt_zigzag(INT64_MIN), UINT64_MAX);
}
END_TEST

START_TEST(address_round_trip)
{
	for (int j = 0; j < BOUNDARIES; j++) {
		const uint64_t addr = boundary[_i], last = boundary[j];
		uint8_t bytes[16];
		const size_t size = (size_t)(xt_put_addr(bytes, addr, last) - bytes);
		struct xt_cursor cursor = xt_cursor_init(bytes, size);

		ck_assert_uint_eq(xt_get_addr(&cursor, last), addr & ~UINT64_C(15));
		ck_assert_int_eq(cursor.bad, 0);
	}
}
END_TEST

Suite *codec_suite(void)
{
	Suite *suite = suite_create("codec");
	TCase *tcase = tcase_create("codec");

	tcase_add_loop_test(tcase, varint_round_trip, 0, BOUNDARIES);
	tcase_add_loop_test(tcase, varint_cut_short, 0, BOUNDARIES);
	tcase_add_test(tcase, varint_too_long);
	tcase_add_test(tcase, bad_stays_bad);
	tcase_add_test(tcase, zigzag);
	tcase_add_loop_test(tcase, address_round_trip, 0, BOUNDARIES);
	suite_add_tcase(suite, tcase);
	return suite;
}
