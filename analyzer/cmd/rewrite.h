/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What commands that write a trace anew have in common. */
#ifndef XALLOC_CMD_REWRITE_H
#define XALLOC_CMD_REWRITE_H

#include "analyzer/base/err.h"
#include "analyzer/model/replay.h"

/* Is there nothing at path, or a trace, which may be replaced? */
int rewrite_check_place(const char *path, struct err *err);

/* What was written, and is called name, is read again: it must say the same. */
int rewrite_check_result(const struct result *want, const char *path, const char *name,
			 struct err *err);

#endif
