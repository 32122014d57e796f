/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One walk over the frames of a trace file. */
#ifndef XALLOC_TRACE_FRAME_SCAN_H
#define XALLOC_TRACE_FRAME_SCAN_H

#include <stdbool.h>

#include "analyzer/trace/chunk_index.h"
#include "analyzer/trace/damage.h"
#include "analyzer/trace/trace_file.h"

/* What a walk adds to the index; windows that are not there yet always. */
enum scan_what { SCAN_WINDOWS, SCAN_ALL, SCAN_NO_EVENTS };

void frame_scan(struct chunk_index *index, struct trace_file *file, enum scan_what what,
		struct damage *damage);

#endif
