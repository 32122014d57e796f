/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures and names as a report for people shows them. */
#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/err.h"
#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"
#include "analyzer/render/short_name.h"
#include "tests/unit/suites.h"

static const struct {
	const char *name, *text;
} names[] = {
	/* Short enough, whatever is in it. */
	{ "std::vector<std::pair<int, long>>::push_back(std::pair<int, long>&&)",
	  "std::vector<std::pair<int, long>>::push_back(std::pair<int, long>&&)" },
	{ "void std::vector<std::__cxx11::basic_string<char>, std::allocator<int> >::"
	  "_M_realloc_insert<std::__cxx11::basic_string<char> >(char const*, std::string&&)",
	  "void std::vector<…>::_M_realloc_insert<…>(…)" },
	/* What is as short as a word stays. */
	{ "std::vector<int>::a_function_of_a_name_that_is_long_enough_to_be_shortened_"
	  "(std::allocator<char>) const",
	  "std::vector<int>::a_function_of_a_name_that_is_long_enough_to_be_shortened_(…) const" },
	{ "(anonymous namespace)::a_function_of_a_name_that_is_long_enough_to_be_shortened"
	  "(unsigned long)",
	  "(anonymous namespace)::a_function_of_a_name_that_is_long_enough_to_be_shortened(…)" },
	/* Signs that are no brackets. */
	{ "std::basic_ostream<char, std::char_traits<char> >& std::operator<< "
	  "<std::char_traits<char> >(std::basic_ostream<char>&, char const*)",
	  "std::basic_ostream<…>& std::operator<< <…>(…)" },
	{ "bool operator< <std::pair<int const, long>, long, void>(a::b<c, d> const&, "
	  "a::b<c, d> const&)",
	  "bool operator< <…>(…)" },
	{ "outer::run(std::function<void (int)>)::{lambda(std::pair<int, int>)#1}::operator()"
	  "(std::pair<int, int>) const",
	  "outer::run(…)::{lambda(…)#1}::operator()(…) const" },
	{ "std::enable_if<((sizeof (long))>(4)) && ((sizeof (int))<(8)), long>::type "
	  "f<long, unsigned long>(long)",
	  "std::enable_if<…>::type f<…>(long)" },
	{ "decltype (((std::declval<a>)()).operator->()) wrap<std::unique_ptr<a, b>, "
	  "std::less<a> >(int)",
	  "decltype (…) wrap<…>(int)" },
	/* Rust: the type in front is what tells functions apart. */
	{ "<alloc::vec::Vec<alloc::string::String> as core::iter::FromIterator<"
	  "alloc::string::String>>::from_iter",
	  "<alloc::vec::Vec<…> as core::iter::FromIterator<…>>::from_iter" },
	/* A pointer to a function comes back: its name is inside. */
	{ "void (*choose_one_of_the_functions_by_its_number(unsigned long, "
	  "unsigned long))(unsigned long, char)",
	  "void (*choose_one_of_the_functions_by_its_number(…))(…)" },
	/* Nothing to leave out, or nothing that can be told. */
	{ "a_function_of_c_with_a_name_that_is_a_good_deal_longer_than_eighty_characters_and_so_on",
	  "a_function_of_c_with_a_name_that_is_a_good_deal_longer_than_eighty_characters_and_so_on" },
	{ "broken<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<(((",
	  "broken<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<(((" },
	{ ")>)>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>)))))",
	  ")>)>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>)))))" },
};

START_TEST(short_names)
{
	char *text = short_name_build(names[_i].name);

	ck_assert_str_eq(text, names[_i].text);
	free(text);
}
END_TEST

/* Somebody else's file gives the names: one of many brackets takes no time either. */
START_TEST(short_name_of_many_brackets)
{
	const size_t bytes = 1000000;
	char *name = xmalloc(bytes + 1), *text;

	for (size_t i = 0; i < bytes; i++)
		name[i] = "(<"[i % 2];
	memset(name + bytes / 2, _i ? ')' : '>', bytes / 2);
	name[bytes] = '\0';
	text = short_name_build(name);
	ck_assert_uint_le(strlen(text), bytes);
	free(text);
	free(name);
}
END_TEST

START_TEST(percents)
{
	static const struct {
		uint64_t part, whole;
		const char *text;
	} row[] = { { 0, 2011, "0.0 %" },      { 1, 2011, "<0.1 %" }, { 1, 2000, "0.1 %" },
		    { 1, 2, "50.0 %" },	       { 1998, 2000, "99.9 %" }, { 9999, 10000, ">99.9 %" },
		    { 2011, 2011, "100.0 %" }, { 0, 0, "-" } };

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
		ck_assert_str_eq(number_percent(row[i].part, row[i].whole).text, row[i].text);
}
END_TEST

START_TEST(counts)
{
	ck_assert_str_eq(number_count(0).text, "0");
	ck_assert_str_eq(number_count(999).text, "999");
	ck_assert_str_eq(number_count(1000).text, "1,000");
	ck_assert_str_eq(number_count(UINT64_MAX).text, "18,446,744,073,709,551,615");
	ck_assert_str_eq(number_real(123456789).text, "123,456,789");
	ck_assert_str_eq(number_real(-1234567.5).text, "-1,234,567.5");
	ck_assert_str_eq(number_real(2.080808).text, "2.081");
	ck_assert_str_eq(number_real(0).text, "0");
	ck_assert_str_eq(number_real(-0.00125).text, "-0.00125");
	ck_assert_str_eq(number_tenths(0).text, "0.0");
	ck_assert_str_eq(number_tenths(999.96).text, "1,000.0");
	ck_assert_str_eq(number_tenths(76569.52).text, "76,569.5");
	ck_assert_str_eq(number_of(1, "block").text, "1 block");
	ck_assert_str_eq(number_of(12345, "block").text, "12,345 blocks");
	ck_assert_str_eq(number_are(1), "is");
	ck_assert_str_eq(number_are(0), "are");
	ck_assert_str_eq(number_bytes(1023).text, "1,023 bytes");
	ck_assert_str_eq(number_bytes(1048576).text, "1,048,576 bytes (1.0 MiB)");
}
END_TEST

START_TEST(long_lines)
{
	char name[5000];
	struct err err;

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	memcpy(name, "begin\n", 6);
	ck_assert_int_eq(err_set(&err, "%s: cannot open", name), -1);
	ck_assert_uint_eq(strlen(err.text), sizeof(err.text) - 1);
	ck_assert(!strncmp(err.text, "begin x", 7));
	ck_assert_ptr_nonnull(strstr(err.text, "xxx...xxx"));
	ck_assert_str_eq(err.text + strlen(err.text) - strlen("x: cannot open"), "x: cannot open");
	name[sizeof(err.text) - 1] = '\0';
	err_set(&err, "%s", name);
	ck_assert_uint_eq(strlen(err.text), sizeof(err.text) - 1);
	ck_assert_ptr_null(strchr(err.text, '.'));
}
END_TEST

Suite *texts_suite(void)
{
	Suite *suite = suite_create("texts");
	TCase *tcase = tcase_create("texts");

	tcase_add_loop_test(tcase, short_names, 0, sizeof(names) / sizeof(*names));
	tcase_add_loop_test(tcase, short_name_of_many_brackets, 0, 2);
	tcase_add_test(tcase, percents);
	tcase_add_test(tcase, counts);
	tcase_add_test(tcase, long_lines);
	suite_add_tcase(suite, tcase);
	return suite;
}
