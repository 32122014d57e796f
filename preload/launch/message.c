/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES_MAX 1000
#define PART_BYTES ((LINE_BYTES_MAX - 3) / 2) /* of a longer line, at either end */

static void say(const char *format, va_list list)
{
	char *text;
	int bytes = vasprintf(&text, format, list);

	if (bytes < 0)
		return;
	/* what a terminal would take for more than a character is shown as one */
	for (int i = 0; i < bytes; i++) {
		const unsigned char c = (unsigned char)text[i], next = (unsigned char)text[i + 1];

		if (c < ' ' || c == 0x7F)
			text[i] = '?';
		else if (c == 0xC2 && next >= 0x80 && next < 0xA0) /* U+0080 to U+009F */
			text[i] = text[i + 1] = '?';
	}
	if (bytes > LINE_BYTES_MAX)
		fprintf(stderr, "xalloc: %.*s...%s\n", PART_BYTES, text, text + bytes - PART_BYTES);
	else
		fprintf(stderr, "xalloc: %s\n", text);
	free(text);
}

void message(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	say(format, list);
	va_end(list);
}

void refuse(int status, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	say(format, list);
	va_end(list);
	exit(status);
}

int print_out(const char *text)
{
	errno = 0;
	if (fputs(text, stdout) >= 0 && fflush(stdout) == 0)
		return 0;
	message("standard output: %s", errno ? strerror(errno) : "write error");
	return EXIT_USAGE;
}

char *text_new(const char *format, ...)
{
	va_list list;
	char *text;
	int bytes;

	va_start(list, format);
	bytes = vasprintf(&text, format, list);
	va_end(list);
	if (bytes < 0)
		refuse(EXIT_REFUSED, "out of memory");
	return text;
}

void *memory_new(unsigned long count, unsigned long bytes)
{
	void *memory = calloc(count, bytes);

	if (!memory)
		refuse(EXIT_REFUSED, "out of memory");
	return memory;
}
