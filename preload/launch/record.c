/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/record.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "preload/launch/bring_home.h"
#include "preload/launch/broker.h"
#include "preload/launch/ended.h"
#include "preload/launch/kernel.h"
#include "preload/launch/message.h"
#include "preload/launch/numbers.h"
#include "preload/launch/paths.h"
#include "preload/launch/place.h"
#include "preload/launch/run.h"
#include "preload/launch/target.h"
#include "preload/launch/trim.h"
#include "preload/launch/variables.h"

static const char usage[] =
	"usage: xalloc record [-o OUT] [--report] [--] CMD [ARGS]\n"
	"\n"
	"Runs CMD and records its allocation calls, and those of its children, each process into "
	"a\n"
	"trace of its own. Ends with CMD's exit status, or by the signal that ended CMD.\n"
	"\n"
	"  -o OUT    the trace's name: %p is the process id, %e the program's name, %% a %.\n"
	"            Default: $XALLOC_OUT, or xalloc.%e.%p.zst; relative to this directory, for\n"
	"            children too\n"
	"  --report  at the end print xalloc-report's summary to standard output; of several\n"
	"            processes their tree, then that of the one that holds the figures\n"
	"  --help    this text\n"
	"\n"
	"Where the trace is, and how large, is said at the end when standard error is a terminal, "
	"or\n"
	"with --report. The other XALLOC_ variables hold as without xalloc record.\n"
	"\n"
	"Exit status of its own: 125 CMD cannot be recorded (statically linked, setuid, of "
	"another\n"
	"architecture, musl or an old glibc) or the trace not be written; nothing was started.\n"
	"126 CMD cannot be executed, 127 CMD is not found.\n"
	"\n"
	"Needs Linux 5.14 and glibc 2.35, or later.\n";

struct options {
	const char *out;
	bool has_report;
	char **command;
};

int record_help(void)
{
	return print_out(usage);
}

static void read_options(struct options *options, int argc, char **argv)
{
	static const struct option names[] = { { "help", no_argument, NULL, 'h' },
					       { "report", no_argument, NULL, 'r' },
					       { NULL, 0, NULL, 0 } };
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "+:ho:", names, NULL)) != -1) {
		switch (option) {
		case 'h':
			exit(record_help());
		case 'o':
			options->out = optarg;
			break;
		case 'r':
			options->has_report = true;
			break;
		case ':':
			refuse(EXIT_REFUSED, "record: -%c needs a value (--help lists the options)",
			       optopt);
		default:
			refuse(EXIT_REFUSED, "record: unknown option %s (--help lists them)",
			       optopt ? text_new("-%c", optopt) : argv[optind - 1]);
		}
	}
	if (!argv[optind])
		refuse(EXIT_REFUSED, "record: no command (--help shows how to use it)");
	options->command = argv + optind;
}

static void say_where(const struct ended_trace *trace)
{
	const char *images =
		trace->images > 1
			? text_new(", the last of %u programs that the process was", trace->images)
			: "";
	const unsigned others = trace->traces - trace->images;
	const char *children = others ? text_new("; %u trace%s of children beside it", others,
						 others == 1 ? "" : "s")
				      : "";

	message("%s: %s event%s, %s%s%s", trace->path, number_grouped(trace->events),
		trace->events == 1 ? "" : "s", number_rounded(trace->disk_bytes), images, children);
}

/* The report's own end is no matter: it says itself what it could not do. */
static void print_report(char *report, const struct ended_trace *trace)
{
	static char largest[] = "--largest";
	char **argv = memory_new(trace->traces + 3, sizeof(*argv)); /* NULL at its end */
	pid_t pid;

	argv[0] = report;
	argv[1] = largest;
	memcpy(argv + 2, trace->session, trace->traces * sizeof(*argv));
	pid = run_start(report, argv, NULL, environ, NULL);
	if (pid < 0)
		message("%s: %s", report, strerror(-pid));
	else
		run_wait(pid, NULL);
}

int record_main(int argc, char **argv)
{
	struct options options = { .out = NULL };
	struct ended_process process;
	struct ended_trace trace;
	struct target target;
	char *pattern, *path, *report = NULL, **environment;
	struct timespec before;
	int status;
	pid_t pid;

	read_options(&options, argc, argv);
	pattern = place_pattern(options.out);
	target_find(&target, options.command);
	target_check(&target);
	place_check(pattern, target.path);
	kernel_check();
	environment = variables_recorded(paths_library(), pattern);
	if (options.has_report)
		report = paths_report();

	run_prepare();
	broker_open();
	clock_gettime(CLOCK_REALTIME, &before);
	pid = run_start(target.path, target.argv, target.sh_argv, environment, NULL);
	if (pid < 0)
		target_cannot_execute(-pid, target.path);
	process = ended_process_of(pid,
				   (uint64_t)before.tv_sec * 1000000000 + (uint64_t)before.tv_nsec);
	run_release_descriptors(options.has_report);
	broker_start();
	status = run_wait(pid, NULL);
	broker_finish(pid);

	path = place_expand(pattern, target.path, pid);
	*strrchr(path, '/') = 0;
	bring_home(&process, path, place_prefix(pattern));
	trace = ended_find(&process, path, place_prefix(pattern));
	if (!trace.path) {
		message("%s was not recorded: there is no trace of process %d", target.path,
			(int)pid);
		run_end_like(status);
	}
	ended_mark(&process, trace.path, status);
	for (unsigned i = 0; i < trace.traces; i++)
		trim_trace(trace.session[i], trace.session[i] == trace.path);
	if (options.has_report || isatty(STDERR_FILENO))
		say_where(&trace);
	if (options.has_report)
		print_report(report, &trace);
	run_end_like(status);
}
