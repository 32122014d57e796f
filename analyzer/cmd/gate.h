/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A budget with all that it needs read, and traces held against it one after the other. */
#ifndef XALLOC_CMD_GATE_H
#define XALLOC_CMD_GATE_H

#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/options.h"
#include "analyzer/cmd/limit_parts.h"
#include "analyzer/cmd/trace_list.h"
#include "analyzer/report/check.h"

struct gate {
	struct limits limits;
	struct rules rules;
	struct rss_file rss;
	bool has_rss;
	struct analysis *baseline;
	struct measured *baseline_measured;
	struct limit_parts *baseline_parts;
	size_t baselines;
	struct trace_list traces; /* as named, and those of folders */
	struct check *check;      /* one each trace that could be read */
	size_t checks;
	bool has_unreadable, is_lossy; /* the latter: a trace or a baseline */
};

/* Reads all of it and checks the traces. -1: the budget, or what it needs, is not usable, which was
 * said; a trace that cannot be read was said, too, and the others are checked. Release either way.
 */
int gate_run(struct gate *gate, const struct options *options);
void gate_release(struct gate *gate);

/* Of all traces: 3 beats 1. */
enum check_verdict gate_verdict(const struct gate *gate);
/* The exit status of that verdict, or of another one. */
enum status gate_status(const struct gate *gate, enum check_verdict verdict, bool is_strict);

#endif
