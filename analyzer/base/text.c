/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"

void text_format_line(char *text, size_t size, const char *fmt, va_list args)
{
	static const char gap[] = "...";
	const size_t head = (size - sizeof(gap)) / 2, tail = size - sizeof(gap) - head;
	char *whole;
	int length = vasprintf(&whole, fmt, args);

	if (length < 0)
		out_of_memory(size);
	if ((size_t)length < size)
		memcpy(text, whole, (size_t)length + 1);
	else
		snprintf(text, size, "%.*s%s%s", (int)head, whole, gap,
			 whole + (size_t)length - tail);
	free(whole);
	for (char *at = text; *at; at++) {
		if (*at == '\n' || *at == '\r')
			*at = ' ';
	}
}

char *text_hex(const uint8_t *bytes, size_t count)
{
	static const char digits[] = "0123456789abcdef";
	char *text = xmalloc(count * 2 + 1);

	for (size_t i = 0; i < count; i++) {
		text[2 * i] = digits[bytes[i] >> 4];
		text[2 * i + 1] = digits[bytes[i] & 15];
	}
	text[count * 2] = '\0';
	return text;
}
