/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/base/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/mem.h"

char *text_file_read(const char *path, size_t *bytes)
{
	FILE *in = fopen(path, "re");
	char *text;
	int error = 0;

	if (!in)
		return NULL;
	text = xmalloc(TEXT_FILE_BYTES_MAX + 1);
	errno = 0;
	*bytes = fread(text, 1, TEXT_FILE_BYTES_MAX + 1, in);
	if (ferror(in))
		error = errno ? errno : EIO;
	else if (*bytes > TEXT_FILE_BYTES_MAX)
		error = EFBIG;
	else
		text[*bytes] = '\0';
	fclose(in);
	errno = error;
	if (!error)
		return text;
	free(text);
	return NULL;
}
