/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The frames of one trace by their ids, named: a symbolizer with the tables that it asks. */
#ifndef XALLOC_REPORT_FRAME_NAMES_H
#define XALLOC_REPORT_FRAME_NAMES_H

#include <stdint.h>

#include "analyzer/base/warnings.h"
#include "analyzer/symbols/symbolizer.h"
#include "analyzer/trace/trace.h"

struct frame_names;

/* The trace is borrowed. */
struct frame_names *frame_names_new(const struct trace *trace,
				    const struct symbolizer_options *options);
void frame_names_free(struct frame_names *names); /* NULL is fine */

/* The innermost frame of a frame id, as symbolizer_get. */
const struct frame_name *frame_names_get(const struct frame_names *names, uint32_t id);
struct symbolizer *frame_names_symbolizer(const struct frame_names *names);

/* Of modules that have no names, as far as their frames were asked for. */
const struct warnings *frame_names_warnings(const struct frame_names *names);

#endif
