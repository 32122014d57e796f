/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/html_text.h"

#include <stdlib.h>

#include "analyzer/render/json_value.h"

#define REPLACEMENT "\xEF\xBF\xBD"

static void put_character(FILE *out, unsigned char c)
{
	if (c == '<')
		fputs("&lt;", out);
	else if (c == '>')
		fputs("&gt;", out);
	else if (c == '&')
		fputs("&amp;", out);
	else if (c == '"')
		fputs("&quot;", out);
	else if ((c < 0x20 && c != '\n') || c == 0x7F)
		fputs(REPLACEMENT, out);
	else
		putc(c, out);
}

void html_text_put(FILE *out, const char *text)
{
	json_t *valid = json_value_text(text);

	for (const char *at = json_string_value(valid); *at; at++) {
		/* U+0080 to U+009F are control characters, too */
		if ((unsigned char)at[0] == 0xC2 && (unsigned char)at[1] < 0xA0) {
			fputs(REPLACEMENT, out);
			at++;
		} else {
			put_character(out, (unsigned char)*at);
		}
	}
	json_decref(valid);
}

/* What ends a script, or begins a comment in one, begins with '<'; in JSON that is in strings
 * only. */
void html_text_put_json(FILE *out, const json_t *value)
{
	char *text = json_value_dump(value, JSON_COMPACT);

	for (const char *at = text; *at; at++)
		if (*at == '<')
			fputs("\\u003c", out);
		else
			putc(*at, out);
	free(text);
}
