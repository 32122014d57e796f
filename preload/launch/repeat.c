/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/repeat.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/launch/message.h"
#include "preload/launch/paths.h"
#include "preload/launch/run.h"

#define RUNS_MAX 1000u

static const char usage[] =
	"usage: xalloc repeat N [-o OUT.zst] [--keep-going] [--] CMD [ARGS]\n"
	"\n"
	"Records CMD N times, as xalloc record does, into OUT.run1.zst, OUT.run2.zst and so on, "
	"and\n"
	"prints what is the same in all runs and what varies: xalloc-report spread.\n"
	"\n"
	"  -o OUT.zst     default: xalloc.NAME.zst, for CMD's name, in this directory\n"
	"  --keep-going   go on when a run does not end with exit status 0\n"
	"  --help         this text\n"
	"\n"
	"Exit status: that of the first run that failed, without --keep-going; else 0, or 3 when "
	"the\n"
	"runs are not comparable (a trace is not complete).\n";

struct options {
	unsigned runs;
	const char *out;
	bool keeps_going;
	char **command;
};

int repeat_help(void)
{
	return print_out(usage);
}

static unsigned read_runs(const char *text)
{
	char *end;
	unsigned long runs;

	if (!text)
		refuse(EXIT_USAGE, "repeat: how many runs? (--help shows how to use it)");
	errno = 0;
	runs = strtoul(text, &end, 10);
	if (*text < '1' || *text > '9' || *end || errno || runs > RUNS_MAX)
		refuse(EXIT_USAGE, "repeat: %s is not a number of runs from 1 to %u", text,
		       RUNS_MAX);
	return (unsigned)runs;
}

static void read_options(struct options *options, int argc, char **argv)
{
	static const struct option names[] = { { "help", no_argument, NULL, 'h' },
					       { "keep-going", no_argument, NULL, 'k' },
					       { NULL, 0, NULL, 0 } };
	int option;

	opterr = 0;
	if (argc > 1 && argv[1][0] != '-') { /* N first, then options */
		options->runs = read_runs(argv[1]);
		argv[1] = argv[0];
		argc--;
		argv++;
	}
	while ((option = getopt_long(argc, argv, "+:ho:", names, NULL)) != -1) {
		switch (option) {
		case 'h':
			exit(repeat_help());
		case 'o':
			options->out = optarg;
			break;
		case 'k':
			options->keeps_going = true;
			break;
		case ':':
			refuse(EXIT_USAGE, "repeat: -%c needs a value (--help lists the options)",
			       optopt);
		default:
			refuse(EXIT_USAGE, "repeat: unknown option %s (--help lists them)",
			       optopt ? text_new("-%c", optopt) : argv[optind - 1]);
		}
	}
	if (!options->runs)
		options->runs = read_runs(argv[optind] ? argv[optind++] : NULL);
	if (!argv[optind])
		refuse(EXIT_USAGE, "repeat: no command (--help shows how to use it)");
	options->command = argv + optind;
}

/* "OUT" of OUT.zst; % means nothing to us, and something to record. */
static char *stem_of(const struct options *options)
{
	const char *slash = strrchr(options->command[0], '/');
	char *stem = options->out
			     ? text_new("%s", options->out)
			     : text_new("xalloc.%s.zst", slash ? slash + 1 : options->command[0]);
	const size_t length = strlen(stem);

	if (strchr(stem, '%'))
		refuse(EXIT_USAGE, "repeat: %s: a name with %% is not known before the run", stem);
	if (length > 4 && strcmp(stem + length - 4, ".zst") == 0)
		stem[length - 4] = '\0';
	return stem;
}

/* The wait status of one run. */
static int record_once(char *self, char *path, char **command)
{
	size_t words = 0;
	char **argv;
	pid_t pid;
	int status;

	while (command[words])
		words++;
	argv = memory_new(words + 6, sizeof(*argv));
	argv[0] = self;
	argv[1] = (char[]){ "record" };
	argv[2] = (char[]){ "-o" };
	argv[3] = path;
	argv[4] = (char[]){ "--" };
	memcpy(argv + 5, command, words * sizeof(*argv));
	pid = run_start(self, argv, NULL, environ, NULL);
	if (pid < 0)
		refuse(EXIT_REFUSED, "repeat: %s: %s", self, strerror(-pid));
	status = run_wait(pid, NULL);
	free(argv);
	return status;
}

static char *how_text(int status)
{
	return WIFSIGNALED(status) ? text_new("by signal %d", WTERMSIG(status))
				   : text_new("with status %d", WEXITSTATUS(status));
}

int repeat_main(int argc, char **argv)
{
	struct options options = { .runs = 0 };
	char *report, *stem, **shown, *self;

	read_options(&options, argc, argv);
	report = paths_report();
	stem = stem_of(&options);
	self = paths_own();
	shown = memory_new(options.runs + 4, sizeof(*shown));
	shown[0] = report;
	shown[1] = (char[]){ "spread" };
	shown[2] = (char[]){ "--" };
	run_prepare();
	for (unsigned i = 0; i < options.runs; i++) {
		char *path = text_new("%s.run%u.zst", stem, i + 1);
		const int status = record_once(self, path, options.command);

		shown[3 + i] = path;
		if (status)
			message("run %u of %u ended %s%s", i + 1, options.runs, how_text(status),
				options.keeps_going ? "" : "; --keep-going goes on");
		if (status && !options.keeps_going)
			run_end_like(status);
	}
	execv(report, shown);
	refuse(EXIT_REFUSED, "repeat: %s: %s", report, strerror(errno));
}
