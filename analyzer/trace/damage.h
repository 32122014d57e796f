/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was found wrong with a trace while it was read, and what that cost. */
#ifndef XALLOC_TRACE_DAMAGE_H
#define XALLOC_TRACE_DAMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/warnings.h"

struct damage {
	struct warnings warnings;
	uint64_t lost_events;
	bool found;
};

/* A warning, and so many events that are missing because of it. */
void damage_add(struct damage *damage, uint64_t lost_events, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
