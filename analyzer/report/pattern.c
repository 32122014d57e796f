/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/pattern.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/name_parts.h"
#include "analyzer/report/regex_limits.h"

struct prefix {
	const char *text;
	int value;
};

static const struct prefix ends[] = { { "leaf:", PATTERN_LEAF }, { "root:", PATTERN_ROOT } };
static const struct prefix subjects[] = { { "file:", PATTERN_FILE },
					  { "module:", PATTERN_MODULE },
					  { "full:", PATTERN_FULL } };

#define CAST_LEVELS 4
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Takes one of the prefixes off the text; `otherwise` when there is none. */
static int take_prefix(const char **text, const struct prefix *prefix, size_t count, int otherwise)
{
	for (size_t i = 0; i < count; i++) {
		const size_t length = strlen(prefix[i].text);

		if (!strncmp(*text, prefix[i].text, length)) {
			*text += length;
			return prefix[i].value;
		}
	}
	return otherwise;
}

/* Prefixes in the wrong order would be taken for a name that no program has. */
static int check_prefixes(const char *what, struct err *err)
{
	const char *rest = what;

	if (take_prefix(&rest, ends, COUNT(ends), -1) != -1)
		return err_set(err, "leaf: or root: comes once, and before all else");
	if (take_prefix(&rest, subjects, COUNT(subjects), -1) != -1)
		return err_set(err, "only one of file:, module: and full: may be given");
	return 0;
}

static const char *separator_of(const struct pattern *pattern)
{
	switch (pattern->subject) {
	case PATTERN_NAME:
		return "::";
	case PATTERN_FILE:
	case PATTERN_MODULE:
		return "/";
	case PATTERN_FULL:
		break;
	}
	return NULL;
}

/* Where the component at `at` ends: at a separator or at the end of the text. What stands in
 * brackets is of the component that they are in: `{lambda(a::b)#1}`, `(anonymous namespace)`; so is
 * what an operator converts to, `operator a::b`. */
static const char *component_end(const char *at, const char *separator)
{
	static const char conversion[] = "operator ", inner[] = "::{";
	const size_t length = strlen(separator);
	const bool has_brackets = *separator == ':';
	const char *end;
	unsigned depth = 0;

	if (has_brackets && !strncmp(at, conversion, strlen(conversion))) {
		end = strstr(at, inner);
		return end ? end : at + strlen(at);
	}
	for (; *at; at++) {
		if (has_brackets && strchr("({[", *at))
			depth++;
		else if (has_brackets && depth && strchr(")}]", *at))
			depth--;
		else if (!depth && !strncmp(at, separator, length))
			break;
	}
	return at;
}

static int check_components(const struct pattern *pattern, struct err *err)
{
	const char *separator = separator_of(pattern);
	/* a path may begin at the root */
	const char *at = pattern->what + (*separator == '/' && *pattern->what == '/');

	for (;;) {
		const char *end = component_end(at, separator);

		if (end == at)
			return err_set(err, "there is nothing on one side of a %s", separator);
		if (!*end)
			return 0;
		at = end + strlen(separator);
	}
}

/* What no name has would never match. */
static int check_name(const struct pattern *pattern, struct err *err)
{
	struct name_parts parts;
	int ret = 0;

	name_parts_split(&parts, pattern->what);
	if (strcmp(parts.name, pattern->what))
		ret = err_set(err,
			      "names are matched without arguments, as \"%s\"; full: matches "
			      "all of the text",
			      parts.name);
	name_parts_release(&parts);
	return ret;
}

/* The text between the slashes. */
static int compile(struct pattern *pattern, struct err *err)
{
	char *text = xstrndup(pattern->what + 1, strlen(pattern->what) - 2);
	int ret = regex_limits_check(text, err);
	char why[128];

	if (!ret)
		ret = regcomp(&pattern->regex, text, REG_EXTENDED | REG_NOSUB);
	if (ret > 0) {
		regerror(ret, &pattern->regex, why, sizeof(why));
		err_set(err, "this is no extended regular expression: %s", why);
	}
	free(text);
	return ret ? -1 : 0;
}

/* Returns what is behind them. */
static const char *take_prefixes(struct pattern *pattern, const char *text)
{
	pattern->end = (enum pattern_end)take_prefix(&text, ends, COUNT(ends), PATTERN_ANYWHERE);
	pattern->subject =
		(enum pattern_subject)take_prefix(&text, subjects, COUNT(subjects), PATTERN_NAME);
	return text;
}

