/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * measure OUT TIMES [NAME=VALUE...] COMMAND [ARGUMENTS]
 *
 * Runs COMMAND so many times, with these variables added to its environment, and writes to OUT
 * what they took together: "STATUS WALL TARGET TREE RESIDENT": the last wait status that was not 0,
 * seconds of wall time, CPU seconds of COMMAND and the children it waited for, CPU seconds of all
 * processes that it left behind, too, whose end is waited for, greatest resident set of COMMAND or
 * one of its children, in bytes. It is small itself because a process inherits its parent's size at
 * fork.
 */
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct taken {
	int status;
	double wall, target, tree;
	uint64_t resident;
};

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double cpu(const struct rusage *usage)
{
	const struct timeval *u = &usage->ru_utime, *s = &usage->ru_stime;

	return (double)(u->tv_sec + s->tv_sec) + (double)(u->tv_usec + s->tv_usec) / 1e6;
}

static void run(char **command, struct taken *taken)
{
	double start = seconds(), used;
	struct rusage usage;
	pid_t pid, ended;
	int status;

	if (posix_spawnp(&pid, *command, NULL, NULL, command, environ)) {
		fprintf(stderr, "measure: cannot run %s\n", *command);
		exit(1);
	}
	while ((ended = wait4(-1, &status, 0, &usage)) > 0) {
		used = cpu(&usage);
		taken->tree += used;
		if (ended != pid)
			continue;
		taken->wall += seconds() - start;
		taken->target += used;
		if ((uint64_t)usage.ru_maxrss * 1024 > taken->resident)
			taken->resident = (uint64_t)usage.ru_maxrss * 1024;
		if (status)
			taken->status = status;
	}
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
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (times = atol(argv[2]); times > 0; times--)
		run(argv + i, &taken);
	out = fopen(argv[1], "w");
	if (!out ||
	    fprintf(out, "%d %.9f %.9f %.9f %" PRIu64 "\n", taken.status, taken.wall, taken.target,
		    taken.tree, taken.resident) < 0 ||
	    fclose(out)) {
		perror(argv[1]);
		return 1;
	}
	return 0;
}
