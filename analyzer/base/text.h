/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small services for text. */
#ifndef XALLOC_BASE_TEXT_H
#define XALLOC_BASE_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* vsnprintf, with blanks for line breaks: a path may hold some, and what we say stays one line. */
void text_format_line(char *text, size_t size, const char *fmt, va_list args)
	__attribute__((format(printf, 3, 0)));

/* "00ff": two digits a byte. Owned by the caller, free(). */
char *text_hex(const uint8_t *bytes, size_t count);

#endif
