/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/mem.h"
#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/anonymous.h"
#include "analyzer/cmd/bundle_place.h"
#include "analyzer/cmd/commands.h"
#include "analyzer/cmd/rewrite.h"
#include "analyzer/cmd/temporary.h"
#include "analyzer/render/render_anonymize.h"

/* Where the two files are to be, and are meanwhile. */
struct places {
	const char *trace;
	char *symbols, *new_trace, *new_symbols;
};

static int write_trace(struct trace *trace, const struct places *places,
		       const struct pseudonyms *pseudonyms, struct err *err)
{
	temporary_set(places->new_trace);
	if (anonymous_trace(trace, places->new_trace, places->trace, pseudonyms, err))
		return -1;
	if (rename(places->new_trace, places->trace))
		return err_set(err, "%s: cannot be written: %s", places->trace, strerror(errno));
	temporary_set(NULL);
	return 0;
}

static int write_symbols(struct trace *trace, const struct places *places,
			 const struct pseudonyms *pseudonyms, const struct options *options,
			 struct anonymize_facts *facts, struct err *err)
{
	const struct symbolizer_options how = analysis_symbols(options, trace);
	struct symbol_bundle bundle;
	int ret;

	symbol_bundle_build(&bundle, trace, &how, pseudonyms);
	ret = bundle_write(&bundle, places->new_symbols, places->symbols, err);
	facts->addresses = bundle.addresses;
	symbol_bundle_release(&bundle);
	return ret;
}

static int run(const struct options *options, const struct places *places,
	       struct anonymize_facts *facts, struct err *err)
{
	struct pseudonyms pseudonyms;
	struct trace *trace;
	int ret;

	if (rewrite_check_place(places->trace, err) || bundle_check_place(places->symbols, err) ||
	    pseudonyms_init(&pseudonyms, err) || trace_open(&trace, facts->from, err))
		return -1;
	ret = write_trace(trace, places, &pseudonyms, err);
	if (!ret && write_symbols(trace, places, &pseudonyms, options, facts, err)) {
		unlink(places->trace); /* the two are of one key, which is gone */
		ret = -1;
	}
	facts->is_complete = trace_is_complete(trace);
	explicit_bzero(&pseudonyms, sizeof(pseudonyms));
	trace_close(trace);
	return ret;
}

enum status cmd_anonymize(const struct options *options)
{
	const int pid = (int)getpid();
	struct places places = { options->out, xasprintf("%s.symbols", options->out),
				 xasprintf("%s.new.%d", options->out, pid),
				 xasprintf("%s.symbols.new.%d", options->out, pid) };
	struct anonymize_facts facts = { options->path[0], options->out, places.symbols, 0, false };
	struct err err;
	const int ret = run(options, &places, &facts, &err);

	temporary_remove();
	if (ret)
		print_error("%s", err.text);
	else if (options->is_json)
		render_anonymize_json(stdout, &facts);
	else
		render_anonymize_text(stdout, &facts);
	free(places.symbols);
	free(places.new_trace);
	free(places.new_symbols);
	if (ret)
		return STATUS_UNUSABLE;
	return options->is_strict && !facts.is_complete ? STATUS_NOT_COMPLETE : STATUS_DONE;
}
