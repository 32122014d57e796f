/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A folder of evidence out of its originals: to pack is to do it once, to verify is to do it again
 * and compare. */
#ifndef XALLOC_CMD_EVIDENCE_BUILD_H
#define XALLOC_CMD_EVIDENCE_BUILD_H

#include "analyzer/base/err.h"
#include "analyzer/evidence/evidence.h"

/*
 * All files of the folder `out`, which is there and empty, from originals that are in the working
 * directory, each by its name in evidence. Next to that directory are an empty folder `root` and
 * room for a file `table`. What is written depends on the originals and the head of evidence alone:
 * no file of this machine gives a name. Fills in the pieces, facts and tables of evidence. -1 with
 * a line in err.
 */
int evidence_build(struct evidence *evidence, const char *out, struct err *err);

#endif
