/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/mem.h"
#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/bundle_place.h"
#include "analyzer/cmd/commands.h"
#include "analyzer/cmd/temporary.h"
#include "analyzer/render/render_symbols.h"
#include "analyzer/report/symbol_bundle.h"

static int run(const struct options *options, const char *path, struct bundle_facts *facts,
	       bool *is_complete, struct err *err)
{
	struct symbolizer_options how;
	struct symbol_bundle bundle;
	struct trace *trace;
	struct stat status;
	int ret;

	if (bundle_check_place(facts->to, err) || trace_open(&trace, facts->from, err))
		return -1;
	how = analysis_symbols(options, trace);
	symbol_bundle_build(&bundle, trace, &how, NULL);
	for (size_t i = 0; i < bundle.warnings.count; i++)
		print_error("%s: warning: %s", facts->from, bundle.warnings.text[i]);
	ret = bundle_write(&bundle, path, facts->to, err);
	facts->modules = bundle.tables;
	facts->addresses = bundle.addresses;
	if (!stat(facts->to, &status))
		facts->bytes = (uint64_t)status.st_size;
	*is_complete = trace_is_complete(trace);
	symbol_bundle_release(&bundle);
	trace_close(trace);
	return ret;
}

enum status cmd_bundle_symbols(const struct options *options)
{
	struct bundle_facts facts = { .from = options->path[0], .to = options->out };
	char *path = xasprintf("%s.new.%d", facts.to, (int)getpid());
	bool is_complete = false;
	struct err err;
	const int ret = run(options, path, &facts, &is_complete, &err);

	temporary_remove();
	free(path);
	if (ret) {
		print_error("%s", err.text);
		return STATUS_UNUSABLE;
	}
	if (options->is_json)
		render_bundle_json(stdout, &facts);
	else
		render_bundle_text(stdout, &facts);
	return options->is_strict && !is_complete ? STATUS_NOT_COMPLETE : STATUS_DONE;
}
