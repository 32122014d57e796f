/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rules file among the originals, and the files that it includes. */
#ifndef XALLOC_CMD_EVIDENCE_RULES_H
#define XALLOC_CMD_EVIDENCE_RULES_H

#include "analyzer/base/err.h"
#include "analyzer/cmd/workshop.h"
#include "analyzer/evidence/evidence.h"

/*
 * Copies them into the workshop, byte for byte. One alone is there by its name. With others it is
 * in a folder of theirs, so deep that what it includes is below that folder by the very path that
 * stands in `include`; its own folders are called `up`. -1 with a line in err: a file is no rules
 * file, or is included by a path that evidence cannot have.
 */
int evidence_add_rules(struct evidence *evidence, const struct workshop *workshop, const char *path,
		       struct err *err);

#endif
