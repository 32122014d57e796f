/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bytes of a trace file. They are read, never mapped: a file that shrinks under us must be a
 * short read and not a SIGBUS.
 */
#ifndef XALLOC_TRACE_TRACE_FILE_H
#define XALLOC_TRACE_TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/err.h"

struct trace_file {
	int fd;
	uint64_t size; /* when it was last looked at */
	bool is_live;  /* locked when it was opened: its process runs */
};

/* -1 when it is no regular file that we can read, or empty. */
int trace_file_open(struct trace_file *file, const char *path, struct err *err);
void trace_file_close(struct trace_file *file);

/* All of size bytes at offset, or false. */
bool trace_file_read(const struct trace_file *file, uint64_t offset, void *bytes, size_t size);
/* What of the file takes room on the disk: the rest is holes. 0: not known. */
uint64_t trace_file_disk_bytes(const struct trace_file *file);
/* A live file grows: look again. */
void trace_file_refresh(struct trace_file *file);
/* The first byte at or after offset that is not 0, or the size of the file. Holes cost nothing. */
uint64_t trace_file_skip_zeros(const struct trace_file *file, uint64_t offset);
/* The first offset at or after the given one that is not in a hole, or the size. */
uint64_t trace_file_skip_hole(const struct trace_file *file, uint64_t offset);

#endif
