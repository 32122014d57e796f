/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/store/compress.h"

#include <stdatomic.h>
#include <string.h>

#define ZSTD_STATIC_LINKING_ONLY
#define ZSTD_DISABLE_DEPRECATE_WARNINGS
#include <zstd.h>

#include "preload/store/columns.h"
#include "preload/sys/syscall.h"
#include "preload/sys/sysmem.h"

#define CONTEXTS_MAX 4u
#define IN_BYTES (XT_SLOT_BYTES + XT_SLOT_BYTES / 4 + 64) /* columns may be more than rows */
#define OUT_BYTES (ZSTD_COMPRESSBOUND(IN_BYTES) + XT_COLUMNS * 3)
#define BLOCK_BYTES_MIN 128u /* of columns: with less go the next ones together */

#define OUT_ROOM ((OUT_BYTES + 63) & ~63ul)

/* zstd's own copy of the checksum it uses, in the same archive. */
unsigned long long ZSTD_XXH64(const void *in, size_t size, unsigned long long seed);

struct compress_context {
	_Atomic int busy;
	ZSTD_CCtx *zstd; /* inside work; NULL: to be set up */
	uint8_t *work, *out;
	struct columns *columns;
	ZSTD_parameters parameters;
};

static struct {
	int level;
	unsigned count;
	struct compress_context context[CONTEXTS_MAX];
} compress;

/* What zstd would take from libc, were it ever to: it is given its memory and has no errors to
 * print. The Makefile renames these in our copy of the archive. */
void *xalloc_zstd_malloc(size_t size);
void *xalloc_zstd_calloc(size_t n, size_t size);
void xalloc_zstd_free(void *p);

/* zstd's tracing hooks are weak: left undefined, the target's could be called. 0: no trace, no call
 * at the end. */
unsigned long long ZSTD_trace_compress_begin(const void *context);
void ZSTD_trace_compress_end(unsigned long long trace, const void *what);

unsigned long long ZSTD_trace_compress_begin(const void *context)
{
	(void)context;
	return 0;
}

void ZSTD_trace_compress_end(unsigned long long trace, const void *what)
{
	(void)trace;
	(void)what;
}

void *xalloc_zstd_malloc(size_t size)
{
	(void)size;
	return NULL;
}

void *xalloc_zstd_calloc(size_t n, size_t size)
{
	(void)n;
	(void)size;
	return NULL;
}

void xalloc_zstd_free(void *p)
{
	(void)p;
}

void compress_init(int level)
{
	uint64_t cpus[16] = { 0 };
	unsigned i, count = 0;
	uint64_t bits;

	compress.level = level;
	compress.count = 0;
	for (i = 0; i < CONTEXTS_MAX; i++) {
		compress.context[i].busy = 0;
		compress.context[i].zstd =
			NULL; /* in a fork child its state may be half of something */
	}
	if (level == 0)
		return;
	sys_call3(SYS_sched_getaffinity, 0, sizeof(cpus), cpus);
	for (i = 0; i < 16; i++)
		for (bits = cpus[i]; bits; bits &= bits - 1)
			count++;
	compress.count = count < 1 ? 1 : count > CONTEXTS_MAX ? CONTEXTS_MAX : count;
}

static int context_init(struct compress_context *c)
{
	const ZSTD_compressionParameters p = ZSTD_getCParams(compress.level, IN_BYTES, 0);
	size_t work_bytes = (ZSTD_estimateCCtxSize_usingCParams(p) + 4095) & ~(size_t)4095;

	if (!c->work)
		c->work = sysmem_new(work_bytes + OUT_ROOM + columns_bytes());
	if (!c->work)
		return -1;
	c->zstd = ZSTD_initStaticCCtx(c->work, work_bytes);
	c->out = c->work + work_bytes;
	c->columns = (struct columns *)(void *)(c->out + OUT_ROOM);
	if (!c->zstd)
		return -1;
	c->parameters = (ZSTD_parameters){ p, { .contentSizeFlag = 1, .checksumFlag = 1 } };
	ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_checksumFlag, 1);
	ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_compressionLevel, compress.level);
	ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_windowLog, (int)p.windowLog);
	ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_hashLog, (int)p.hashLog);
	ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_chainLog, (int)p.chainLog);
	ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_searchLog, (int)p.searchLog);
	ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_minMatch, (int)p.minMatch);
	ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_targetLength, (int)p.targetLength);
	ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_strategy, (int)p.strategy);
	return 0;
}

struct compress_context *compress_take(void)
{
	unsigned i;

	for (i = 0; i < compress.count; i++) {
		struct compress_context *c = &compress.context[i];

		if (atomic_load_explicit(&c->busy, memory_order_relaxed) ||
		    atomic_exchange_explicit(&c->busy, 1, memory_order_acquire))
			continue;
		return c;
	}
	return NULL;
}

void compress_put(struct compress_context *c)
{
	atomic_store_explicit(&c->busy, 0, memory_order_release);
}

/* Each column in a block of its own, which so has codes of its own: a tenth less than together. */
static size_t compress_columns(struct compress_context *c, const uint8_t *in, size_t size)
{
	struct xt_columns head;
	size_t done = 0, end = sizeof(head), at = 0, result;
	unsigned i;

	memcpy(&head, in, sizeof(head));
	result = ZSTD_compressBegin_advanced(c->zstd, NULL, 0, c->parameters, size);
	for (i = 0; i < XT_COLUMNS && !ZSTD_isError(result); i++) {
		end += head.bytes[i];
		if (end - done < BLOCK_BYTES_MIN || end == size)
			continue;
		result = ZSTD_compressContinue(c->zstd, c->out + at, OUT_BYTES - at, in + done,
					       end - done);
		at += result;
		done = end;
	}
	if (ZSTD_isError(result))
		return result;
	result = ZSTD_compressEnd(c->zstd, c->out + at, OUT_BYTES - at, in + done, size - done);
	return ZSTD_isError(result) ? result : at + result;
}

size_t compress_frame(struct compress_context *c, const uint8_t *in, size_t size, uint32_t *kind,
		      uint32_t *content, const uint8_t **out)
{
	size_t result;

	if (!c->zstd && context_init(c) < 0)
		return 0;
	if (*kind == XT_KIND_EVENTS) {
		const uint8_t *columns;
		const size_t bytes = columns_split(c->columns, in, size, &columns);

		if (bytes) {
			in = columns;
			size = bytes;
			*kind = XT_KIND_COLUMNS;
		}
	}
	*content = (uint32_t)size;
	result = *kind == XT_KIND_COLUMNS ? compress_columns(c, in, size)
					  : ZSTD_compress2(c->zstd, c->out, OUT_BYTES, in, size);
	*out = c->out;
	return ZSTD_isError(result) ? 0 : result;
}

void compress_raw_frame(uint8_t *out, const uint8_t *in, size_t size)
{
	uint32_t magic = XT_FRAME_ZSTD, content = (uint32_t)size, sum;
	uint32_t block = (uint32_t)size << 3 | 1; /* last block, raw */

	memcpy(out, &magic, 4);
	out[4] = 0xA4; /* content size in 4 bytes, single segment, checksum */
	memcpy(out + 5, &content, 4);
	memcpy(out + 9, &block, 3);
	memcpy(out + 12, in, size);
	sum = (uint32_t)ZSTD_XXH64(in, size, 0);
	memcpy(out + 12 + size, &sum, 4);
}
