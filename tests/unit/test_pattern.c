/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which patterns match which frames. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/err.h"
#include "analyzer/base/name_parts.h"
#include "analyzer/report/pattern.h"
#include "analyzer/report/suppressions.h"
#include "tests/unit/suites.h"

/* clang-format off */
static const struct {
	const char *pattern;
	const char *subject; /* a name as it is demangled; a path for file: and module: */
	bool is_match;
} names[] = {
	{ "main", "main", true },
	{ "main", "main2", false },
	{ "main", "domain", false },
	{ "main", "domain::main::x", true },
	{ "ReadDir::JoinPath", "xff::vfs::ReadDir::JoinPath(std::string_view)", true },
	{ "vfs::ReadDir", "xff::vfs::ReadDir::JoinPath(std::string_view)", true },
	{ "vfs::JoinPath", "xff::vfs::ReadDir::JoinPath(std::string_view)", false },
	{ "Dir::JoinPath", "xff::vfs::ReadDir::JoinPath(std::string_view)", false },
	{ "ReadDir::Join", "xff::vfs::ReadDir::JoinPath(std::string_view)", false },
	{ "xff::vfs::ReadDir::JoinPath", "xff::vfs::ReadDir::JoinPath(std::string_view)", true },
	{ "JoinPath::ReadDir", "xff::vfs::ReadDir::JoinPath()", false },
	/* not in parameters, template arguments, what is returned */
	{ "std::string_view", "xff::vfs::ReadDir::JoinPath(std::string_view)", false },
	{ "string_view", "xff::vfs::ReadDir::JoinPath(string_view)", false },
	{ "Entry", "std::vector<Entry, std::allocator<Entry> >::push_back(Entry const&)", false },
	{ "std::vector::push_back", "std::vector<Entry, std::allocator<Entry> >::push_back(Entry const&)", true },
	{ "std::allocator", "std::vector<Entry, std::allocator<Entry> >::push_back(Entry const&)", false },
	{ "Entry", "Entry* make<Entry>(Entry, std::function<Entry (Entry)>)", false },
	{ "make", "Entry* make<Entry>(Entry, std::function<Entry (Entry)>)", true },
	{ "Entry", "Entry::Entry(int)", true },
	{ "/Entry/", "std::vector<Entry>::push_back(Entry const&)", false },
	{ "/^std::vector::push/", "std::vector<Entry>::push_back(Entry const&)", true },
	{ "full:vector<Entry", "std::vector<Entry>::push_back(Entry const&)", true },
	{ "full:/Entry const&.$/", "std::vector<Entry>::push_back(Entry const&)", true },
	/* components with signs in them */
	{ "operator()", "f(int)::{lambda(a::b)#1}::operator()(a::b) const", true },
	{ "f", "f(int)::{lambda(a::b)#1}::operator()(a::b) const", true },
	{ "a::b", "f(int)::{lambda(a::b)#1}::operator()(a::b) const", false },
	{ "b", "f(int)::{lambda(a::b)#1}::operator()(a::b) const", false },
	{ "{lambda(a::b)#1}::operator()", "f(int)::{lambda(a::b)#1}::operator()(a::b) const", true },
	{ "(anonymous namespace)::g", "x::(anonymous namespace)::g(int)", true },
	{ "x::(anonymous namespace)", "x::(anonymous namespace)::g(int)", true },
	{ "operator<<", "std::basic_ostream<char>& std::operator<< <char>(int)", true },
	{ "operator new", "operator new(unsigned long)", true },
	{ "operator", "operator new(unsigned long)", false },
	{ "A::~A", "A::~A()", true },
	{ "B", "A::operator a::B() const", false },
	{ "operator a::B", "A::operator a::B() const", true },
	{ "operator()", "A::operator a::B() const::{lambda()#1}::operator()() const", true },
	{ "str", "std::string::str[abi:cxx11]() const", true },
	{ "[truncated]", "[truncated]", true },
	{ "truncated", "[truncated]", false },
	{ "libx.so+0x12", "libx.so+0x12", true },
	/* Rust */
	{ "alloc::vec::Vec", "<alloc::vec::Vec<T> as core::iter::Extend<U>>::extend", true },
	{ "Vec::extend", "<alloc::vec::Vec<T> as core::iter::Extend<U>>::extend", true },
	{ "Extend::extend", "<alloc::vec::Vec<T> as core::iter::Extend<U>>::extend", true },
	{ "Vec::core", "<alloc::vec::Vec<T> as core::iter::Extend<U>>::extend", false },
	{ "<alloc::vec::Vec as core::iter::Extend>::extend", "<alloc::vec::Vec<T> as core::iter::Extend<U>>::extend", true },
	{ "U", "<alloc::vec::Vec<T> as core::iter::Extend<U>>::extend", false },
	{ "a::B", "<<a::B as c::D>::E as f::G>::h", true },
	/* paths */
	{ "file:walk.c", "/src/vfs/walk.c", true },
	{ "file:walk", "/src/vfs/walk.c", false },
	{ "file:vfs/walk.c", "/src/vfs/walk.c", true },
	{ "file:vfs", "/src/vfs/walk.c", true },
	{ "file:src/walk.c", "/src/vfs/walk.c", false },
	{ "file:/src/vfs", "/src/vfs/walk.c", true },
	{ "file:/vfs", "/src/vfs/walk.c", false },
	{ "file:/vfs.*c$/", "/src/vfs/walk.c", true },
	{ "module:libc.so.6", "/lib/x86_64-linux-gnu/libc.so.6", true },
	{ "module:libc.so", "/lib/x86_64-linux-gnu/libc.so.6", false },
	{ "module:/libc[.]so/", "/lib/x86_64-linux-gnu/libc.so.6", true },
	{ "leaf:file:/[.]c$/", "/src/vfs/walk.c", true },
	{ "root:main", "main", true },
};
/* clang-format on */

