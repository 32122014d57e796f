/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What -o names: a file that is there whole or as it was. */
#ifndef XALLOC_CMD_OUTPUT_FILE_H
#define XALLOC_CMD_OUTPUT_FILE_H

#include "analyzer/base/err.h"

/* The text and a line break in place of what is there, with its mode; path NULL: to standard
 * output. */
int output_file_write(const char *text, const char *path, struct err *err);

#endif
