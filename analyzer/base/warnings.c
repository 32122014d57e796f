/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/base/warnings.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"
#include "analyzer/base/text.h"

#define TEXT_BYTES 512

static void count_left_out(struct warnings *warnings)
{
	char **last = &warnings->text[WARNINGS_MAX];

	if (warnings->left_out++)
		free(*last);
	*last = xasprintf("%s %s not shown", number_of(warnings->left_out, "more warning").text,
			  number_are(warnings->left_out));
	warnings->count = WARNINGS_MAX + 1;
}

void warnings_add_args(struct warnings *warnings, const char *fmt, va_list args)
{
	const size_t known = warnings->count < WARNINGS_MAX ? warnings->count : WARNINGS_MAX;
	char text[TEXT_BYTES];

	text_format_line(text, sizeof(text), fmt, args);
	for (size_t i = 0; i < known; i++) {
		if (!strcmp(warnings->text[i], text))
			return;
	}
	if (!warnings->text)
		warnings->text = xcalloc(WARNINGS_MAX + 1, sizeof(*warnings->text));
	if (known == WARNINGS_MAX)
		count_left_out(warnings);
	else
		warnings->text[warnings->count++] = xstrdup(text);
}

void warnings_add(struct warnings *warnings, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	warnings_add_args(warnings, fmt, args);
	va_end(args);
}

void warnings_copy(struct warnings *to, const struct warnings *from)
{
	for (size_t i = 0; i < from->count; i++)
		warnings_add(to, "%s", from->text[i]);
}

void warnings_release(struct warnings *warnings)
{
	for (size_t i = 0; i < warnings->count; i++)
		free(warnings->text[i]);
	free(warnings->text);
	*warnings = (struct warnings){ 0 };
}
