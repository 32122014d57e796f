/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The peak of resident memory of a native run (rss_file.h) as a sum of signed terms:
 *
 *   peak = terms + unexplained
 *
 * Only `unexplained` is computed by subtraction; each other term is measured, or derived from what
 * was measured, in one of the two runs: the native one, or the traced one.
 * docs/rss-reconciliation.md has what each can and cannot mean.
 *
 * Two instants of the heap are set against the same peak: that of most requested bytes, and that
 * of the peak of RSS, as far as it is known which one that was.
 */
#ifndef XALLOC_REPORT_RECONCILE_H
#define XALLOC_REPORT_RECONCILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/slack.h"
#include "analyzer/report/anonymous_use.h"
#include "analyzer/report/rss_file.h"

enum reconcile_instant { RECONCILE_PEAK_HEAP, RECONCILE_PEAK_RSS, RECONCILE_INSTANTS };

enum reconcile_basis {
	RECONCILE_MEASURED,  /* by the kernel, page by page */
	RECONCILE_DERIVED,   /* computed from figures that are exact */
	RECONCILE_ESTIMATED, /* measured by a kernel that cannot tell the page of zeros from memory
			      */
	RECONCILE_UNKNOWN    /* not measured: it is part of what is unexplained */
};

enum reconcile_run { RECONCILE_NATIVE, RECONCILE_TRACED, RECONCILE_BOTH };

struct reconcile_term {
	const char *key; /* "requested", "file", ... */
	char *name;      /* a file, or of what is mapped the stack; "": it needs none */
	enum reconcile_basis basis;
	enum reconcile_run run;
	int64_t bytes[RECONCILE_INSTANTS]; /* 0 where it is not known */
	bool is_known[RECONCILE_INSTANTS];
};

/*
 * A cross-check, in no term: what the traced run's allocator said of itself at the end. What it
 * means is the allocator's own (docs/rss-reconciliation.md); XT_ALLOCATOR_UNTOLD: it has no such
 * figure.
 */
struct reconcile_said {
	uint32_t state;   /* enum xt_heap_state; 0: the trace does not have it */
	uint32_t threads; /* not asked because of so many that were alive, if they are known */
	const char *by;   /* the function that was asked: "mallctl" */
	uint64_t in_use_bytes, active_bytes, resident_bytes, retained_bytes, free_bytes;
};

struct reconcile {
	const struct rss_file *rss;
	struct reconcile_term *term; /* in the order to show them */
	size_t terms;
	uint64_t peak_bytes;      /* of RSS */
	uint64_t heap_peak_bytes; /* the most that was requested at once */
	bool has_instant[RECONCILE_INSTANTS];
	/* Which one it is, or why it is not known; of the peak of RSS after a snapshot that is what
	 * the terms of the traced run are of. */
	char *instant[RECONCILE_INSTANTS];
	bool has_use[RECONCILE_INSTANTS];        /* there is a snapshot */
	uint64_t heap_bytes[RECONCILE_INSTANTS]; /* requested by live blocks */
	uint64_t heap_blocks[RECONCILE_INSTANTS];
	int64_t unexplained[RECONCILE_INSTANTS];
	/* What the peak's sample has more than the breakdown, by statm, and is in terms: without a
	 * file, where a term says of what; of files and shared memory. 0 where the breakdown is the
	 * higher one. */
	int64_t more_anonymous, more_files;
	/* Of the unexplained: what the peak is above the breakdown besides; may be negative. */
	int64_t above_breakdown;
	/* What was resident of memory without a file, natively, by rows: what the terms of the
	 * traced run, and nearly all that is unexplained, are about. No term. */
	uint64_t anonymous_bytes[3]; /* heap, arenas, other anonymous */
	struct reconcile_said said;
	uint64_t end_bytes; /* and what live blocks took up then */
	bool end_has_heads; /* with heads and rounding, else as requested */
};

/* The heap of the traced run. */
struct reconcile_heap {
	const struct slack *slack;
	const struct xt_heap *said;       /* or NULL */
	const struct xt_allocator *other; /* or NULL */
	/* Of the snapshot of each instant, NULL: it has none. That of the peak of RSS is of the one
	 * with the most resident memory; that of the peak of the heap counts only if it is near. */
	const struct anonymous_use *use[RECONCILE_INSTANTS];
};

/* rss is borrowed, must outlive it, and have a breakdown. top: so many modules of each kind of
 * term, the rest as one; 0: all. */
void reconcile_build(struct reconcile *reconcile, const struct rss_file *rss,
		     const struct reconcile_heap *heap, uint64_t top);
void reconcile_release(struct reconcile *reconcile);

const char *reconcile_basis_name(enum reconcile_basis basis); /* "measured" */
const char *reconcile_run_name(enum reconcile_run run);       /* "native" */
/* What a term is, in words, by its key. */
const char *reconcile_key_text(const char *key);
/* Why the allocator was not asked at the end, in words; the caller frees them. */
char *reconcile_not_asked(const struct reconcile_said *said);
/* Its name, of a file without directories; part of it. */
const char *reconcile_short_name(const struct reconcile_term *term);

/* Of several pairs: RSS = start + slope * heap, by least squares; heap is peak_bytes of the trace.
 */
struct reconcile_fit {
	double start, slope;
	double *residual; /* of each pair, in its order */
	size_t pairs;
	bool is_line; /* else the heaps are all the same, and there is none */
};

void reconcile_fit_build(struct reconcile_fit *fit, const uint64_t *heap_bytes,
			 const uint64_t *rss_bytes, size_t pairs);
void reconcile_fit_release(struct reconcile_fit *fit);

#endif
