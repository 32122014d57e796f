/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One trace, replayed for the report and by verify/, and both compared. */
#ifndef XALLOC_CMD_VERIFIED_H
#define XALLOC_CMD_VERIFIED_H

#include "analyzer/base/err.h"
#include "analyzer/cmd/options.h"
#include "analyzer/verify/verify.h"

/* -1: the trace cannot be read; else verify_release. */
int verified_read(struct verify_report *report, const char *path, const struct options *options,
		  struct err *err);

#endif
