/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the recorded image ended, in the words of `process.exit`. */
#ifndef XALLOC_REPORT_PROCESS_END_H
#define XALLOC_REPORT_PROCESS_END_H

#include "analyzer/trace/trace.h"
#include "preload/trace/format.h"

struct process_end {
	char text[32]; /* exit:N, signal:N, exec, killed, running or unknown */
	char *next; /* exec: the trace of the next image when it is there, else NULL */
};

/* Where the trace of the next image stands if there is one: NAME.exec1.zst after NAME.zst, and so
 * on. Owned by the caller. */
char *process_end_next_path(const struct trace *trace);

/*
 * The trace's header tells, or the lock on its file. A trace that just stops is of a process that
 * was killed, unless the trace of its next image is there. next: the header that was found at
 * process_end_next_path, NULL for none; it counts when it is of the same process, one image on.
 */
void process_end_find(struct process_end *end, const struct trace *trace,
		      const struct xt_header *next);
void process_end_release(struct process_end *end);

#endif
