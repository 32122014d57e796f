/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/base/name_parts.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/brackets.h"
#include "analyzer/base/mem.h"

/* A text that grows; there is room for all of the function's name. */
struct piece {
	char *text;
	size_t bytes;
};

struct split {
	const char *from;
	size_t *match;
	size_t end; /* where the compiler's suffixes begin */
	struct piece name, specialization, arguments, parameters;
	bool is_result_skipped; /* what stands before a blank is the type of the result */
};

static void put(struct piece *piece, const char *text, size_t bytes)
{
	memcpy(piece->text + piece->bytes, text, bytes);
	piece->bytes += bytes;
}

/* Text that is of the name, and of the specialization. */
static void put_both(struct split *s, size_t at, size_t end)
{
	put(&s->name, s->from + at, end - at);
	put(&s->specialization, s->from + at, end - at);
}

static bool starts(const struct split *s, size_t at, const char *word)
{
	const size_t bytes = strlen(word);

	return at <= s->end && bytes <= s->end - at && !memcmp(s->from + at, word, bytes);
}

static size_t after_digits(const char *text, size_t at)
{
	while (isdigit((unsigned char)text[at]))
		at++;
	return at;
}

/* Is all from text[at] suffixes of a compiler? */
static bool is_suffix(const char *text, size_t at, size_t end)
{
	static const char *const words[] = { ".constprop", ".isra",       ".part", ".cold",
					     ".lto_priv",  ".localalias", ".llvm", ".__uniq" };

	while (at < end) {
		size_t word = 0, bytes;

		while (word < sizeof(words) / sizeof(*words) &&
		       strncmp(text + at, words[word], strlen(words[word])))
			word++;
		if (word == sizeof(words) / sizeof(*words))
			return false;
		bytes = strlen(words[word]);
		at += bytes;
		if (at < end && text[at] == '.' && isdigit((unsigned char)text[at + 1]))
			at = after_digits(text, at + 1);
		if (at < end && text[at] != '.')
			return false;
	}
	return true;
}

static bool is_rust_hash(const char *text, size_t bytes)
{
	if (bytes != strlen("::h0123456789abcdef") || strncmp(text, "::h", 3))
		return false;
	for (size_t i = 3; i < bytes; i++)
		if (!strchr("0123456789abcdef", text[i]))
			return false;
	return true;
}

/* The end of the name without " [clone .cold]", ".isra.0" or "::h0123456789abcdef". */
static size_t find_end(const char *text, size_t end)
{
	const size_t hash = strlen("::h0123456789abcdef"), plt = strlen("@plt");
	const char *clone = strstr(text, " [clone ");

	if (clone)
		end = (size_t)(clone - text);
	if (end > plt && !memcmp(text + end - plt, "@plt", plt))
		end -= plt;
	for (size_t i = end; i-- > 1;) {
		if (text[i] == '.' && is_suffix(text, i, end))
			end = i;
		else if (text[i] == '.' ? !isdigit((unsigned char)text[i + 1])
					: !brackets_is_identifier(text[i]))
			break;
	}
	if (end > hash && is_rust_hash(text + end - hash, hash))
		end -= hash;
	return end;
}

/* Behind " const", " &&" and what else qualifies a function. */
static size_t after_qualifiers(const struct split *s, size_t at)
{
	static const char *const words[] = {
		" const", " volatile", " restrict", " noexcept", " transaction_safe",
		" &&",    " &",        "&&",        "&"
	};
	size_t word;

	do {
		if (starts(s, at, "[abi:") && s->match[at])
			at = s->match[at] + 1;
		for (word = 0; word < sizeof(words) / sizeof(*words); word++)
			if (starts(s, at, words[word])) {
				at += strlen(words[word]);
				break;
			}
	} while (word < sizeof(words) / sizeof(*words));
	return at;
}

static void forget(struct split *s)
{
	s->name.bytes = 0;
	s->specialization.bytes = 0;
	s->arguments.bytes = 0;
	s->parameters.bytes = 0;
}

static void put_arguments(struct split *s, size_t at, size_t end)
{
	put(&s->specialization, s->from + at, end - at);
	put(&s->arguments, s->from + at, end - at);
}

/* "<T<u8> as Trait<X>>": at is its '<'. */
static size_t put_self_type(struct split *s, size_t at)
{
	const size_t end = s->match[at];
	const size_t name = s->name.bytes;
	bool is_path = true;

	put_both(s, at, at + 1);
	for (size_t i = at + 1; i < end; i++) {
		const char c = s->from[i];

		if (c == '<' && s->match[i] && i > at + 1) {
			put_arguments(s, i, s->match[i] + 1);
			i = s->match[i];
			continue;
		}
		is_path = is_path && (brackets_is_identifier(c) || c == ':');
		put_both(s, i, i + 1);
	}
	put_both(s, end, end + 1);
	if (is_path) {
		s->name.bytes -= 2;
		memmove(s->name.text + name, s->name.text + name + 1, s->name.bytes - name);
	}
	return end + 1;
}

/* A conversion, `operator int* const`: up to the brackets with the parameters. */
static size_t put_conversion(struct split *s, size_t at)
{
	while (at < s->end &&
	       (s->from[at] != '(' || (s->match[at] && s->from[s->match[at] + 1] == '('))) {
		const size_t end = s->match[at] ? s->match[at] + 1 : at + 1;

		if (s->from[at] == '<' && s->match[at])
			put_arguments(s, at, end);
		else
			put_both(s, at, end);
		at = end;
	}
	return at;
}

