/* SPDX-License-Identifier: Apache-2.0 */
/* xalloc: the launcher and the outside sampler. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "preload/launch/mark.h"
#include "preload/launch/message.h"
#include "preload/launch/record.h"
#include "preload/launch/repeat.h"
#include "preload/rss/rss.h"

static const char usage[] =
	"usage: xalloc COMMAND [ARGS]\n"
	"  record [-o OUT] [--report] [--] CMD [ARGS]   run CMD and record its allocation calls\n"
	"  repeat N [-o OUT.zst] [--keep-going] [--] CMD [ARGS]\n"
	"                                               record CMD N times: what repeats exactly?\n"
	"  rss [-o OUT.json] [--interval MS] [--runs N] [--exit-snapshot=WHEN] [--] CMD [ARGS]\n"
	"                                               run CMD without the library and sample "
	"its\n"
	"                                               resident memory\n"
	"  mark PID NAME                                begin a phase in the trace of a process "
	"that runs\n"
	"  attach, detach                               not built yet\n"
	"  help [COMMAND]                               print this, or help for a COMMAND\n"
	"xalloc COMMAND --help says more. Read a trace with\n"
	"  xalloc-report TRACE\n";

static const struct later {
	const char *name, *what;
} later[] = {
	{ "attach", "start recording a process that runs" },
	{ "detach", "stop recording a process that runs" },
};

static const struct later *find_later(const char *word)
{
	for (size_t i = 0; i < sizeof(later) / sizeof(*later); i++)
		if (strcmp(word, later[i].name) == 0)
			return &later[i];
	return NULL;
}

static bool is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

static int unknown(const char *word)
{
	message("unknown %s %s (--help lists them)", *word == '-' ? "option" : "command", word);
	return EXIT_USAGE;
}

static int help(const char *word)
{
	const struct later *one = find_later(word);

	if (!*word)
		return print_out(usage);
	if (strcmp(word, "record") == 0)
		return record_help();
	if (strcmp(word, "mark") == 0)
		return mark_help();
	if (strcmp(word, "repeat") == 0)
		return repeat_help();
	if (strcmp(word, "rss") == 0)
		return rss_help();
	if (one)
		return print_out(text_new("xalloc %s is not built yet. It will %s.\n", one->name,
					  one->what));
	return unknown(word);
}

int main(int argc, char **argv)
{
	const char *first = argc > 1 ? argv[1] : "", *second = argc > 2 ? argv[2] : "";

	if (strcmp(first, "record") == 0)
		return record_main(argc - 1, argv + 1);
	if (strcmp(first, "mark") == 0)
		return mark_main(argc - 1, argv + 1);
	if (strcmp(first, "repeat") == 0)
		return repeat_main(argc - 1, argv + 1);
	if (strcmp(first, "rss") == 0)
		return rss_main(argc - 1, argv + 1);
	if (strcmp(first, "--version") == 0)
		return print_out(text_new("xalloc %s\n", XALLOC_VERSION));
	if (is_help(first))
		return help(second);
	if (find_later(first) && is_help(second))
		return help(first);
	if (!*first)
		fputs(usage, stderr);
	else if (find_later(first))
		message("%s is not built yet (--help lists what is)", first);
	else
		unknown(first);
	return EXIT_USAGE;
}
