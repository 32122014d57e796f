/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/base/err.h"
#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/commands.h"
#include "analyzer/cmd/options.h"
#include "preload/trace/format.h"

#define OUTPUT_BYTES (1 << 18) /* a JSON report may be large */

const struct command commands[] = {
	{ "summary", "TRACE...", "totals, peak and the heaviest stacks", NULL, cmd_summary },
	{ "folded", "[--metric M] TRACE...", "collapsed stacks for flame graphs",
	  "  --metric M         peak (default), calls, bytes, leaked or temporary\n", cmd_folded },
	{ "groups", "--rules RULES.json TRACE", "groups of stacks by rules", NULL, NULL },
	{ "timeline", "TRACE", "live bytes over time", NULL, NULL },
	{ "diff", "OLD NEW", "what changed between two traces", NULL, NULL },
	{ "check", "--budget BUDGET.json TRACE", "the gate for CI", NULL, NULL },
	{ "reconcile", "--rss RSS.json TRACE", "heap against resident memory", NULL, NULL },
	{ "verify", "TRACE", "every total by a second way", NULL, NULL },
	{ "export", "--format F -o OUT TRACE", "files for other tools", NULL, NULL },
	{ "html", "-o OUT.html TRACE", "one self-contained page", NULL, NULL },
	{ "compact", "TRACE", "a smaller trace", NULL, NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static void print_help(const struct options *options)
{
	const struct command *one = options->command;

	if (options->has_command)
		printf("usage: xalloc-report %s [OPTIONS] %s\n%s%s.\n", one->name, one->arguments,
		       one->what, one->run ? "" : " (not built yet)");
	else
		printf("usage: xalloc-report [COMMAND] [OPTIONS] TRACE...\n"
		       "Reports on traces that libxalloc.so has recorded.\n\nCommands:\n");
	for (const struct command *c = commands; !options->has_command && c->name; c++)
		printf("  %-10s %s%s%s\n", c->name, c->what, c == commands ? " (the default)" : "",
		       c->run ? "" : " (not built yet)");
	printf("\nOptions:\n%s", options->has_command && one->help ? one->help : "");
	printf("  --json             one JSON object\n"
	       "  --top N            stacks of each table; 0 is all (default 10; folded: all)\n"
	       "  --demangle=no      raw names of C++, Rust and D\n"
	       "  --debug-dir DIR    debug files by build ID, before /usr/lib/debug\n"
	       "  --color=WHEN       auto, always or never\n"
	       "  --strict           exit status 4 when a trace is damaged or incomplete\n"
	       "  --help, --version\n"
	       "\nOptions may stand anywhere; -- ends them. A trace that is named like a command\n"
	       "is given as ./NAME, or behind --.\n");
}

static enum status run(int argc, char **argv)
{
	struct options options;
	struct err err;
	enum status status = STATUS_DONE;

	if (options_parse(&options, argc, argv, &err)) {
		print_error("%s", err.text);
		status = STATUS_UNUSABLE;
	} else if (options.is_help) {
		print_help(&options);
	} else if (options.is_version) {
		printf("xalloc-report %s (traces of version %d)\n", XALLOC_VERSION, XT_VERSION);
	} else if (!options.command->run) {
		print_error("%s is not built yet", options.command->name);
		status = STATUS_UNUSABLE;
	} else {
		status = options.command->run(&options);
	}
	options_release(&options);
	return status;
}

/* A full disk may show only when the last bytes go out. */
static int close_output(void)
{
	int ret = ferror(stdout);

	errno = 0;
	if (fclose(stdout))
		ret = -1;
	if (ret)
		print_error("standard output: %s", errno ? strerror(errno) : "write error");
	return ret;
}

int main(int argc, char **argv)
{
	enum status status;

	setvbuf(stdout, NULL, _IOFBF, OUTPUT_BYTES);
	status = run(argc, argv);
	return close_output() ? STATUS_UNUSABLE : (int)status;
}
