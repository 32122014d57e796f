/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/rss/json_out.h"

#include <inttypes.h>
#include <stddef.h>

/* Bytes of the UTF-8 sequence at s (RFC 3629), 0: it is none. */
static unsigned sequence(const unsigned char *s)
{
	const unsigned char first = s[0];
	const unsigned bytes = first < 0x80   ? 1
			       : first < 0xC2 ? 0
			       : first < 0xE0 ? 2
			       : first < 0xF0 ? 3
			       : first < 0xF5 ? 4
					      : 0;

	for (unsigned i = 1; i < bytes; i++)
		if ((s[i] & 0xC0) != 0x80)
			return 0;
	if ((first == 0xE0 && s[1] < 0xA0) || (first == 0xED && s[1] >= 0xA0) ||
	    (first == 0xF0 && s[1] < 0x90) || (first == 0xF4 && s[1] >= 0x90))
		return 0;
	return bytes;
}

static void write_text(FILE *to, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	fputc('"', to);
	while (*s) {
		const unsigned bytes = sequence(s);

		if (!bytes)
			fputs("\xEF\xBF\xBD", to);
		else if (*s == '"' || *s == '\\')
			fprintf(to, "\\%c", *s);
		else if (*s < ' ')
			fprintf(to, "\\u%04x", *s);
		else
			fwrite(s, 1, bytes, to);
		s += bytes ? bytes : 1;
	}
	fputc('"', to);
}

static void begin(struct json_out *j, const char *key)
{
	if (j->depth)
		fprintf(j->to, "%s\n%*s", j->has_member ? "," : "", 2 * (int)j->depth, "");
	j->has_member = true;
	if (key)
		fprintf(j->to, "\"%s\": ", key);
}

void json_open(struct json_out *j, const char *key, char bracket)
{
	begin(j, key);
	fputc(bracket, j->to);
	j->depth++;
	j->has_member = false;
}

void json_close(struct json_out *j, char bracket)
{
	j->depth--;
	if (j->has_member)
		fprintf(j->to, "\n%*s", 2 * (int)j->depth, "");
	fputc(bracket, j->to);
	if (!j->depth)
		fputc('\n', j->to);
	j->has_member = true;
}

void json_number(struct json_out *j, const char *key, uint64_t value)
{
	begin(j, key);
	fprintf(j->to, "%" PRIu64, value);
}

void json_time(struct json_out *j, const char *key, int64_t value)
{
	begin(j, key);
	fprintf(j->to, "%" PRId64, value);
}

void json_text(struct json_out *j, const char *key, const char *value)
{
	begin(j, key);
	write_text(j->to, value);
}

void json_share(struct json_out *j, const char *key, uint64_t part, uint64_t whole)
{
	begin(j, key);
	fprintf(j->to, "%.4f", whole ? (double)part / (double)whole : 0.0);
}
