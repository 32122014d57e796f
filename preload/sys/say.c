/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/sys/say.h"

#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>

#include "preload/sys/syscall.h"
#include "preload/sys/text.h"

static struct {
	dev_t dev;
	ino_t ino;
	int known;
} at_start;

void say_init(void)
{
	struct stat st;

	at_start.known = sys_call2(SYS_fstat, 2, &st) == 0;
	at_start.dev = st.st_dev;
	at_start.ino = st.st_ino;
}

void say(const char *piece, ...)
{
	char buffer[1024];
	struct text line = text_init(buffer, sizeof(buffer) - 1);
	struct stat st;
	va_list pieces;

	if (!at_start.known || sys_call2(SYS_fstat, 2, &st) != 0 || st.st_dev != at_start.dev ||
	    st.st_ino != at_start.ino)
		return;
	text_add(&line, "xalloc: ");
	va_start(pieces, piece);
	for (; piece; piece = va_arg(pieces, const char *))
		text_add(&line, piece);
	va_end(pieces);
	buffer[line.size++] = '\n';
	sys_call3(SYS_write, 2, buffer, line.size);
}
