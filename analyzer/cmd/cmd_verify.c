/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/commands.h"
#include "analyzer/cmd/verified.h"
#include "analyzer/render/render_verify.h"

static enum status verify_one(const char *path, size_t number, const struct options *options)
{
	struct verify_report report;
	enum status status;
	struct err err;

	if (verified_read(&report, path, options, &err)) {
		print_error("%s", err.text);
		return STATUS_UNUSABLE;
	}
	if (number)
		putchar('\n');
	if (options->is_json)
		render_verify_json(stdout, path, &report);
	else
		render_verify_text(stdout, path, &report);
	status = verify_holds(&report) ? STATUS_DONE : STATUS_OVER;
	if (options->is_strict && !report.is_complete)
		status = STATUS_NOT_COMPLETE;
	verify_release(&report);
	return status;
}

/* 2 beats 4, and 4 beats 1. */
static enum status worse(enum status a, enum status b)
{
	static const unsigned weight[] = { [STATUS_DONE] = 0,
					   [STATUS_OVER] = 1,
					   [STATUS_NOT_COMPLETE] = 2,
					   [STATUS_UNUSABLE] = 3 };

	return weight[a] > weight[b] ? a : b;
}

enum status cmd_verify(const struct options *options)
{
	enum status status = STATUS_DONE;

	for (size_t i = 0; i < options->paths; i++)
		status = worse(status, verify_one(options->path[i], i, options));
	return status;
}
