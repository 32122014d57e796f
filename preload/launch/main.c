/* SPDX-License-Identifier: Apache-2.0 */
/* xalloc: the launcher and the outside sampler. Its commands come with their own issues. */
#include <stdio.h>
#include <string.h>

static const char *const commands[] = { "record", "rss", "attach", "detach" };

static const char usage[] =
	"usage: xalloc COMMAND [ARGS]\n"
	"  record, rss, attach, detach are not built yet. Until then record a program with\n"
	"    LD_PRELOAD=/path/to/libxalloc.so PROGRAM\n"
	"  and read its trace with\n"
	"    xalloc-report xalloc.PROGRAM.PID.zst\n";

int main(int argc, char **argv)
{
	size_t i;

	if (argc > 1 && strcmp(argv[1], "--version") == 0)
		return printf("xalloc %s\n", XALLOC_VERSION) < 0;
	if (argc > 1 && strcmp(argv[1], "--help") == 0)
		return fputs(usage, stdout) < 0;
	for (i = 0; argc > 1 && i < sizeof(commands) / sizeof(*commands); i++)
		if (strcmp(argv[1], commands[i]) == 0) {
			fprintf(stderr, "xalloc: %s is not built yet\n", argv[1]);
			return 2;
		}
	fputs(usage, stderr);
	return 2;
}