START_TEST(patterns_of_frames)
{
	struct name_parts parts;
	struct pattern pattern;
	struct err err = { .text = "" };

	ck_assert_msg(!pattern_init(&pattern, names[_i].pattern, &err), "%s: %s", names[_i].pattern,
		      err.text);
	name_parts_split(&parts, names[_i].subject);
	ck_assert_msg(pattern_matches(&pattern, pattern.subject == PATTERN_NAME
							? parts.name
							: names[_i].subject) == names[_i].is_match,
		      "%s: %s", names[_i].pattern, names[_i].subject);
	name_parts_release(&parts);
	pattern_release(&pattern);
}
END_TEST

START_TEST(ends_and_subjects)
{
	struct pattern pattern;

	ck_assert(!pattern_init(&pattern, "leaf:file:/x/", NULL));
	ck_assert(pattern.end == PATTERN_LEAF && pattern.subject == PATTERN_FILE);
	ck_assert(pattern.is_regex);
	pattern_release(&pattern);
	ck_assert(!pattern_init(&pattern, "root:full:f(", NULL));
	ck_assert(pattern.end == PATTERN_ROOT && pattern.subject == PATTERN_FULL);
	ck_assert(!pattern.is_regex);
	pattern_release(&pattern);
}
END_TEST

START_TEST(whole_texts)
{
	static const char *const texts[] = { "b(int)", "/src/a.c", "a", "b(int)" };
	struct pattern pattern;
	struct err err;

	ck_assert(!pattern_init_whole(&pattern, "leaf:full:", texts, 4, &err));
	ck_assert(pattern.end == PATTERN_LEAF && pattern.subject == PATTERN_FULL);
	ck_assert_str_eq(pattern.text, "leaf:full: one of 4");
	for (size_t i = 0; i < 4; i++)
		ck_assert(pattern_matches(&pattern, texts[i]));
	ck_assert(!pattern_matches(&pattern, "b"));
	ck_assert(!pattern_matches(&pattern, "src/a.c"));
	ck_assert(!pattern_matches(&pattern, "aa"));
	pattern_release(&pattern);
	ck_assert(!pattern_init_whole(&pattern, "file:", texts, 0, &err));
	ck_assert(!pattern_matches(&pattern, ""));
	pattern_release(&pattern);
	ck_assert(pattern_init_whole(&pattern, "", texts, 4, &err));
	ck_assert(pattern_init_whole(&pattern, "file:leaf:", texts, 4, &err));
}
END_TEST

/* A name that was made to be slow. */
START_TEST(nested_casts)
{
	const size_t levels = 50000;
	char *name = malloc(levels * 8 + 1);
	struct pattern pattern;

	ck_assert(name != NULL);
	for (size_t i = 0; i < levels; i++) {
		memset(name + i, '<', 1);
		memcpy(name + levels + i * 6, " as b>", 6);
	}
	name[levels * 7] = '\0';
	ck_assert(!pattern_init(&pattern, "nothing", NULL));
	ck_assert(!pattern_matches(&pattern, name));
	pattern_release(&pattern);
	free(name);
}
END_TEST

