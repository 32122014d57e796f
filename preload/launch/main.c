/* SPDX-License-Identifier: Apache-2.0 */
/* xalloc: the launcher and the outside sampler. Its commands come with their own issues. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *const commands[] = { "record", "rss", "attach", "detach" };

static const char usage[] =
	"usage: xalloc COMMAND [ARGS]\n"
	"  record, rss, attach, detach are not built yet. Until then record a program with\n"
	"    LD_PRELOAD=/path/to/libxalloc.so PROGRAM\n"
	"  and read its trace with\n"
	"    xalloc-report xalloc.PROGRAM.PID.zst\n";

static bool is_command(const char *word)
{
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

	if (strcmp(first, "--version") == 0)
		return printf("xalloc %s\n", XALLOC_VERSION) < 0;
	if (is_help(first) || (is_command(first) && argc > 2 && is_help(argv[2])))
		return fputs(usage, stdout) < 0;
	if (!*first)
		fputs(usage, stderr);
	else if (is_command(first))
		fprintf(stderr, "xalloc: %s is not built yet (--help shows how to record)\n", first);
	else
		fprintf(stderr, "xalloc: unknown %s %s (--help lists them)\n",
			*first == '-' ? "option" : "command", first);
	return 2;
}