static int parse(struct pattern *pattern, struct err *err)
{
	size_t length;

	pattern->what = take_prefixes(pattern, pattern->text);
	length = strlen(pattern->what);
	if (check_prefixes(pattern->what, err))
		return -1;
	if (!length || !strcmp(pattern->what, "//"))
		return err_set(err, "there is nothing to match");
	pattern->is_regex =
		length > 2 && pattern->what[0] == '/' && pattern->what[length - 1] == '/';
	if (pattern->is_regex)
		return compile(pattern, err);
	if (pattern->subject == PATTERN_NAME && *pattern->what == '/')
		return err_set(err, "a regular expression ends with a slash, too");
	if (pattern->subject == PATTERN_FULL)
		return 0;
	if (pattern->subject == PATTERN_NAME && check_name(pattern, err))
		return -1;
	return check_components(pattern, err);
}

int pattern_init(struct pattern *pattern, const char *text, struct err *err)
{
	*pattern = (struct pattern){ .text = xstrdup(text) };
	if (!parse(pattern, err))
		return 0;
	free(pattern->text);
	pattern->text = NULL;
	return -1;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int pattern_init_whole(struct pattern *pattern, const char *prefix, const char *const *texts,
		       size_t count, struct err *err)
{
	*pattern = (struct pattern){ .is_whole = true };
	if (*take_prefixes(pattern, prefix) || pattern->subject == PATTERN_NAME)
		return err_set(err,
			       "\"%s\" is not [leaf:|root:], and one of full:, file: and module: "
			       "behind that",
			       prefix);
	pattern->text = xasprintf("%s one of %zu", prefix, count);
	pattern->whole = xcalloc(count + 1, sizeof(*pattern->whole));
	for (; pattern->wholes < count; pattern->wholes++)
		pattern->whole[pattern->wholes] = xstrdup(texts[pattern->wholes]);
	qsort(pattern->whole, count, sizeof(*pattern->whole), compare_texts);
	return 0;
}

void pattern_release(struct pattern *pattern)
{
	for (size_t i = 0; i < pattern->wholes; i++)
		free(pattern->whole[i]);
	free(pattern->whole);
	if (pattern->is_regex)
		regfree(&pattern->regex);
	free(pattern->text);
}

/* Components that follow each other, joined as in the pattern, are one piece of the subject. */
static bool has_run(const struct pattern *pattern, const char *subject)
{
	const char *separator = separator_of(pattern);
	const size_t length = strlen(pattern->what);
	const char *at = subject;

	for (;;) {
		const char *end = at + length;

		if (!strncmp(at, pattern->what, length) &&
		    (!*end || !strncmp(end, separator, strlen(separator))))
			return true;
		end = component_end(at, separator);
		if (!*end)
			return false;
		at = end + strlen(separator);
	}
}

/* Where `<A as B>` at the start of the text ends, and where " as " is in it; NULL: it is no such
 * thing. */
static const char *find_cast(const char *text, const char **as)
{
	size_t depth = 0;

	*as = NULL;
	for (const char *at = text; *text == '<' && *at; at++) {
		if (*at == '<')
			depth++;
		else if (*at == '>' && at[-1] != '-' && !--depth)
			return *as ? at : NULL;
		else if (depth == 1 && !*as && !strncmp(at, " as ", strlen(" as ")))
			*as = at;
	}
	return NULL;
}

/* Rust's `<A as B>::f` is both A::f and B::f. levels: of such things within each other. */
static bool matches_name(const struct pattern *pattern, const char *name, unsigned levels)
{
	const char *as, *end;
	bool is_match;
	char *text;

	if (has_run(pattern, name))
		return true;
	end = levels ? find_cast(name, &as) : NULL;
	if (!end)
		return false;
	text = xasprintf("%.*s%s", (int)(as - name - 1), name + 1, end + 1);
	is_match = matches_name(pattern, text, levels - 1);
	free(text);
	if (is_match)
		return true;
	as += strlen(" as ");
	text = xasprintf("%.*s%s", (int)(end - as), as, end + 1);
	is_match = matches_name(pattern, text, levels - 1);
	free(text);
	return is_match;
}

bool pattern_matches(const struct pattern *pattern, const char *subject)
{
	if (pattern->is_whole)
		return bsearch(&subject, pattern->whole, pattern->wholes, sizeof(*pattern->whole),
			       compare_texts) != NULL;
	if (pattern->is_regex)
		return !regexec(&pattern->regex, subject, 0, NULL, 0);
	if (pattern->subject == PATTERN_FULL)
		return strstr(subject, pattern->what) != NULL;
	if (pattern->subject == PATTERN_NAME)
		return matches_name(pattern, subject, CAST_LEVELS);
	return has_run(pattern, subject);
}
