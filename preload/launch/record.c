/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/record.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/launch/broker.h"
#include "preload/launch/ended.h"
#include "preload/launch/kernel.h"
#include "preload/launch/message.h"
#include "preload/launch/paths.h"
#include "preload/launch/place.h"
#include "preload/launch/run.h"
#include "preload/launch/target.h"

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
	"  --report  at the end print xalloc-report's summary to standard output\n"
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

/* Ours first, then what was there; a recorder of another place would record the recorder. */
static char *preload_list(const char *library, const char *before)
{
	static const char own[] = "/libxalloc.so";
	char *list = text_new("LD_PRELOAD=%s", library);

	while (before && *before) {
		const size_t bytes = strcspn(before, " :");
		const bool is_own =
			bytes >= sizeof(own) - 1 &&
			!strncmp(before + bytes - (sizeof(own) - 1), own, sizeof(own) - 1);

		if (bytes && !is_own)
			list = text_new("%s:%.*s", list, (int)bytes, before);
		before += bytes + (before[bytes] != 0);
	}
	return list;
}

static bool is_variable(const char *entry, const char *name)
{
	const size_t bytes = strlen(name);

	return !strncmp(entry, name, bytes) && entry[bytes] == '=';
}

/* The caller's, and ours. A session that we are part of ends here: CMD is the first of its own. */
static char **environment_for(const char *library, const char *pattern)
{
	static const char *const ours[] = { "LD_PRELOAD", "XALLOC_OUT", "XALLOC_SESSION" };
	size_t count = 0, n = 0;
	char **environment;

	while (environ[count])
		count++;
	environment = memory_new(count + 3, sizeof(*environment));
	for (size_t i = 0; i < count; i++) {
		bool is_ours = false;

		for (size_t j = 0; j < sizeof(ours) / sizeof(*ours); j++)
			is_ours |= is_variable(environ[i], ours[j]);
		if (!is_ours)
			environment[n++] = environ[i];
	}
	environment[n++] = preload_list(library, getenv("LD_PRELOAD"));
	environment[n] = text_new("XALLOC_OUT=%s", pattern);
	return environment;
}

/* 1,234,567 */
static char *grouped(uint64_t number)
{
	if (number < 1000)
		return text_new("%" PRIu64, number);
	return text_new("%s,%03d", grouped(number / 1000), (int)(number % 1000));
}

static char *rounded(uint64_t bytes)
{
	static const char *const unit[] = { "KiB", "MiB", "GiB", "TiB" };
	double value = (double)bytes / 1024;
	size_t i = 0;

	if (bytes < 1024)
		return text_new("%" PRIu64 " bytes", bytes);
	for (; value >= 1024 && i + 1 < sizeof(unit) / sizeof(*unit); i++)
		value /= 1024;
	return text_new("%.1f %s", value, unit[i]);
}

static void say_where(const struct ended_trace *trace)
{
	char *images =
		trace->images > 1
			? text_new(", the last of %u programs that the process was", trace->images)
			: text_new("%s", "");

	message("%s: %s event%s, %s%s", trace->path, grouped(trace->events),
		trace->events == 1 ? "" : "s", rounded(trace->disk_bytes), images);
}

/* The report's own end is no matter: it says itself what it could not do. */
static void print_report(char *report, char *trace)
{
	char *argv[] = { report, trace, NULL };
	const pid_t pid = run_start(report, argv, NULL, environ);

	if (pid < 0)
		message("%s: %s", report, strerror(-pid));
	else
		run_wait(pid);
}

int record_main(int argc, char **argv)
{
	struct options options = { .out = NULL };
	struct ended_process process;
	struct ended_trace trace;
	struct target target;
	char *pattern, *path, *report = NULL, **environment;
	int status;
	pid_t pid;

	read_options(&options, argc, argv);
	pattern = place_pattern(options.out);
	target_find(&target, options.command);
	target_check(&target);
	place_check(pattern, target.path);
	kernel_check();
	environment = environment_for(paths_library(), pattern);
	if (options.has_report)
		report = paths_report();

	run_prepare();
	broker_open();
	pid = run_start(target.path, target.argv, target.sh_argv, environment);
	if (pid < 0)
		refuse(pid == -ENOENT || pid == -ENOTDIR ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE,
		       "%s: %s", target.path, strerror(-pid));
	process = ended_process_of(pid);
	run_release_descriptors(options.has_report);
	broker_start();
	status = run_wait(pid);
	broker_finish(pid);

	path = place_expand(pattern, target.path, pid);
	*strrchr(path, '/') = 0;
	trace = ended_find(&process, path, place_prefix(pattern));
	if (!trace.path) {
		message("%s was not recorded: there is no trace of process %d", target.path,
			(int)pid);
		run_end_like(status);
	}
	if (WIFSIGNALED(status))
		ended_by_signal(&process, trace.path, WTERMSIG(status));
	if (options.has_report || isatty(STDERR_FILENO))
		say_where(&trace);
	if (options.has_report)
		print_report(report, trace.path);
	run_end_like(status);
}
