/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compression contexts of the process: at most min(CPUs, 4), each with memory of its own, taken by
 * try-lock. zstd is given that memory and never allocates. It needs 3 to 5 KB of stack: a private
 * one (sys/stack.h).
 */
#ifndef XALLOC_STORE_COMPRESS_H
#define XALLOC_STORE_COMPRESS_H

#include <stddef.h>
#include <stdint.h>

#include "preload/trace/format.h"

#define COMPRESS_RAW_OVERHEAD \
	16u /* what a frame of raw blocks adds to its content: 4 + 1 + 4 + 3 + 4 */

struct compress_context;

/*
 * level 0: there are no contexts, everything is stored raw. Called once, and again in a fork child.
 * Events are split into columns before they are compressed, which halves their size and costs about
 * 15 ns an event, most of which less for zstd to do makes up for.
 */
void compress_init(int level);

/* NULL when all are busy. Signals are blocked by the caller until compress_put. */
struct compress_context *compress_take(void);
void compress_put(struct compress_context *c);

/*
 * Compresses the used bytes of a slot into a frame in the context's own buffer (*out); 0 when zstd
 * refuses. *kind becomes XT_KIND_COLUMNS where events were split. *content is the size of what the
 * frame holds.
 */
size_t compress_frame(struct compress_context *c, const uint8_t *in, size_t size, uint32_t *kind,
		      uint32_t *content, const uint8_t **out);

/* A frame of one raw block at `out`, size + COMPRESS_RAW_OVERHEAD bytes. */
void compress_raw_frame(uint8_t *out, const uint8_t *in, size_t size);

#endif
