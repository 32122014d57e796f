/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small text building without stdio or locale: a fixed buffer that is filled from the left and
 * always ends in NUL; what does not fit is cut and `cut` is set.
 */
#ifndef XALLOC_SYS_TEXT_H
#define XALLOC_SYS_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct text {
	char *bytes;
	size_t size, room; /* room counts the NUL */
	int cut;
};

struct text text_init(char *buffer, size_t room);
void text_add(struct text *t, const char *s);
void text_add_bytes(struct text *t, const char *s, size_t size);
void text_add_number(struct text *t, uint64_t value);

size_t text_length(const char *s);
int text_equal(const char *a, const char *b);
int text_starts(const char *s, const char *prefix);
const char *text_last(const char *s, char c); /* last place of c, or NULL */

/* Decimal digits only, the whole string, no overflow: 1, and *value; otherwise 0. */
int text_number(const char *s, uint64_t *value);

/* The first `room - 1` bytes of a file, NUL ended. Returns the number of bytes, or a negative
 * errno. */
long text_read_file(const char *path, char *buffer, size_t room);

#endif
