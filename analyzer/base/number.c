/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct number number_count(uint64_t count)
{
	char digits[24];
	struct number n;
	const int length = snprintf(digits, sizeof(digits), "%" PRIu64, count);
	char *to = n.text;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return n;
}

struct number number_of(uint64_t count, const char *noun)
{
	struct number n = number_count(count);
	const size_t length = strlen(n.text);

	snprintf(n.text + length, sizeof(n.text) - length, " %s%s", noun, count == 1 ? "" : "s");
	return n;
}

const char *number_are(uint64_t count)
{
	return count == 1 ? "is" : "are";
}

struct number number_real(double value)
{
	const double size = value < 0 ? -value : value;
	struct number n;
	char digits[32], *end;
	size_t length;

	if (size >= 1e18 || (size > 0 && size < 0.1)) {
		snprintf(n.text, sizeof(n.text), "%.3g", value);
		return n;
	}
	length = (size_t)snprintf(digits, sizeof(digits), "%.3f", size);
	while (digits[length - 1] == '0')
		digits[--length] = '\0';
	if (digits[length - 1] == '.')
		digits[--length] = '\0';
	n = number_count(strtoull(digits, &end, 10));
	strcat(n.text, end);
	if (value < 0) {
		memmove(n.text + 1, n.text, strlen(n.text) + 1);
		n.text[0] = '-';
	}
	return n;
}

struct number number_tenths(double value)
{
	char digits[32], *end;
	struct number n;

	if (value >= 1e18) {
		snprintf(n.text, sizeof(n.text), "%.3g", value);
		return n;
	}
	snprintf(digits, sizeof(digits), "%.1f", value);
	n = number_count(strtoull(digits, &end, 10));
	strcat(n.text, end);
	return n;
}

struct number number_bytes(uint64_t bytes)
{
	static const char *const unit[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	struct number n = number_of(bytes, "byte");
	const size_t length = strlen(n.text);
	double value = (double)bytes / 1024;
	size_t i = 0;

	if (bytes < 1024)
		return n;
	for (; value >= 1023.95 && i + 1 < sizeof(unit) / sizeof(*unit); i++)
		value /= 1024;
	snprintf(n.text + length, sizeof(n.text) - length, " (%.1f %s)", value, unit[i]);
	return n;
}

struct number number_rounded_bytes(uint64_t bytes)
{
	struct number number = number_bytes(bytes);
	char *from = strchr(number.text, '('), *to = strchr(number.text, ')');

	if (from && to) {
		*to = '\0';
		memmove(number.text, from + 1, (size_t)(to - from));
	}
	return number;
}

struct number number_time(uint64_t ns)
{
	const double value = (double)ns;
	struct number n;

	if (ns < 1000)
		snprintf(n.text, sizeof(n.text), "%" PRIu64 " ns", ns);
	else if (value < 999.95e3)
		snprintf(n.text, sizeof(n.text), "%.1f µs", value / 1e3);
	else if (value < 999.95e6)
		snprintf(n.text, sizeof(n.text), "%.1f ms", value / 1e6);
	else
		snprintf(n.text, sizeof(n.text), "%.3f s", value / 1e9);
	return n;
}

struct number number_percent(uint64_t part, uint64_t whole)
{
	struct number n = { "-" };
	const double percent = whole ? 100.0 * (double)part / (double)whole : 0;

	if (whole && part && percent < 0.05)
		return (struct number){ "<0.1 %" };
	if (part < whole && percent >= 99.95)
		return (struct number){ ">99.9 %" };
	if (whole)
		snprintf(n.text, sizeof(n.text), "%.1f %%", percent);
	return n;
}

unsigned number_class(uint64_t number)
{
	return number ? 64 - (unsigned)__builtin_clzll(number) : 0;
}

uint64_t number_class_least(unsigned class)
{
	return class ? UINT64_C(1) << (class - 1) : 0;
}

uint64_t number_class_most(unsigned class)
{
	return class ? UINT64_MAX >> (64 - class) : 0;
}
