/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/thread_parts.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/model/selection.h"

static int read_part(struct analysis *a, const struct limit_thread *thread, const char *path,
		     const struct options *options, struct err *err)
{
	const struct selection_rule rule = { .has_thread = true,
					     .thread = thread->number,
					     .thread_name = thread->name };
	struct selection selection;

	if (trace_open(&a->trace, path, err))
		return -1;
	if (selection_init(&selection, a->trace, &rule, NULL, err)) {
		trace_close(a->trace);
		return -1;
	}
	replay_with_progress(a->trace, &a->result, &selection.tap);
	selection_finish(&selection, &a->result, NULL);
	selection_release(&selection);
	analysis_summarise_figures(a, options);
	return 0;
}

int thread_parts_read(struct thread_parts *parts, const struct limits *limits, const char *path,
		      const struct measured *whole, const struct options *options, struct err *err)
{
	*parts = (struct thread_parts){ .count = 0 };
	parts->analysis = xcalloc(limits->threads + 1, sizeof(*parts->analysis));
	parts->measured = xcalloc(limits->threads + 1, sizeof(*parts->measured));
	for (; parts->count < limits->threads; parts->count++) {
		struct analysis *a = &parts->analysis[parts->count];

		if (read_part(a, &limits->thread[parts->count], path, options, err))
			return -1;
		parts->measured[parts->count] = *whole;
		parts->measured[parts->count].result = &a->result;
		parts->measured[parts->count].summary = &a->summary;
	}
	return 0;
}

void thread_parts_release(struct thread_parts *parts)
{
	for (size_t i = 0; i < parts->count; i++)
		analysis_close(&parts->analysis[i]);
	free(parts->analysis);
	free(parts->measured);
	*parts = (struct thread_parts){ .count = 0 };
}
