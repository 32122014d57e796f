/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a process's trace is: under the name that it is to have, or, where that is on a file system
 * without shared mappings, or without steady ones (btrfs), in a directory for temporary files, with
 * a symbolic link under the name. Nothing is lost then either, whatever kills the process; xalloc
 * record brings it home at the end.
 */
#ifndef XALLOC_TRACE_PLACE_H
#define XALLOC_TRACE_PLACE_H

#include <stdint.h>

#include "preload/naming.h"

#define TRACE_PLACE_PATH_MAX (4096 + 64)

/* Large: for a private stack. */
struct trace_place {
	char path[TRACE_PLACE_PATH_MAX];      /* given: the name that is wanted; what it becomes */
	char elsewhere[TRACE_PLACE_PATH_MAX]; /* where the file itself is; "": at path */
	char temporary[TRACE_PLACE_PATH_MAX];
	const char *why; /* it is elsewhere: "the file system ..." */
	long fd;
};

/* env: of which TMPDIR is kept. */
void trace_place_init(char *const *env);

/* The file is laid out and mapped (file_create), and has no name yet; 0, or a negative errno. */
int trace_place_open(struct trace_place *place, const struct naming_process *process,
		     uint64_t max_bytes);

/* Gives the file its name, and closes it; a line says it when it is elsewhere. 0, or a negative
 * errno as of naming_take: the file is forgotten then. */
int trace_place_take(struct trace_place *place, const struct naming_process *process);

/* A line that says why there is no trace: one of the two answered that. */
void trace_place_refused(const struct trace_place *place, int error);

#endif
