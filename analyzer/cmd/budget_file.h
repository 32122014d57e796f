/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file that a budget is written to. */
#ifndef XALLOC_CMD_BUDGET_FILE_H
#define XALLOC_CMD_BUDGET_FILE_H

#include "analyzer/base/err.h"

/* Is there nothing at path, or a budget, which may be replaced? NULL: standard output. */
int budget_file_check(const char *path, struct err *err);

#endif
