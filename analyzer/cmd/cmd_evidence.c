/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/base/number.h"
#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/commands.h"
#include "analyzer/cmd/evidence_pack.h"

static int run(const struct options *options, struct evidence_facts *facts, struct err *err)
{
	const bool packs = !strcmp(options->verb, "pack");
	const bool verifies = !strcmp(options->verb, "verify");

	if (!verifies && !options->out)
		return err_set(err, "evidence %s needs -o DIR", options->verb);
	if (verifies && options->out)
		return err_set(err, "evidence verify writes nothing: it takes no -o");
	if (!packs && (options->rules || options->max_size || options->is_anonymous))
		return err_set(err, "--max-size, --rules and --anonymize are for evidence pack");
	if (!packs && options->paths > 1)
		return err_set(err, "evidence %s takes one folder", options->verb);
	facts->folder = packs ? options->out : options->path[0];
	facts->to = packs ? NULL : options->out;
	if (packs)
		return evidence_pack(options, facts, err);
	return verifies ? evidence_verify(facts, err) : evidence_unpack(facts, err);
}

enum status cmd_evidence(const struct options *options)
{
	struct evidence_facts facts = { .verb = options->verb };
	enum status status = STATUS_DONE;
	struct err err;

	if (run(options, &facts, &err)) {
		print_error("%s", err.text);
		status = STATUS_UNUSABLE;
	} else if (options->is_json) {
		render_evidence_json(stdout, &facts);
	} else {
		render_evidence_text(stdout, &facts);
	}
	if (facts.incomplete)
		print_error("%s: warning: %zu of its traces %s not complete", facts.folder,
			    facts.incomplete, number_are(facts.incomplete));
	if (status == STATUS_DONE && facts.incomplete && options->is_strict)
		status = STATUS_NOT_COMPLETE;
	else if (status == STATUS_DONE && facts.wrong.count)
		status = STATUS_OVER;
	warnings_release(&facts.wrong);
	return status;
}
