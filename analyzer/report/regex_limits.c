/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/regex_limits.h"

#include <stdlib.h>
#include <string.h>

struct level {
	unsigned long size; /* of all that stands in these parentheses so far */
	unsigned long last; /* of the last thing in it, which a repetition is of */
};

struct walk {
	struct level level[REGEX_DEPTH_MAX + 1];
	unsigned depth;
};

static void add(struct level *level, unsigned long size)
{
	level->size += size;
	level->last = size;
}

/* Where a bracket expression ends that begins at `at`: [^]a[:alpha:]] */
static const char *bracket_end(const char *at)
{
	at += 1 + (at[1] == '^');
	if (*at == ']')
		at++;
	for (; *at && *at != ']'; at++) {
		const char kind = *at == '[' && at[1] && strchr(":.=", at[1]) ? at[1] : '\0';

		if (!kind)
			continue;
		for (at += 2; *at && !(*at == kind && at[1] == ']'); at++)
			;
		if (!*at)
			return at;
		at++;
	}
	return at;
}

/* How often regcomp writes down what a repetition at `at` is of; `end`: its last character. */
static unsigned long copies(const char *at, const char **end)
{
	unsigned long least, most;
	char *rest;

	*end = at;
	if (*at == '+')
		return 2;
	if (!at[1] || !strchr("0123456789,", at[1]))
		return 1;
	least = most = strtoul(at + 1, &rest, 10);
	if (*rest == ',' && rest[1] == '}') {
		rest++;
		most++;
	} else if (*rest == ',')
		most = strtoul(rest + 1, &rest, 10);
	if (*rest != '}')
		return 1;
	*end = rest;
	if (least > most)
		most = least;
	return most > REGEX_SIZE_MAX ? REGEX_SIZE_MAX + 1 : most ? most : 1;
}

/* Takes what stands at `at`; returns its last character, NULL: too much. */
static const char *step(struct walk *walk, const char *at, struct err *err)
{
	struct level *level = &walk->level[walk->depth];
	const char *end = at;
	unsigned long times;

	switch (*at) {
	case '\\':
		if (at[1] >= '1' && at[1] <= '9') {
			err_set(err, "\\%c: there are no back-references in it", at[1]);
			return NULL;
		}
		add(level, 1);
		return at + (at[1] != '\0');
	case '[':
		add(level, 1);
		end = bracket_end(at);
		return *end ? end : end - 1;
	case '(':
		if (walk->depth == REGEX_DEPTH_MAX) {
			err_set(err, "more than %d parentheses in one another", REGEX_DEPTH_MAX);
			return NULL;
		}
		walk->level[++walk->depth] = (struct level){ .size = 1 };
		return at;
	case ')':
		if (walk->depth)
			add(&walk->level[--walk->depth], level->size);
		return at;
	case '+':
	case '{':
		times = copies(at, &end);
		level->size += level->last * (times - 1);
		level->last *= times;
		return end;
	case '*':
	case '?':
		return at;
	default:
		add(level, 1);
		return at;
	}
}

int regex_limits_check(const char *regex, struct err *err)
{
	struct walk walk = { .depth = 0 };

	for (const char *at = regex; *at; at++) {
		at = step(&walk, at, err);
		if (!at)
			return -1;
		if (walk.level[walk.depth].size > REGEX_SIZE_MAX)
			return err_set(err, "more than %d characters, with repetitions written out",
				       REGEX_SIZE_MAX);
	}
	return 0;
}