static size_t put_operator(struct split *s, size_t at, size_t bytes)
{
	put_both(s, at, at + bytes);
	at += bytes;
	if (s->from[at - 1] == 'r') /* nothing behind the word: a conversion */
		return put_conversion(s, at);
	if (starts(s, at, " <") && s->match[at + 1]) { /* not to be read as another operator */
		put(&s->specialization, " ", 1);
		at++;
	}
	return at;
}

/* "(*f(int))(char)", "(X::*f(int))(char)": a function that returns a pointer to one. */
static size_t find_inner(const struct split *s, size_t at)
{
	const size_t end = s->match[at];

	if (!s->is_result_skipped || !at || s->from[at - 1] != ' ' ||
	    (s->from[end + 1] != '(' && s->from[end + 1] != ' ' && s->from[end + 1] != '['))
		return 0;
	for (size_t i = at + 1; i < end; i++) {
		if (s->from[i] == '*' || s->from[i] == '&') {
			while (i < end && strchr("*& ", s->from[i]))
				i++;
			return i < end ? i : 0;
		}
		if (!brackets_is_identifier(s->from[i]) && s->from[i] != ':')
			return 0;
	}
	return 0;
}

static bool is_anonymous(const struct split *s, size_t at)
{
	return starts(s, at, "(anonymous namespace)");
}

/* operator!() */
static bool is_operator_sign(const struct split *s, size_t at)
{
	const size_t word = strlen("operator");

	return at >= word && brackets_operator_bytes(s->from, at - word) == word + 1;
}

/* What stands in round brackets. Returns where to go on; s->end: the name is complete. */
static size_t put_round(struct split *s, size_t at)
{
	const size_t close = s->match[at];
	size_t end;

	if (is_anonymous(s, at) || (at && s->from[at - 1] == '.')) { /* Go: main.(*T).f */
		put_both(s, at, close + 1);
		return close + 1;
	}
	if (at > 1 && s->from[at - 1] == '!' && brackets_is_identifier(s->from[at - 2]) &&
	    !is_operator_sign(s, at - 1)) { /* D's template arguments */
		s->name.bytes--;
		put_arguments(s, at, close + 1);
		return close + 1;
	}
	end = after_qualifiers(s, close + 1);
	if (starts(s, end, "::") || (s->from[end] == '.' && end < s->end))
		return end; /* a function that another lies in */
	put(&s->parameters, s->from + at, end - at);
	return s->end;
}

static bool is_of_result(const struct split *s, size_t at)
{
	static const char *const words[] = { "decltype ", "decltype", "noexcept ", "noexcept" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		const size_t bytes = strlen(words[i]);

		if (at >= bytes && !strncmp(s->from + at - bytes, words[i], bytes) &&
		    (at == bytes || !brackets_is_identifier(s->from[at - bytes - 1])))
			return true;
	}
	return false;
}

static size_t put_bracket(struct split *s, size_t at)
{
	const size_t end = s->match[at] + 1;
	size_t inner;

	switch (s->from[at]) {
	case '(':
		inner = find_inner(s, at);
		if (inner) {
			s->end = end - 1;
			forget(s);
			return inner;
		}
		if (is_of_result(s, at))
			return end;
		return put_round(s, at);
	case '<':
		if (!s->name.bytes)
			return put_self_type(s, at);
		if (s->name.bytes > 2 && s->from[at - 1] == ':') /* f::<T> of Rust */
			s->name.bytes -= 2;
		put_arguments(s, at, end);
		return end;
	case '[':
		if (!s->name.bytes)
			put_both(s, at, end);
		return end;
	default:
		put_both(s, at, end);
		return end;
	}
}

static void scan(struct split *s)
{
	size_t at = 0;

	forget(s);
	while (at < s->end) {
		const size_t sign = brackets_operator_bytes(s->from, at);

		if (sign && at + sign <= s->end) {
			at = put_operator(s, at, sign);
		} else if (s->match[at] && s->match[at] < s->end) {
			at = put_bracket(s, at);
		} else if (s->from[at] == ' ' && s->is_result_skipped) {
			forget(s);
			at++;
		} else {
			put_both(s, at, at + 1);
			at++;
		}
	}
}

void name_parts_split(struct name_parts *parts, const char *function)
{
	const size_t length = strlen(function), end = find_end(function, length);
	struct split s = { .from = function, .end = end, .is_result_skipped = true };
	struct piece *const piece[] = { &s.name, &s.specialization, &s.arguments, &s.parameters };

	for (size_t i = 0; i < sizeof(piece) / sizeof(*piece); i++)
		piece[i]->text = xmalloc(length + 1);
	s.match = brackets_match(function, length);
	scan(&s);
	/* Only what has parameters has the type of a result; else a blank is of the name. */
	if (!s.parameters.bytes) {
		s.end = end;
		s.is_result_skipped = false;
		scan(&s);
	}
	for (size_t i = 0; i < sizeof(piece) / sizeof(*piece); i++)
		piece[i]->text[piece[i]->bytes] = '\0';
	free(s.match);
	*parts = (struct name_parts){ s.name.text, s.specialization.text, s.arguments.text,
				      s.parameters.text };
}

void name_parts_release(struct name_parts *parts)
{
	free(parts->name);
	free(parts->specialization);
	free(parts->arguments);
	free(parts->parameters);
}
