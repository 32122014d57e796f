/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/base/err.h"
#include "analyzer/base/mem.h"
#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/options.h"
#include "preload/trace/format.h"

#define OUTPUT_BYTES (1 << 18) /* a JSON report may be large */

static void print_commands(void)
{
	printf("usage: xalloc-report [COMMAND] [OPTIONS] TRACE...\n"
	       "Reports on traces that libxalloc.so has recorded.\n\nCommands:\n");
	for (const struct command *c = commands; c->name; c++)
		printf("  %-14s %s%s\n", c->name, c->what,
		       c == commands ? " (the default)"
		       : c->run      ? ""
				     : " (not built yet)");
	printf("  help           print this, or help for a COMMAND\n");
}

static bool takes_filters(const struct command *command)
{
	return command->run && !command->no_filter;
}

/* Of one command that takes them, or all of them for each that does. */
static void print_filters(const struct command *one)
{
	int column = 80;

	if (one && !takes_filters(one))
		return;
	fputs("\nOptions that select a part of a trace", stdout);
	if (!one) {
		fputs(", of", stdout);
		for (const struct command *c = commands; c->name; c++) {
			if (!takes_filters(c))
				continue;
			column += (int)strlen(c->name) + 1;
			if (column > 80) {
				fputs("\n ", stdout);
				column = (int)strlen(c->name) + 2;
			}
			printf(" %s", c->name);
		}
	}
	puts(":\n"
	     "  --thread N|NAME    calls of that thread, 0 is main, or of all that are called so\n"
	     "  --size MIN-MAX     calls that requested so many bytes: 48, 1K-, -4M\n"
	     "  --function PATTERN, --module PATTERN\n"
	     "                     calls with such a frame in their stack\n"
	     "  --group GROUP      calls of that group of --rules RULES.json\n"
	     "  --from TIME, --to TIME\n"
	     "                     only calls from then on, as if the trace ended there: 1.5s, "
	     "20ms\n"
	     "  --at TIME          what was live then, in place of the peak");
}

static void print_help(const struct options *options)
{
	const struct command *one = options->has_command ? options->command : NULL;

	if (one)
		printf("usage: xalloc-report %s [OPTIONS] %s\n  %s%s\n", one->name, one->arguments,
		       one->what, one->run ? "" : " (not built yet)");
	else
		print_commands();
	if (one && !one->run)
		return;
	for (const struct command *c = commands; c->name; c++)
		if (c->help && (!one || c == one))
			printf("\nOptions of %s:\n%s", c->name, c->help);
	print_filters(one);
	printf("\nOptions of every command:\n"
	       "  --json             one JSON object; names are whole\n"
	       "  --top N            so many stacks in each table, the rest in one line; 0: all\n"
	       "                     (default: 10, of folded 0; verify has no such table)\n"
	       "  --color=WHEN       auto, always or never, where there are colours: in summary,\n"
	       "                     groups (default: auto, for a terminal)\n"
	       "  --demangle=no      names of C++, Rust and D as they are in the file (default: "
	       "yes)\n"
	       "  --debug-dir DIR    look for debug files below DIR, then below /usr/lib/debug;\n"
	       "                     may be given several times\n"
	       "  --sysroot DIR      the files that the trace names, and /usr/lib/debug, are below "
	       "DIR\n"
	       "  --symbols FILE     names that bundle-symbols wrote (default: TRACE.symbols, if "
	       "it is\n"
	       "                     there); they are asked after the files\n"
	       "  --no-cache         do not keep names in ~/.cache/xalloc for the next report\n"
	       "  --debuginfod       ask the servers of DEBUGINFOD_URLS for files that are not "
	       "there\n"
	       "  --mem-limit BYTES  end with one line and exit status 2 rather than take more\n"
	       "                     memory, for traces that one does not trust (default: none)\n"
	       "  --strict           exit status 4 when a trace is damaged or not complete\n"
	       "  --help, --version\n"
	       "\nOptions may stand anywhere; -- ends them. A trace that is named like a command\n"
	       "is given as ./NAME, or behind --.\n");
}

static enum status run_command(const struct options *options)
{
	const struct command *command = options->command;
	enum status status = STATUS_UNUSABLE;
	struct err err;

	if (command->suppresses && analysis_read_suppressions(options, &err))
		print_error("%s", err.text);
	else
		status = command->run(options);
	analysis_release_suppressions();
	return status;
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
		mem_limit(options.mem_limit);
		status = run_command(&options);
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
	static char buffer[OUTPUT_BYTES]; /* of a size alone libc takes no notice */
	enum status status;

	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	status = run(argc, argv);
	return close_output() ? STATUS_UNUSABLE : (int)status;
}
