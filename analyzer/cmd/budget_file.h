/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A budget as a file that is there whole or as it was. */
#ifndef XALLOC_CMD_BUDGET_FILE_H
#define XALLOC_CMD_BUDGET_FILE_H

#include "analyzer/base/err.h"

/* Is there nothing at path, or a budget, which may be replaced? NULL: standard output. */
int budget_file_check(const char *path, struct err *err);
/* In place of what is there, with its mode; path NULL: to standard output. */
int budget_file_write(const char *text, const char *path, struct err *err);

#endif
