/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One process that is looked at: the program or a descendant. Times are nanoseconds since the start
 * of the run, sizes bytes.
 */
#ifndef XALLOC_RSS_WATCHED_H
#define XALLOC_RSS_WATCHED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "preload/rss/breakdown.h"

/* What a process consisted of at one moment. */
struct snapshot {
	bool is_taken;
	int64_t time_ns, took_ns; /* when; what reading it took of our processor time */
	bool is_level;        /* the latest sample is no more than a hundredth above that before */
	uint64_t rss_bytes;   /* the sum of the rows */
	uint64_t statm_bytes; /* what statm said right after it */
	uint64_t page_table_bytes; /* no part of the RSS, as the next */
	uint64_t swap_bytes, hugetlb_bytes;
	uint64_t mappings, threads;
	char *exe;         /* what the process was executing; "": not known */
	bool is_exit;      /* it stood at the exit of a thread: */
	pid_t exit_thread; /* this one, */
	unsigned lived_on; /* and so many others went on */
	struct breakdown breakdown;
};

struct watched {
	pid_t pid, parent;
	pid_t thread; /* whose memory is read: the leader, or one that outlived it */
	int statm;    /* descriptor; -1: it has ended */
	int64_t first_ns, last_ns;
	bool is_level;        /* the latest sample is no more than a hundredth above that before */
	uint64_t rss_bytes;   /* at the last sample; 0 once it has ended */
	uint64_t statm_bytes; /* the greatest sample, what of it has no file, and when */
	uint64_t statm_anonymous_bytes;
	int64_t statm_ns;
	uint64_t hwm_bytes; /* the greatest VmHWM that was read */
	uint64_t samples;
	char *exe;            /* what it executed when that was last looked at; "": not known */
	struct snapshot best; /* the greatest */
	/* of the latest snapshot: what it took, of how many bytes, and 0 or the errno for which no
	 * other is tried */
	int64_t snapshot_ns;
	uint64_t snapshot_bytes;
	int snapshot_error;
};

/* false: it is not there, or not ours to look at. */
bool watched_open(struct watched *w, pid_t pid, pid_t parent, int64_t now);

/* One sample: false when it has ended. */
bool watched_sample(struct watched *w, int64_t now);

/*
 * Reads smaps into `scratch`: 0, or a negative errno. `scratch` keeps its room between calls; who
 * wants it longer copies it with watched_keep.
 */
int watched_snapshot(struct watched *w, int64_t now, struct snapshot *scratch);
void watched_keep(struct snapshot *to, const struct snapshot *scratch);

/* Reads VmHWM. */
void watched_read_peak(struct watched *w);

/* PSS by smaps_rollup; 0: not known. */
uint64_t watched_pss(const struct watched *w);

/* The greatest of all that was seen. */
uint64_t watched_peak(const struct watched *w);

void watched_close(struct watched *w);

#endif
