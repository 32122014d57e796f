/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/sys/text.h"

#include <fcntl.h>

#include "preload/sys/syscall.h"

struct text text_init(char *buffer, size_t room)
{
	buffer[0] = 0;
	return (struct text){ buffer, 0, room, 0 };
}

void text_add_bytes(struct text *t, const char *s, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++) {
		if (t->size + 1 >= t->room) {
			t->cut = 1;
			break;
		}
		t->bytes[t->size++] = s[i];
	}
	t->bytes[t->size] = 0;
}

void text_add(struct text *t, const char *s)
{
	text_add_bytes(t, s, text_length(s));
}

void text_add_number(struct text *t, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	text_add_bytes(t, digits + at, sizeof(digits) - at);
}

size_t text_length(const char *s)
{
	size_t size = 0;

	while (s[size])
		size++;
	return size;
}

int text_equal(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

int text_starts(const char *s, const char *prefix)
{
	while (*prefix)
		if (*s++ != *prefix++)
			return 0;
	return 1;
}

const char *text_last(const char *s, char c)
{
	const char *found = NULL;

	for (; *s; s++)
		if (*s == c)
			found = s;
	return found;
}

int text_number(const char *s, uint64_t *value)
{
	uint64_t n = 0;

	if (!*s)
		return 0;
	for (; *s; s++) {
		if (*s < '0' || *s > '9' || n > (UINT64_MAX - (uint64_t)(*s - '0')) / 10)
			return 0;
		n = n * 10 + (uint64_t)(*s - '0');
	}
	*value = n;
	return 1;
}

long text_read_file(const char *path, char *buffer, size_t room)
{
	long fd = sys_call4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	size_t size = 0;
	long got = 0;

	buffer[0] = 0;
	if (sys_is_error(fd))
		return fd;
	while (size < room - 1) {
		got = sys_call3(SYS_read, fd, buffer + size, room - 1 - size);
		if (got == -4 /* EINTR */)
			continue;
		if (got <= 0)
			break;
		size += (size_t)got;
	}
	sys_call1(SYS_close, fd);
	buffer[size] = 0;
	return got < 0 ? got : (long)size;
}
