/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Figures as text: exact first, rounded in brackets. Returned by value, to be used in the same
 * expression: fputs(number_bytes(n).text, out).
 */
#ifndef XALLOC_BASE_NUMBER_H
#define XALLOC_BASE_NUMBER_H

#include <stdint.h>

struct number {
	char text[80];
};

/* 35,651,584 */
struct number number_count(uint64_t count);
/* "1 block", "12,345 blocks": the noun with an s unless count is 1. */
struct number number_of(uint64_t count, const char *noun);
/* What goes with it: "is" for 1, else "are". */
const char *number_are(uint64_t count);
/* "-1,234", "193.808", "0.0012": whole numbers whole, others with three digits behind the point. */
struct number number_real(double value);
/* "1,001.8": not below 0, one digit behind the point. */
struct number number_tenths(double value);
/* "35,651,584 bytes (34.0 MiB)"; no bracket below 1 KiB. */
struct number number_bytes(uint64_t bytes);
/* "34.0 MiB", where there is no room for the exact one, or "17 bytes". */
struct number number_rounded_bytes(uint64_t bytes);
/* "1.234 s", "123.4 ms", "5.6 µs", "789 ns" */
struct number number_time(uint64_t ns);
/* "88.2 %"; "<0.1 %" and ">99.9 %" of what is not quite nothing or all; "-" when the whole is 0. */
struct number number_percent(uint64_t part, uint64_t whole);

/* Its class by powers of two: 0 for 0, i for 2^(i-1) to 2^i - 1; the least number of a class, and
 * the greatest. */
unsigned number_class(uint64_t number);
uint64_t number_class_least(unsigned class);
uint64_t number_class_most(unsigned class);

#endif
