/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdint.h>

#include "preload/unwind/packed_row.h"
#include "tests/unit/suites.h"

static const uint32_t ids[] = { 0, 16, 0x12345678, UINT32_MAX };
#define IDS ((int)(sizeof(ids) / sizeof(ids[0])))

/* Whatever packs has to come out as it was; what does not has to say so. */
static void check_step(uint32_t id, struct row row, int fits)
{
	const struct packed_row packed = packed_of_step(id, &row);
	struct row out;

	ck_assert_int_eq(packed.bits != 0, fits);
	if (!fits)
		return;
	ck_assert_int_ne(packed_is_step(packed), 0);
	ck_assert_uint_eq(packed_id(packed), id);
	out = packed_step(packed);
	ck_assert_uint_eq(out.kind, ROW_STEP);
	ck_assert_uint_eq(out.cfa, row.cfa);
	ck_assert_uint_eq(out.rbp, row.rbp);
	ck_assert_int_eq(out.cfa_offset, row.cfa_offset);
	ck_assert_int_eq(out.rbp_offset, row.rbp_offset);
}

START_TEST(step_round_trip)
{
	static const int32_t cfa_offset[] = { 0, 8, -8, 16, 65528, -65528 };
	static const int32_t rbp_offset[] = { 0, 8, -8, -16, 32760, -32760 };
	uint8_t cfa, rbp;
	int i, j;

	for (cfa = CFA_RSP; cfa <= CFA_DEREF_RBP; cfa++)
		for (rbp = RBP_SAME; rbp <= RBP_AT_RBP; rbp++)
			for (i = 0; i < 6; i++)
				for (j = 0; j < 6; j++)
					check_step(ids[_i],
						   (struct row){ ROW_STEP, cfa, rbp, 0,
								 cfa_offset[i], rbp_offset[j] },
						   1);
}
END_TEST

START_TEST(step_that_does_not_fit)
{
	static const int32_t offset[] = { 1, 12, -4, 65544, -65544, INT32_MAX - 7, INT32_MIN };
	int i;

	for (i = 0; i < 7; i++) {
		check_step(16, (struct row){ ROW_STEP, CFA_RSP, RBP_SAME, 0, offset[i], 0 }, 0);
		check_step(16, (struct row){ ROW_STEP, CFA_RSP, RBP_AT_CFA, 0, 16, offset[i] }, 0);
	}
	check_step(16, (struct row){ .kind = ROW_END }, 0);
}
END_TEST

START_TEST(other_round_trip)
{
	uint8_t kind;

	for (kind = ROW_STEP; kind <= ROW_OUTSIDE; kind++) {
		const struct packed_row most = packed_other(ids[_i], kind, 1, (1u << 27) - 1),
					least = packed_other(ids[_i], kind, 0, 0);

		ck_assert_int_eq(packed_is_step(most) || packed_is_step(least), 0);
		ck_assert_uint_ne(least.bits, 0);
		ck_assert_uint_eq(packed_id(most), ids[_i]);
		ck_assert_uint_eq(packed_kind(most), kind);
		ck_assert_uint_eq(packed_kind(least), kind);
		ck_assert_uint_eq(packed_more(most), (1u << 27) - 1);
		ck_assert_uint_eq(packed_more(least), 0);
		ck_assert_uint_eq(most.bits & PACKED_IS_UNKNOWN, PACKED_IS_UNKNOWN);
		ck_assert_uint_eq(least.bits & PACKED_IS_UNKNOWN, 0);
	}
}
END_TEST

Suite *packed_row_suite(void)
{
	Suite *suite = suite_create("packed_row");
	TCase *tcase = tcase_create("packed_row");

	tcase_add_loop_test(tcase, step_round_trip, 0, IDS);
	tcase_add_test(tcase, step_that_does_not_fit);
	tcase_add_loop_test(tcase, other_round_trip, 0, IDS);
	suite_add_tcase(suite, tcase);
	return suite;
}
