/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-256 of bytes that come piece by piece (FIPS 180-4), by nettle. */
#ifndef XALLOC_BASE_SHA256_H
#define XALLOC_BASE_SHA256_H

#include <nettle/sha2.h>
#include <stddef.h>

struct sha256 {
	struct sha256_ctx context;
};

/* 64 digits. */
struct sha256_hex {
	char text[2 * SHA256_DIGEST_SIZE + 1];
};

void sha256_begin(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *bytes, size_t size);
/* Of all that was added; then it begins anew. */
struct sha256_hex sha256_end(struct sha256 *sha);

#endif
