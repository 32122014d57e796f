/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Other names for names: of the same text always the same, as long as the key lives, and none that
 * somebody could guess who has a list of names: HMAC-SHA256 (RFC 2104) under a key that is random,
 * kept nowhere, and gone with the process. Texts are owned by the caller.
 */
#ifndef XALLOC_BASE_PSEUDONYMS_H
#define XALLOC_BASE_PSEUDONYMS_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/err.h"

struct pseudonyms {
	uint8_t key[32];
};

/* -1: there are no random bytes. */
int pseudonyms_init(struct pseudonyms *pseudonyms, struct err *err);

/* The letter and 12 digits; "" for "". */
char *pseudonym_name(const struct pseudonyms *pseudonyms, char letter, const char *text);
/* The same for each part of a path: those of one folder stay in one. Kept are "", ".", ".." and the
 * names of libc's and the kernel's library, which reports look for. */
char *pseudonym_path(const struct pseudonyms *pseudonyms, const char *path);
/* As many bytes for bytes. */
void pseudonym_bytes(const struct pseudonyms *pseudonyms, const uint8_t *bytes, size_t size,
		     uint8_t *other);

#endif
