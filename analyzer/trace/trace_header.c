/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/trace_header.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "analyzer/base/number.h"
#include "preload/trace/sealed.h"

int trace_header_load(struct xt_header *header, const struct trace_file *file, const char *path,
		      const char **wrong, struct err *err)
{
	const uint32_t payload_bytes = XT_PAGE_BYTES - XT_FRAME_HEAD_BYTES;
	uint32_t head[2];

	errno = 0;
	if (!trace_file_read(file, 0, head, sizeof(head)) || head[0] != XT_FRAME_HEADER ||
	    head[1] != payload_bytes)
		return err_set(err, "%s: not an xalloc trace", path);
	if (file->size < XT_PAGE_BYTES)
		return err_set(err, "%s: cut short at offset %" PRIu64 ": the header takes %s",
			       path, file->size, number_of(XT_PAGE_BYTES, "byte").text);
	if (!trace_file_read(file, sizeof(head), header, sizeof(*header)))
		return err_set(err, "%s: cannot read: %s", path, strerror(errno));
	if (memcmp(header->magic, XT_MAGIC, sizeof(header->magic)))
		return err_set(err, "%s: not an xalloc trace", path);
	if (header->oldest_reader > XT_VERSION)
		return err_set(err,
			       "%s: a trace of version %u, which needs a reader of version %u or "
			       "later; this one is %u",
			       path, header->version, header->oldest_reader, XT_VERSION);
	if (!header->version)
		return err_set(err, "%s: offset %zu: the header is damaged: its version is 0", path,
			       XT_FRAME_HEAD_BYTES + offsetof(struct xt_header, version));
	if (header->version < XT_OLDEST_VERSION)
		return err_set(err,
			       "%s: a trace of version %u, from an older xalloc; this reader knows "
			       "versions from %u on",
			       path, header->version, XT_OLDEST_VERSION);
	if (header->header_bytes < sizeof(*header))
		return err_set(err,
			       "%s: offset %zu: the header is damaged: it says that it has %s, "
			       "which are at least %zu",
			       path, XT_FRAME_HEAD_BYTES + offsetof(struct xt_header, header_bytes),
			       number_of(header->header_bytes, "byte").text, sizeof(*header));
	if (wrong)
		*wrong = xt_header_wrong(header);
	header->boot_id[sizeof(header->boot_id) - 1] = '\0';
	return 0;
}

int trace_header_read(struct xt_header *header, const char *path, struct err *err)
{
	struct trace_file file;
	int ret;

	if (trace_file_open(&file, path, err))
		return -1;
	ret = trace_header_load(header, &file, path, NULL, err);
	trace_file_close(&file);
	return ret;
}
