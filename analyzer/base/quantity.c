/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/base/quantity.h"

#include <stddef.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The digits at *at, at least one. */
static bool read_digits(const char **at, uint64_t *number)
{
	*number = 0;
	if (!is_digit(**at))
		return false;
	for (; is_digit(**at); (*at)++)
		if (__builtin_mul_overflow(*number, 10, number) ||
		    __builtin_add_overflow(*number, (uint64_t)(**at - '0'), number))
			return false;
	return true;
}

/* Nanoseconds in the unit that a text is; 0: it is none. */
static uint64_t unit_ns(const char *text)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} unit[] = { { "", 1 },      { "ns", 1 },       { "us", 1000 },
		     { "µs", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };

	for (size_t i = 0; i < sizeof(unit) / sizeof(*unit); i++)
		if (!strcmp(text, unit[i].name))
			return unit[i].ns;
	return 0;
}

bool quantity_time(const char *text, uint64_t *ns)
{
	const char *fraction = NULL;
	uint64_t unit, digits = 0;

	if (!read_digits(&text, ns))
		return false;
	if (*text == '.') {
		fraction = ++text;
		for (; is_digit(*text); text++)
			digits++;
	}
	unit = unit_ns(text);
	if (!unit || (fraction && !digits) || __builtin_mul_overflow(*ns, unit, ns))
		return false;
	for (; digits && unit > 1; digits--) {
		unit /= 10;
		if (__builtin_add_overflow(*ns, (uint64_t)(*fraction++ - '0') * unit, ns))
			return false;
	}
	return true;
}

static bool read_bytes(const char **at, uint64_t *bytes)
{
	static const char units[] = "KMG";
	const char *unit;

	if (!read_digits(at, bytes))
		return false;
	unit = **at ? strchr(units, **at) : NULL;
	if (!unit)
		return true;
	(*at)++;
	return !__builtin_mul_overflow(*bytes, UINT64_C(1) << 10 * (unit - units + 1), bytes);
}

bool quantity_range(const char *text, uint64_t *least, uint64_t *most)
{
	const bool has_least = *text != '-';

	*least = 0;
	*most = UINT64_MAX;
	if (has_least && !read_bytes(&text, least))
		return false;
	if (!*text) {
		*most = *least;
		return has_least;
	}
	if (*text++ != '-')
		return false;
	if (!*text)
		return has_least;
	return read_bytes(&text, most) && !*text && *least <= *most;
}
