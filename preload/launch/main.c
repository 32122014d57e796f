/* SPDX-License-Identifier: Apache-2.0 */
/* xalloc: the launcher and the outside sampler. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "preload/launch/record.h"

static const char usage[] =
	"usage: xalloc COMMAND [ARGS]\n"
	"  record [-o OUT] [--report] [--] CMD [ARGS]   run CMD and record its allocation calls\n"
	"  rss, attach, detach                          not built yet\n"
	"xalloc COMMAND --help says more. Read a trace with\n"
	"  xalloc-report TRACE\n";

static bool is_not_built(const char *word)
{
	static const char *const commands[] = { "rss", "attach", "detach" };

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (strcmp(word, commands[i]) == 0)
			return true;
	return false;
}

static bool is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

int main(int argc, char **argv)
{
	const char *first = argc > 1 ? argv[1] : "";

	if (strcmp(first, "record") == 0)
		return record_main(argc - 1, argv + 1);
	if (strcmp(first, "--version") == 0)
		return printf("xalloc %s\n", XALLOC_VERSION) < 0;
	if (is_help(first) || (is_not_built(first) && argc > 2 && is_help(argv[2])))
		return fputs(usage, stdout) < 0;
	if (!*first)
		fputs(usage, stderr);
	else if (is_not_built(first))
		fprintf(stderr, "xalloc: %s is not built yet (--help lists what is)\n", first);
	else
		fprintf(stderr, "xalloc: unknown %s %s (--help lists them)\n",
			*first == '-' ? "option" : "command", first);
	return 2;
}
