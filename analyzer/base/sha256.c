/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/base/sha256.h"

#include <stdint.h>
#include <stdio.h>

void sha256_begin(struct sha256 *sha)
{
	sha256_init(&sha->context);
}

void sha256_add(struct sha256 *sha, const void *bytes, size_t size)
{
	sha256_update(&sha->context, size, bytes);
}

struct sha256_hex sha256_end(struct sha256 *sha)
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_hex hex;

	sha256_digest(&sha->context, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(hex.text + 2 * i, 3, "%02x", digest[i]);
	return hex;
}
