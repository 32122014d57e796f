/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small services for text. */
#ifndef XALLOC_BASE_TEXT_H
#define XALLOC_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* One line: blanks for line breaks, which a path may hold; of what is too long the middle is left
 * out, so that it still says in the end what is wrong. */
void text_format_line(char *text, size_t size, const char *fmt, va_list args)
	__attribute__((format(printf, 3, 0)));

/* The text, with \x1b and the like for control characters: names and paths are the target's, and
 * none of those must reach a terminal. */
void text_put_clean(FILE *out, const char *text);

/* The same in memory; owned by the caller. */
char *text_clean(const char *text);

/* NULL is the same as NULL only. */
bool text_is_same(const char *a, const char *b);

/* "00ff": two digits a byte. Owned by the caller, free(). */
char *text_hex(const uint8_t *bytes, size_t count);

#endif
