/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/mem.h"
#include "analyzer/cmd/commands.h"
#include "analyzer/cmd/gate.h"
#include "analyzer/cmd/gate_outputs.h"
#include "analyzer/render/render_check.h"
#include "analyzer/render/render_sensitivity.h"
#include "analyzer/report/sensitivity.h"

static int write_file(const char *path, const struct check_view *view,
		      void (*render)(FILE *out, const struct check_view *view))
{
	FILE *out = path ? fopen(path, "we") : NULL;
	int error = 0;

	if (!path)
		return 0;
	if (out) {
		errno = 0;
		render(out, view);
		if (ferror(out))
			error = errno ? errno : EIO;
	}
	if (!out || (fclose(out) && !error))
		error = errno ? errno : EIO;
	if (error)
		print_error("%s: %s", path, strerror(error));
	return error ? -1 : 0;
}

static enum status show(const struct gate *gate, const struct options *options)
{
	struct err err;
	const struct render_style style = { .has_color = has_color(options),
					    .has_full_names = options->has_full_names };
	char *cwd = getcwd(NULL, 0);
	char *root = options->source_root ? realpath(options->source_root, NULL) : NULL;
	char *budget = realpath(gate->limits.path, NULL);
	const struct check_view view = { .limits = &gate->limits,
					 .check = gate->check,
					 .checks = gate->checks,
					 .verdict = gate_verdict(gate),
					 .root = root  ? root
						 : cwd ? cwd
						       : "/",
					 .budget = budget ? budget : gate->limits.path };
	int failed = gate_outputs_check(gate, options, &err);

	if (failed)
		print_error("%s", err.text);
	if (options->is_json)
		render_check_json(stdout, &view);
	else
		render_check_text(stdout, &view, &style);
	if (options->is_github)
		render_check_github(stdout, &view);
	if (!failed) {
		failed = write_file(options->junit, &view, render_check_junit);
		failed |= write_file(options->sarif, &view, render_check_sarif);
		failed |= write_file(options->markdown, &view, render_check_markdown);
	}
	free(cwd);
	free(root);
	free(budget);
	return failed ? STATUS_UNUSABLE : gate_status(gate, view.verdict, options->is_strict);
}

static enum status show_sensitivity(const struct gate *gate, const struct options *options)
{
	char *end = NULL;
	const double factor = options->factor ? strtod(options->factor, &end) : 2;
	struct sensitivity sensitivity;
	enum status status;

	if (gate->has_unreadable)
		return STATUS_UNUSABLE;
	if (gate->traces.path.count != 2) {
		print_error("--sensitivity takes BASE and DOUBLED");
		return STATUS_UNUSABLE;
	}
	if ((end && *end) || !(factor > 1 && factor < 1e9)) {
		print_error("--factor: %s is not a number above 1", options->factor);
		return STATUS_UNUSABLE;
	}
	sensitivity_build(&sensitivity, &gate->check[0], &gate->check[1], factor);
	if (options->is_json)
		render_sensitivity_json(stdout, &sensitivity, &gate->check[0], &gate->check[1]);
	else
		render_sensitivity_text(stdout, &sensitivity, &gate->check[0], &gate->check[1]);
	status = gate_status(gate, sensitivity.verdict, options->is_strict);
	sensitivity_release(&sensitivity);
	return status;
}

static int check_options(const struct options *options)
{
	if (options->factor && !options->is_sensitivity) {
		print_error("--factor goes with --sensitivity");
		return -1;
	}
	if (options->is_sensitivity &&
	    (options->junit || options->sarif || options->markdown || options->is_github)) {
		print_error("--sensitivity is printed as text or, with --json, as JSON");
		return -1;
	}
	if (options->is_json && options->is_github) {
		print_error("--json and --github both print to standard output");
		return -1;
	}
	if (options->source_root && access(options->source_root, F_OK)) {
		print_error("--source-root: %s: %s", options->source_root, strerror(errno));
		return -1;
	}
	return 0;
}

enum status cmd_check(const struct options *options)
{
	enum status status = STATUS_UNUSABLE;
	struct gate gate;

	if (check_options(options))
		return STATUS_UNUSABLE;
	if (!gate_run(&gate, options))
		status = options->is_sensitivity ? show_sensitivity(&gate, options)
			 : gate.checks           ? show(&gate, options)
						 : STATUS_UNUSABLE;
	gate_release(&gate);
	return status;
}
