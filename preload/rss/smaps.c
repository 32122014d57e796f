/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/rss/smaps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/launch/message.h"
#include "preload/rss/mapping.h"

#define TEXT_BYTES (64 * 1024) /* a line is a path with its escapes at most */

static const struct field_name {
	const char *name;
	size_t bytes;
} fields[ROW_FIELD_COUNT] = {
#define ROW_FIELD_TEXT(id, smaps, json) [FIELD_##id] = { smaps ":", sizeof(smaps) },
	ROW_FIELDS(ROW_FIELD_TEXT)
#undef ROW_FIELD_TEXT
};

struct smaps {
	struct breakdown *to;
	uint64_t stack_bytes, mappings;
	/* the one that is complete but for what follows it, the one before it, the one being read
	 */
	struct mapping known, before, current;
	bool has_known, has_before, has_current;
	int expected; /* the field that comes next, most likely */
};

static void move(struct mapping *to, struct mapping *from)
{
	free(to->name);
	*to = *from;
	from->name = NULL;
}

/* The mapping that waits for its neighbour has it now; `next` may be NULL. */
static void settle(struct smaps *s, const struct mapping *next)
{
	if (!s->has_known)
		return;
	mapping_classify(&s->known, s->has_before ? &s->before : NULL, next, s->stack_bytes);
	breakdown_add(s->to, s->known.kind, s->known.as_name, s->known.field);
	move(&s->before, &s->known);
	s->has_before = true;
	s->has_known = false;
}

static void end_current(struct smaps *s)
{
	if (!s->has_current)
		return;
	settle(s, &s->current);
	move(&s->known, &s->current);
	s->has_known = true;
	s->has_current = false;
}

static uint64_t read_hex(char **at)
{
	return strtoull(*at, at, 16);
}

/* A line break in a path is \012 there. */
static char *unescaped(const char *text)
{
	char *name = text_new("%s", text), *to = name;

	for (const char *from = name; *from; to++) {
		const bool is_break = strncmp(from, "\\012", 4) == 0;

		*to = is_break ? '\n' : *from;
		from += is_break ? 4 : 1;
	}
	*to = 0;
	return name;
}

/* 7f00-7f01 rw-p 00001000 fe:00 1234      /a/path */
static void begin(struct smaps *s, char *line)
{
	struct mapping *m = &s->current;

	end_current(s);
	memset(m, 0, sizeof(*m));
	m->start = read_hex(&line);
	line += *line == '-';
	m->end = read_hex(&line);
	line += *line == ' ';
	if (strlen(line) > 4)
		memcpy(m->access, line, 4);
	line += strlen(m->access);
	m->offset = read_hex(&line);
	read_hex(&line);
	line += *line == ':';
	read_hex(&line);
	m->inode = strtoull(line, &line, 10);
	m->name = unescaped(line + strspn(line, " "));
	s->has_current = true;
	s->mappings++;
	s->expected = 0;
}

static bool has_flag(const char *flags, const char *flag)
{
	for (const char *at = flags; (at = strstr(at, flag)); at++)
		if (at[-1] == ' ' && (at[2] == ' ' || !at[2]))
			return true;
	return false;
}

static void take_line(struct smaps *s, char *line)
{
	struct mapping *m = &s->current;

	if ((*line >= '0' && *line <= '9') || (*line >= 'a' && *line <= 'f')) {
		begin(s, line);
		return;
	}
	if (strncmp(line, "VmFlags:", 8) == 0) {
		m->has_nohuge = has_flag(line + 8, "nh");
		return;
	}
	for (int i = s->expected; i < ROW_FIELD_COUNT; i++)
		if (strncmp(line, fields[i].name, fields[i].bytes) == 0) {
			m->field[i] = strtoull(line + fields[i].bytes, NULL, 10) * 1024;
			s->expected = i + 1;
			return;
		}
}

/* What is behind the last line break stays; its number of bytes. */
static size_t take_lines(struct smaps *s, char *text, size_t bytes)
{
	char *line = text, *const end = text + bytes, *line_end;

	while ((line_end = memchr(line, '\n', (size_t)(end - line)))) {
		*line_end = 0;
		take_line(s, line);
		line = line_end + 1;
	}
	memmove(text, line, (size_t)(end - line));
	return (size_t)(end - line);
}

int smaps_read(struct breakdown *b, const char *path, uint64_t stack_bytes, uint64_t *mappings)
{
	static char text[TEXT_BYTES];
	struct smaps s = { .to = b, .stack_bytes = stack_bytes };
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t kept = 0;
	ssize_t bytes;
	int error = 0;

	breakdown_clear(b);
	if (fd < 0)
		return -errno;
	for (;;) {
		bytes = read(fd, text + kept, sizeof(text) - kept);
		if (bytes <= 0)
			break;
		kept = take_lines(&s, text, kept + (size_t)bytes);
		if (kept == sizeof(text)) /* no such line is possible */
			break;
	}
	if (bytes < 0)
		error = -errno;
	close(fd);
	end_current(&s);
	settle(&s, NULL);
	free(s.before.name);
	*mappings = s.mappings;
	return error ? error : s.mappings ? 0 : -ESRCH;
}
