/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The traces of the other programs of a session: of children, and of what a process became by exec.
 */
#ifndef XALLOC_CMD_SESSION_TRACES_H
#define XALLOC_CMD_SESSION_TRACES_H

#include <stddef.h>

#include "analyzer/base/strlist.h"
#include "analyzer/base/warnings.h"
#include "analyzer/report/summary.h"

/* Warnings when some of them stand beside the trace and are not among those that are given, and
 * when its process went on by exec: who looks at a launcher alone should know. */
void session_traces_warn(struct warnings *warnings, const struct summary *summary,
			 const struct strlist *given);
/* The same as messages, of the first of several runs. */
void session_traces_say(const struct summary *first, const char *const *path, size_t paths);

#endif
