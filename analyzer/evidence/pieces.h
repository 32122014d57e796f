/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A file in ordered pieces of limited size, without loss: what is in a folder of evidence. A long
 * run of zeros, of which the trace of a killed process has many, is told and not kept.
 */
#ifndef XALLOC_EVIDENCE_PIECES_H
#define XALLOC_EVIDENCE_PIECES_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/err.h"
#include "analyzer/base/sha256.h"

#define PIECES_BYTES_MAX ((uint64_t)1 << 40) /* of a file: more is none of ours */

struct piece {
	char *path; /* from the folder on; NULL: zeros */
	uint64_t bytes;
	struct sha256_hex sha256; /* not of zeros */
};

struct pieces {
	struct piece *piece; /* in their order */
	size_t count;
	uint64_t bytes; /* of the whole */
	struct sha256_hex sha256;
};

/*
 * Cuts the file `from` into pieces of at most max bytes, new files below the folder `to`: one is
 * called path, several path.0000 and so on. The same bytes give the same pieces. -1 with a line in
 * err. Release either way.
 */
int pieces_cut(struct pieces *pieces, const char *from, const char *to, const char *path,
	       uint64_t max, struct err *err);

/* The new file `to` out of the pieces below the folder `from`. -1 with a line in err: a piece is
 * not what is told of it, or the whole is not. */
int pieces_join(const struct pieces *pieces, const char *from, const char *to, struct err *err);

void pieces_release(struct pieces *pieces);

#endif
