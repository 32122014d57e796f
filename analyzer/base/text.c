/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/base/text.h"

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

void text_put_clean(FILE *out, const char *text)
{
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text, next = (unsigned char)text[1];

		if (c < 0x20 || c == 0x7F)
			fprintf(out, "\\x%02x", c);
		else if (c == 0xC2 && next >= 0x80 && next < 0xA0) /* UTF-8 of U+0080 to U+009F */
			fprintf(out, "\\u%02x", *(const unsigned char *)++text);
		else
			putc(c, out);
	}
}

char *text_clean(const char *text)
{
	char *clean = NULL;
	size_t size;
	FILE *out = open_memstream(&clean, &size);

	if (!out)
		out_of_memory(0);
	text_put_clean(out, text);
	if (fclose(out))
		out_of_memory(size);
	return clean;
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

bool text_is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}
