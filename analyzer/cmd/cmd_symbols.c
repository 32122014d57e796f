/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/commands.h"
#include "analyzer/render/render_symbols.h"
#include "analyzer/report/symbol_list.h"

static void show(const struct trace *trace, size_t number, const struct options *options)
{
	const struct symbolizer_options how = analysis_symbols(options, trace);
	struct symbol_list list;

	symbol_list_build(&list, trace, &how);
	if (number)
		putchar('\n');
	if (options->is_json)
		render_symbols_json(stdout, &list);
	else
		render_symbols_text(stdout, &list);
	symbol_list_release(&list);
}

enum status cmd_symbols(const struct options *options)
{
	enum status status = STATUS_DONE;

	for (size_t i = 0; i < options->paths; i++) {
		struct trace *trace;
		struct err err;

		if (trace_open(&trace, options->path[i], &err)) {
			print_error("%s", err.text);
			status = STATUS_UNUSABLE;
			continue;
		}
		show(trace, i, options);
		if (options->is_strict && !trace_is_complete(trace) && status == STATUS_DONE)
			status = STATUS_NOT_COMPLETE;
		trace_close(trace);
	}
	return status;
}