/* What glibc's regcomp takes all of the stack, memory or time for is refused, and no more. */
static const struct {
	const char *head, *repeated, *middle, *after, *tail;
	unsigned times;
	bool is_refused;
} expressions[] = {
	{ "/", "(", "a", ")", "/", 64, false },
	{ "/", "(", "a", ")", "/", 65, true },
	{ "/", "(", "a", ")", "/", 20000, true },
	{ "/", "(", "a", ")+", "/", 8, false },
	{ "/", "(", "a", ")+", "/", 30, true },
	{ "/", "(", "a", "){1,9}", "/", 3, false },
	{ "/", "(", "a", "){1,250}", "/", 3, true },
	{ "/", "(", "a", "){,250}", "/", 3, true },
	{ "/", "(", "a", "){250,}", "/", 3, true },
	{ "/", "(", "a", ")?{250}", "/", 3, true },
	{ "/", "(", "a", ")*", "/", 60, false },
	{ "/", "a?", "", "a", "/", 4900, false },
	{ "/", "a?", "", "a", "/", 6000, true },
	{ "/", "[[:alpha:](+]", "x+", "", "/", 900, false },
	{ "/", "(a)", "\\1", "", "/", 1, true },
	{ "/", "\\(", "x", "\\)", "/", 900, false },
	{ "/", "[^](]", "x", "", "/", 900, false },
};

START_TEST(limits_of_expressions)
{
	struct err err = { .text = "" };
	struct pattern pattern;
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	int ret;

	fputs(expressions[_i].head, out);
	for (unsigned i = 0; i < expressions[_i].times; i++)
		fputs(expressions[_i].repeated, out);
	fputs(expressions[_i].middle, out);
	for (unsigned i = 0; i < expressions[_i].times; i++)
		fputs(expressions[_i].after, out);
	fputs(expressions[_i].tail, out);
	fclose(out);
	ret = pattern_init(&pattern, text, &err);
	ck_assert_msg((ret != 0) == expressions[_i].is_refused, "%.100s: %s", text, err.text);
	if (!ret)
		pattern_release(&pattern);
	free(text);
}
END_TEST

static const struct {
	const char *pattern, *text;
	bool is_match;
} leaks[] = {
	{ "foo", "xfoox", true },       { "^foo", "foox", true },
	{ "^foo", "xfoo", false },      { "foo$", "xfoo", true },
	{ "foo$", "foox", false },      { "^foo$", "foo", true },
	{ "^foo$", "foofoo", false },   { "a*c", "xxabbcxx", true },
	{ "a*c", "xxcxxa", false },     { "a*c$", "acbc", true },
	{ "^a*b*c$", "a-b-b-c", true }, { "^a*b*c$", "a-c-b", false },
	{ "*", "anything", true },      { "**x*", "yxy", true },
	{ "^*foo", "xfoo", true },      { "lib*.so", "/lib/libfoo.so.6", true },
	{ "foo$", "foo(int)", false },  { "foo(int)", "a::foo(int)", true },
	{ "aa$", "aaa", true },         { "^$", "", true },
};

START_TEST(suppressions)
{
	char path[] = "/tmp/suppressions.XXXXXX";
	struct suppressions list;
	struct err err;
	FILE *out = fdopen(mkstemp(path), "w");

	ck_assert(out != NULL);
	fprintf(out, "# leak:%s\n\n leak:%s \t\r\n", leaks[_i].text, leaks[_i].pattern);
	fclose(out);
	ck_assert(!suppressions_read(&list, path, &err));
	unlink(path);
	ck_assert_uint_eq(list.count, 1);
	ck_assert_uint_eq(list.entry[0].line, 3);
	ck_assert_msg((suppressions_find(&list, leaks[_i].text) == 0) == leaks[_i].is_match,
		      "%s: %s", leaks[_i].pattern, leaks[_i].text);
	suppressions_release(&list);
}
END_TEST

Suite *pattern_suite(void)
{
	Suite *suite = suite_create("pattern");
	TCase *tcase = tcase_create("pattern");

	tcase_add_loop_test(tcase, patterns_of_frames, 0, sizeof(names) / sizeof(*names));
	tcase_add_test(tcase, ends_and_subjects);
	tcase_add_test(tcase, whole_texts);
	tcase_add_test(tcase, nested_casts);
	tcase_add_loop_test(tcase, limits_of_expressions, 0,
			    sizeof(expressions) / sizeof(*expressions));
	tcase_add_loop_test(tcase, suppressions, 0, sizeof(leaks) / sizeof(*leaks));
	suite_add_tcase(suite, tcase);
	return suite;
}
