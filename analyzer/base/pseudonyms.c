/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/base/pseudonyms.h"

#include <errno.h>
#include <nettle/hmac.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "analyzer/base/mem.h"

#define DIGITS_BYTES 6 /* 48 bits: of 100,000 names two are equal once in 50,000 times */

int pseudonyms_init(struct pseudonyms *pseudonyms, struct err *err)
{
	if (getrandom(pseudonyms->key, sizeof(pseudonyms->key), 0) != sizeof(pseudonyms->key))
		return err_set(err, "no random key: %s", strerror(errno));
	return 0;
}

/* letter: what kind of thing it is. */
static void digest(const struct pseudonyms *pseudonyms, char letter, const void *bytes, size_t size,
		   uint8_t result[SHA256_DIGEST_SIZE])
{
	struct hmac_sha256_ctx hmac;

	hmac_sha256_set_key(&hmac, sizeof(pseudonyms->key), pseudonyms->key);
	hmac_sha256_update(&hmac, 1, (const uint8_t *)&letter);
	hmac_sha256_update(&hmac, size, bytes);
	hmac_sha256_digest(&hmac, SHA256_DIGEST_SIZE, result);
}

static void put(FILE *out, const struct pseudonyms *pseudonyms, char letter, const char *text,
		size_t size)
{
	uint8_t result[SHA256_DIGEST_SIZE];

	digest(pseudonyms, letter, text, size, result);
	putc(letter, out);
	for (size_t i = 0; i < DIGITS_BYTES; i++)
		fprintf(out, "%02x", result[i]);
}

char *pseudonym_name(const struct pseudonyms *pseudonyms, char letter, const char *text)
{
	char *name = NULL;
	size_t size = 0;
	FILE *out;

	if (!*text)
		return xstrdup("");
	out = open_memstream(&name, &size);
	if (!out)
		out_of_memory(0);
	put(out, pseudonyms, letter, text, strlen(text));
	if (fclose(out))
		out_of_memory(0);
	return name;
}

static bool is_kept(const char *part, size_t size)
{
	static const char *const kept[] = {
		"", ".", "..", "libc.so.6", "linux-vdso.so.1", "[vdso]"
	};

	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		if (strlen(kept[i]) == size && !memcmp(kept[i], part, size))
			return true;
	return false;
}

char *pseudonym_path(const struct pseudonyms *pseudonyms, const char *path)
{
	char *name = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&name, &bytes);

	if (!out)
		out_of_memory(0);
	for (;;) {
		const size_t size = strcspn(path, "/");

		if (is_kept(path, size))
			fwrite(path, 1, size, out);
		else
			put(out, pseudonyms, 'p', path, size);
		path += size;
		if (!*path)
			break;
		putc(*path++, out);
	}
	if (fclose(out))
		out_of_memory(0);
	return name;
}

void pseudonym_bytes(const struct pseudonyms *pseudonyms, const uint8_t *bytes, size_t size,
		     uint8_t *other)
{
	uint8_t result[SHA256_DIGEST_SIZE];

	digest(pseudonyms, 'b', bytes, size, result);
	for (size_t i = 0; i < size; i++)
		other[i] = result[i % SHA256_DIGEST_SIZE];
}
