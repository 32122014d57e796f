/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run of the program, looked at from outside: how its resident memory went, and what it
 * consisted of. Times are nanoseconds since the program was executed, sizes bytes.
 *
 * The sampler keeps to budgets of its own processor time, 19 parts per thousand of a core in all
 * and 3 ms at the beginning: samples become less frequent when they cost more. What the exit stop
 * takes comes on top.
 */
#ifndef XALLOC_RSS_SAMPLER_H
#define XALLOC_RSS_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "preload/rss/exit_stop.h"
#include "preload/rss/family.h"
#include "preload/launch/procfs.h"
#include "preload/rss/watched.h"

struct sampler_options {
	int64_t interval_ns;
	enum exit_stop_mode exit_snapshot;
	const char *why_no_exit; /* the program cannot be traced; NULL: it can */
	bool is_last;            /* no run follows: the program's descriptors are let go */
};

/* What a run gives. */
struct sampled {
	pid_t pid;
	int status; /* as of waitpid */
	int64_t duration_ns;
	struct family family;     /* the program is member 0 */
	struct snapshot exit;     /* the one at the exit stop */
	struct procfs_stat usage; /* at the end; has_usage: it is known */
	bool has_usage;
	uint64_t maxrss_bytes;   /* ru_maxrss of the program and the children it waited for; the
				  * launcher's own, where that is greater */
	uint64_t launcher_bytes; /* the launcher's own peak: the program was a fork of it */
	uint64_t cgroup_before_bytes, cgroup_after_bytes; /* memory.peak; 0: not known */
	/* the sampler itself */
	int64_t interval_ns; /* at the end: adapted */
	uint64_t samples, snapshots;
	int64_t cpu_ns; /* what it took */
	uint64_t signal_stops;
	uint64_t calls, falls;   /* that the program was stopped before: exit_stop.h */
	const char *why_no_exit; /* there is no exit snapshot for that reason; NULL */
};

/* Runs the program to its end. A negative errno: it could not be executed. run_prepare first. */
int sampler_run(struct sampled *result, const struct sampler_options *options, const char *path,
		char **argv, char **sh_argv, char **environment);

void sampled_release(struct sampled *s);

/* The program. */
const struct watched *sampled_program(const struct sampled *s);

#endif
