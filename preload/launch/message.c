/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void say(const char *format, va_list list)
{
	char *text;

	if (vasprintf(&text, format, list) < 0)
		return;
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
