/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One line on a terminal that says how far long work has come. Short work says nothing. */
#ifndef XALLOC_RENDER_PROGRESS_H
#define XALLOC_RENDER_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
	FILE *out;
	const char *what; /* "reading x.zst" */
	uint64_t next_ns; /* not before */
	bool is_shown;
};

/* Times are of any clock that goes on evenly. out and what are borrowed. */
void progress_init(struct progress *progress, FILE *out, const char *what, uint64_t now_ns);
/* To be called now and then, as often as one likes. */
void progress_tell(struct progress *progress, uint64_t now_ns, uint64_t done, uint64_t all);
/* The work is over: takes the line away. */
void progress_clear(struct progress *progress);

#endif
