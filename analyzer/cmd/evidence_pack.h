/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The work behind the verbs of `evidence`. */
#ifndef XALLOC_CMD_EVIDENCE_PACK_H
#define XALLOC_CMD_EVIDENCE_PACK_H

#include "analyzer/base/err.h"
#include "analyzer/cmd/options.h"
#include "analyzer/render/render_evidence.h"

/* Packs what the command line names into options->out. -1 with a line in err. */
int evidence_pack(const struct options *options, struct evidence_facts *facts, struct err *err);
/* Checks facts->folder. -1 with a line in err: it is no evidence, or cannot be read. */
int evidence_verify(struct evidence_facts *facts, struct err *err);
/* Puts its originals together again in the new folder facts->to. */
int evidence_unpack(struct evidence_facts *facts, struct err *err);

#endif
