/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A bundle of symbols as a file. */
#ifndef XALLOC_CMD_BUNDLE_PLACE_H
#define XALLOC_CMD_BUNDLE_PLACE_H

#include "analyzer/base/err.h"
#include "analyzer/report/symbol_bundle.h"

/* Is there nothing at path, or a bundle, which may be replaced? A damaged one may not: who knows
 * what it is. */
int bundle_check_place(const char *path, struct err *err);

/* Written at path, then called name. */
int bundle_write(const struct symbol_bundle *bundle, const char *path, const char *name,
		 struct err *err);

#endif
