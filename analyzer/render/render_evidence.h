/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `evidence` says of its work. */
#ifndef XALLOC_RENDER_RENDER_EVIDENCE_H
#define XALLOC_RENDER_RENDER_EVIDENCE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/sha256.h"
#include "analyzer/base/warnings.h"

/* What was packed, checked or unpacked. */
struct evidence_facts {
	const char *verb;
	const char *folder; /* of evidence */
	const char *to;     /* unpack: where; else NULL */
	size_t originals, pieces, tables, files;
	size_t incomplete; /* traces that are not complete */
	uint64_t bytes;         /* of all files */
	struct sha256_hex sums; /* SHA-256 of SHA256SUMS, which stands for all of it; "": none */
	struct warnings wrong;  /* verify: what does not hold, a line each */
};

void render_evidence_text(FILE *out, const struct evidence_facts *facts);
void render_evidence_json(FILE *out, const struct evidence_facts *facts);

#endif
