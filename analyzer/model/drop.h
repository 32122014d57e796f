/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A compact trace without addresses, without stamps or without both, written while a replay of the
 * trace goes on: what comes first, and which block goes, is what the replay says.
 *
 * Without addresses blocks have names (preload/trace/predict.h). Without stamps those that are left
 * count how often the order of events goes from one stream to another. Every figure that is no time
 * stays what it is.
 */
#ifndef XALLOC_MODEL_DROP_H
#define XALLOC_MODEL_DROP_H

#include <stdbool.h>

#include "analyzer/base/err.h"
#include "analyzer/model/replay.h"
#include "analyzer/trace/trace.h"

struct drop;

/* At least one of them. What the trace is without already is dropped as well. */
struct drop_parts {
	bool addresses, stamps;
};

/* To a new file at path, which messages call name. NULL with a line in err when there can be none.
 * The trace must stay until drop_end. */
struct drop *drop_begin(struct trace *trace, struct drop_parts parts, const char *path,
			const char *name, struct err *err);
/* For the replay, of which there must be one in between. */
const struct replay_tap *drop_tap(const struct drop *drop);
/* Writes the rest. -1 with a line in err: the file cannot be written, or the trace is not whole;
 * what was written is there then, and of no use. */
int drop_end(struct drop *drop, struct err *err);

#endif
