/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program and its descendants. A new process is found as a child of one that is known (by
 * /proc/PID/task/TID/children, or by the parents of all processes where the kernel has no such
 * file); once found it is looked at until it ends, whoever its parent is by then.
 */
#ifndef XALLOC_RSS_FAMILY_H
#define XALLOC_RSS_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "preload/rss/watched.h"

struct family {
	struct watched **member; /* the program first; ended ones stay */
	size_t count, room;
	size_t living;
	uint64_t unlisted; /* ended ones that were forgotten, because of too many */
	int load;          /* /proc/loadavg, whose last number is the latest pid */
	unsigned latest;   /* that number, when children were looked for; 0: look again */
	/* of the living together */
	bool is_level;           /* the latest two sums are about the same */
	uint64_t rss_bytes;      /* at the latest sample: pages that they share count for each */
	uint64_t peak_rss_bytes; /* the greatest, when, and how many they were */
	int64_t peak_ns;
	size_t peak_processes;
	uint64_t pss_bytes;        /* the sum of their PSS, read at the greatest sum of RSS, */
	int64_t pss_ns;            /* then, */
	uint64_t pss_rss_bytes;    /* which was this one */
	size_t greatest_processes; /* that lived at once */
};

/* With the program alone: false when it is not there any more. */
bool family_init(struct family *f, pid_t program, int64_t now);

/* Samples all. */
void family_sample(struct family *f, int64_t now);

/* Has a process or thread come since the last family_search? A cheap look. */
bool family_has_news(const struct family *f);

/* Looks for new members. */
void family_search(struct family *f, int64_t now);

/* Reads the PSS of all, one after the other: the sum is one while nothing moves. It is dropped when
 * much of the RSS has gone meanwhile. */
void family_read_pss(struct family *f, int64_t now);

/* No descriptor is held any more; what was found stays. */
void family_close(struct family *f);

void family_release(struct family *f);

#endif
