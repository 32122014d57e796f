/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/trace_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "analyzer/base/mem.h"
#include "preload/trace/sealed.h"

struct trace_output {
	FILE *file;
	char *name;
	ZSTD_CCtx *context;
	uint8_t *packed;
	size_t capacity;
	struct xt_totals totals;
	int error; /* errno of what failed first; 0: nothing */
};

static void put(struct trace_output *out, const void *bytes, size_t size)
{
	if (!out->error && fwrite(bytes, 1, size, out->file) != size)
		out->error = errno ? errno : EIO;
}

static void put_head(struct trace_output *out, uint32_t magic, size_t size)
{
	const uint32_t head[] = { magic, (uint32_t)size };

	put(out, head, sizeof(head));
}

int trace_output_open(struct trace_output **result, const char *path, const char *name,
		      const struct xt_header *header, int level, struct err *err)
{
	uint8_t payload[XT_PAGE_BYTES - XT_FRAME_HEAD_BYTES] = { 0 };
	const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	struct trace_output *out;
	struct xt_header copy = *header;

	if (!file)
		return err_set(err, "%s: cannot be written: %s", name, strerror(errno));
	out = xcalloc(1, sizeof(*out));
	out->file = file;
	out->name = xstrdup(name);
	out->context = ZSTD_createCCtx();
	if (!out->context)
		out_of_memory(ZSTD_CStreamInSize());
	ZSTD_CCtx_setParameter(out->context, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(out->context, ZSTD_c_checksumFlag, 1);
	copy.version = XT_VERSION;
	copy.oldest_reader = XT_OLDEST_READER;
	copy.is_compact = 1;
	copy.header_bytes = sizeof(copy);
	copy.check = xt_header_check(&copy);
	memcpy(payload, &copy, sizeof(copy));
	put_head(out, XT_FRAME_HEADER, sizeof(payload));
	put(out, payload, sizeof(payload));
	*result = out;
	return 0;
}

void trace_output_chunk(struct trace_output *out, struct xt_meta meta, const uint8_t *payload)
{
	const size_t bound = ZSTD_compressBound(meta.raw_bytes);
	size_t size;

	if (bound > out->capacity) {
		out->capacity = bound;
		free(out->packed);
		out->packed = xmalloc(bound);
	}
	size = ZSTD_compress2(out->context, out->packed, bound, payload, meta.raw_bytes);
	if (ZSTD_isError(size))
		out_of_memory(bound); /* nothing else can be wrong */
	meta.zstd_bytes = (uint32_t)size;
	meta.check = xt_meta_check(&meta);
	put_head(out, XT_FRAME_CHUNK, sizeof(meta));
	put(out, &meta, sizeof(meta));
	put(out, out->packed, size);
	out->totals.chunks++;
	if (meta.kind == XT_KIND_EVENTS || meta.kind == XT_KIND_COLUMNS)
		out->totals.events += meta.events;
}

int trace_output_close(struct trace_output *out, uint64_t ids, struct err *err)
{
	int ret = 0;

	out->totals.ids = ids;
	put_head(out, XT_FRAME_TOTALS, sizeof(out->totals));
	put(out, &out->totals, sizeof(out->totals));
	if (fclose(out->file) && !out->error)
		out->error = errno;
	if (out->error)
		ret = err_set(err, "%s: cannot be written: %s", out->name, strerror(out->error));
	ZSTD_freeCCtx(out->context);
	free(out->packed);
	free(out->name);
	free(out);
	return ret;
}
