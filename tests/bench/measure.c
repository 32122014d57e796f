/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * measure OUT TIMES [NAME=VALUE...] COMMAND [ARGUMENTS]
 *
 * Runs COMMAND so many times, with these variables added to its environment, and writes to OUT
 * what they took together: "STATUS WALL TREE OWN RESIDENT": the last wait status that was not 0,
 * seconds of wall time, CPU seconds of COMMAND and the children it waited for, CPU seconds of
 * COMMAND's process alone, greatest resident set of one of the processes, in bytes. It is small
 * itself because a process inherits its parent's size at fork.
 */
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct taken {
	int status;
	double wall, tree, own;
	uint64_t resident;
};

static double seconds(clockid_t clock)
{
	struct timespec t = { 0, 0 };

	if (clock_gettime(clock, &t))
		perror("measure: clock_gettime");
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double of_usage(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void run(char **command, struct taken *taken)
{
	double start = seconds(CLOCK_MONOTONIC);
	struct rusage usage;
	clockid_t clock;
	siginfo_t info;
	pid_t pid;
	int status;

	if (posix_spawnp(&pid, *command, NULL, NULL, command, environ)) {
		fprintf(stderr, "measure: cannot run %s\n", *command);
		exit(1);
	}
	/* A process that has ended and was not waited for still has its clock. */
	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) ||
	    clock_getcpuclockid(pid, &clock)) {
		perror("measure");
		exit(1);
	}
	taken->wall += seconds(CLOCK_MONOTONIC) - start;
	taken->own += seconds(clock);
	if (wait4(pid, &status, 0, &usage) != pid) {
		perror("measure: wait4");
		exit(1);
	}
	taken->tree += of_usage(usage.ru_utime) + of_usage(usage.ru_stime);
	if ((uint64_t)usage.ru_maxrss * 1024 > taken->resident)
		taken->resident = (uint64_t)usage.ru_maxrss * 1024;
	if (status)
		taken->status = status;
}

int main(int argc, char **argv)
{
	struct taken taken = { 0, 0, 0, 0, 0 };
	long times;
	FILE *out;
	int i;

	if (argc < 4) {
		fprintf(stderr, "usage: measure OUT TIMES [NAME=VALUE...] COMMAND [ARGUMENTS]\n");
		return 2;
	}
	for (i = 3; i < argc && strchr(argv[i], '='); i++)
		putenv(argv[i]);
	if (!argv[i])
		return 2;
	for (times = atol(argv[2]); times > 0; times--)
		run(argv + i, &taken);
	out = fopen(argv[1], "w");
	if (!out ||
	    fprintf(out, "%d %.9f %.9f %.9f %" PRIu64 "\n", taken.status, taken.wall, taken.tree,
		    taken.own, taken.resident) < 0 ||
	    fclose(out)) {
		perror(argv[1]);
		return 1;
	}
	return 0;
}
