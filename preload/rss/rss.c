/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/rss/rss.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/launch/message.h"
#include "preload/launch/run.h"
#include "preload/launch/target.h"
#include "preload/launch/variables.h"
#include "preload/rss/rss_place.h"
#include "preload/rss/rss_result.h"

#define RUNS_MAX 100
#define INTERVAL_MS_MIN 0.1
#define INTERVAL_MS_MAX 10000.0

static const char usage[] =
	"usage: xalloc rss [-o OUT.json] [--interval MS] [--runs N] [--exit-snapshot=WHEN]\n"
	"                  [--exact-peak] [--] CMD [ARGS]\n"
	"\n"
	"Runs CMD without the library and samples its resident memory, and that of its children,\n"
	"from outside. At the end the peak and what it consisted of are printed to standard "
	"error.\n"
	"Ends with CMD's exit status, or by the signal that ended CMD.\n"
	"\n"
	"  -o OUT.json          write all that was found there, too\n"
	"  --interval MS        between samples, 0.1 to 10000; default 1. It becomes longer where\n"
	"                       the sampler would take more than 2 % of a core\n"
	"  --runs N             N runs, 1 to 100, after one that is not counted\n"
	"  --exit-snapshot=WHEN stop CMD once more at its end, by ptrace: on, off, or auto (the\n"
	"                       default): off for a CMD that traces others, and given up when CMD\n"
	"                       gets many signals\n"
	"  --exact-peak         stop CMD before each system call, to see what it consists of "
	"before\n"
	"                       it gives memory back: the breakdown is of the very peak. Slow "
	"where\n"
	"                       there are many calls\n"
	"  --help               this text\n"
	"\n"
	"Exit status of its own: 125 OUT.json cannot be written, or wrong usage. 126 CMD cannot "
	"be\n"
	"executed, 127 CMD is not found.\n";

struct options {
	const char *out;
	struct sampler_options sampler;
	unsigned runs; /* 0: one, and none before it */
	char **command;
};

int rss_help(void)
{
	return print_out(usage);
}

static double read_number(const char *text, const char *what, double from, double to)
{
	char *end;
	const double value = strtod(text, &end);

	if (end == text || *end || !(value >= from && value <= to))
		refuse(EXIT_REFUSED, "rss: %s %s: a number from %g to %g (--help says more)", what,
		       text, from, to);
	return value;
}

static unsigned read_runs(const char *text)
{
	const double value = read_number(text, "--runs", 1, RUNS_MAX);

	if (strspn(text, "0123456789") != strlen(text))
		refuse(EXIT_REFUSED, "rss: --runs %s: a whole number (--help says more)", text);
	return (unsigned)value;
}

static enum exit_stop_mode read_mode(const char *text)
{
	static const char *const mode[] = {
		[EXIT_STOP_AUTO] = "auto", [EXIT_STOP_ON] = "on", [EXIT_STOP_OFF] = "off"
	};

	for (size_t i = 0; i < sizeof(mode) / sizeof(*mode); i++)
		if (strcmp(text, mode[i]) == 0)
			return (enum exit_stop_mode)i;
	refuse(EXIT_REFUSED, "rss: --exit-snapshot=%s: auto, on or off (--help says more)", text);
}

static void read_options(struct options *options, int argc, char **argv)
{
	static const struct option names[] = { { "help", no_argument, NULL, 'h' },
					       { "interval", required_argument, NULL, 'i' },
					       { "runs", required_argument, NULL, 'r' },
					       { "exit-snapshot", required_argument, NULL, 'e' },
					       { "exact-peak", no_argument, NULL, 'p' },
					       { NULL, 0, NULL, 0 } };
	bool has_mode = false, is_exact = false;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "+:ho:", names, NULL)) != -1) {
		switch (option) {
		case 'h':
			exit(rss_help());
		case 'o':
			options->out = optarg;
			break;
		case 'i':
			options->sampler.interval_ns =
				(int64_t)(1e6 * read_number(optarg, "--interval", INTERVAL_MS_MIN,
							    INTERVAL_MS_MAX));
			break;
		case 'r':
			options->runs = read_runs(optarg);
			break;
		case 'e':
			options->sampler.exit_snapshot = read_mode(optarg);
			has_mode = true;
			break;
		case 'p':
			is_exact = true;
			break;
		case ':':
			refuse(EXIT_REFUSED, "rss: %s needs a value (--help lists the options)",
			       argv[optind - 1]);
		default:
			refuse(EXIT_REFUSED, "rss: unknown option %s (--help lists them)",
			       optopt ? text_new("-%c", optopt) : argv[optind - 1]);
		}
	}
	if (!argv[optind])
		refuse(EXIT_REFUSED, "rss: no command (--help shows how to use it)");
	if (is_exact && has_mode)
		refuse(EXIT_REFUSED, "rss: --exact-peak has a snapshot at the exit: not with "
				     "--exit-snapshot (--help says more)");
	if (is_exact)
		options->sampler.exit_snapshot = EXIT_STOP_FALLS;
	options->command = argv + optind;
}

static void run_once(struct sampled *run, struct options *options, bool is_last,
		     const struct target *target, char **environment)
{
	int error;

	options->sampler.is_last = is_last;
	error = sampler_run(run, &options->sampler, target->path, target->argv, target->sh_argv,
			    environment);

	if (error)
		target_cannot_execute(-error, target->path);
}

/* As many as wanted, or up to the first that a signal ended: who interrupts means all of them. */
static size_t run_all(struct sampled *run, struct options *options, const struct target *target,
		      char **environment)
{
	size_t n = 0, wanted = options->runs ? options->runs : 1;

	if (options->runs) {
		run_once(run, options, false, target, environment);
		if (WIFSIGNALED(run->status))
			return 1;
		sampled_release(run);
	}
	while (n < wanted) {
		run_once(&run[n], options, n + 1 == wanted, target, environment);
		n++;
		if (WIFSIGNALED(run[n - 1].status))
			break;
	}
	return n;
}

int rss_main(int argc, char **argv)
{
	struct options options = { .sampler = { .interval_ns = 1000000 } };
	struct rss_result result = { .options = &options.sampler };
	struct target target;
	char *place = NULL, **environment = variables_native();
	int status;

	read_options(&options, argc, argv);
	target_find(&target, options.command);
	if (access("/proc/self/statm", R_OK) < 0)
		refuse(EXIT_REFUSED, "/proc/self/statm: %s: without /proc nothing can be seen",
		       strerror(errno));
	if (options.out)
		place = rss_place(options.out);
	if (options.sampler.exit_snapshot == EXIT_STOP_AUTO ||
	    options.sampler.exit_snapshot == EXIT_STOP_FALLS)
		options.sampler.why_no_exit = native_untraceable(&target);
	result.run = memory_new(options.runs ? options.runs : 1, sizeof(*result.run));
	result.path = target.path;
	result.argv = target.argv;

	run_prepare();
	result.runs = run_all(result.run, &options, &target, environment);
	status = result.run[result.runs - 1].status;
	native_read(&result.facts, environment);
	rss_sort(&result);
	rss_write_text(&result, stderr);
	if (place && rss_save(&result, place) < 0 && WIFEXITED(status) && !WEXITSTATUS(status))
		return EXIT_REFUSED;
	run_end_like(status);
}
