/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole files in memory, for what people write by hand. */
#ifndef XALLOC_BASE_TEXT_FILE_H
#define XALLOC_BASE_TEXT_FILE_H

#include <stddef.h>

#define TEXT_FILE_BYTES_MAX (16u << 20)

/* Owned by the caller, with a NUL behind the bytes; NULL with errno set: EFBIG of a larger one. */
char *text_file_read(const char *path, size_t *bytes);

#endif
