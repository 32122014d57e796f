/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the recorded image ended, in the words of `process.exit`. */
#ifndef XALLOC_REPORT_PROCESS_END_H
#define XALLOC_REPORT_PROCESS_END_H

#include "analyzer/trace/trace.h"

struct process_end {
	char text[32]; /* exit:N, signal:N, exec, killed, running or unknown */
	char *next; /* exec: the trace of the next image when it is there, else NULL */
};

/*
 * The trace's header tells, or the lock on its file. A trace that just stops is of a process that
 * was killed, unless the trace of its next image stands beside it: NAME.exec1.zst after NAME.zst,
 * and so on, of the same process and one image further.
 */
void process_end_find(struct process_end *end, const struct trace *trace);
void process_end_release(struct process_end *end);

#endif
