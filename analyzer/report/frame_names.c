/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/frame_names.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"

struct frame_names {
	const struct trace *trace;
	struct symbolizer *symbolizer;
	struct warnings warnings;
};

struct frame_names *frame_names_new(const struct trace *trace,
				    const struct symbolizer_options *options)
{
	struct frame_names *names = xcalloc(1, sizeof(*names));

	names->trace = trace;
	names->symbolizer = symbolizer_new(trace_modules(trace), trace_jit_names(trace), options,
					   &names->warnings);
	return names;
}

void frame_names_free(struct frame_names *names)
{
	if (!names)
		return;
	symbolizer_free(names->symbolizer);
	warnings_release(&names->warnings);
	free(names);
}

const struct frame_name *frame_names_get(const struct frame_names *names, uint32_t id)
{
	return symbolizer_get(names->symbolizer, id,
			      frame_table_get(trace_frames(names->trace), id));
}

struct symbolizer *frame_names_symbolizer(const struct frame_names *names)
{
	return names->symbolizer;
}

const struct warnings *frame_names_warnings(const struct frame_names *names)
{
	return &names->warnings;
}
