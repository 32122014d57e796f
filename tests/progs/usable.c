/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks of all kinds, some given back again; in the end, before anything is given back, the bytes
 * that were requested, what malloc_usable_size says beyond them, and how many blocks there are:
 * tests/reconcile.test. It prints without the heap.
 */
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCKS 2000

static struct {
	void *at;
	size_t bytes;
} kept[BLOCKS];

static uint32_t seed = 1;

static uint32_t next(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static void *get(size_t bytes)
{
	void *at = NULL;

	switch (next(5)) {
	case 0:
		return calloc(1, bytes);
	case 1:
		return realloc(NULL, bytes);
	case 2:
		return posix_memalign(&at, (size_t)64 << next(8), bytes) ? NULL : at;
	default:
		return malloc(bytes);
	}
}

static size_t size(void)
{
	const uint32_t kind = next(100);

	return kind < 70 ? next(200) : kind < 97 ? next(10000) : next(600000);
}

int main(void)
{
	size_t requested = 0, usable = 0, blocks = 0;
	char text[80];
	int length;

	if (!mallopt(M_MMAP_THRESHOLD, 128 << 10)) /* it does not grow any more */
		abort();
	for (int i = 0; i < 20000; i++) {
		const uint32_t at = next(BLOCKS);
		const size_t bytes = size();

		switch (next(3)) {
		case 0:
			free(kept[at].at);
			kept[at].at = NULL;
			continue;
		case 1:
			if (kept[at].at && bytes) {
				kept[at].at = realloc(kept[at].at, bytes);
				break;
			}
			/* fallthrough */
		default:
			free(kept[at].at);
			kept[at].at = get(bytes);
		}
		kept[at].bytes = bytes;
		if (!kept[at].at)
			abort();
	}
	for (int i = 0; i < BLOCKS; i++) {
		if (!kept[i].at)
			continue;
		requested += kept[i].bytes;
		usable += malloc_usable_size(kept[i].at) - kept[i].bytes;
		blocks++;
	}
	length = snprintf(text, sizeof(text), "%zu %zu %zu\n", requested, usable, blocks);
	return write(1, text, (size_t)length) != length;
}
