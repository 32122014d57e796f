/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What `xalloc rss -o` has written: docs/json.md, "xalloc rss". Of several runs that with the
 * median peak, of its breakdowns the one at the exit if it has 99 % of the peak, else that with the
 * greatest sum.
 */
#ifndef XALLOC_REPORT_RSS_FILE_H
#define XALLOC_REPORT_RSS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/err.h"
#include "analyzer/base/strlist.h"

enum rss_kind {
	RSS_HEAP,
	RSS_ARENA,
	RSS_ANONYMOUS,
	RSS_STACK,
	RSS_THREAD_STACK,
	RSS_BSS,
	RSS_FILE,
	RSS_SHARED_MEMORY,
	RSS_HUGETLB,
	RSS_VDSO,
	RSS_RESERVED,
	RSS_OTHER,
	RSS_KINDS
};

struct rss_row {
	enum rss_kind kind;
	char *name; /* never NULL */
	uint64_t mappings, rss_bytes;
	uint64_t anonymous_bytes; /* of a file: what was written to, the process's own */
	uint64_t private_clean_bytes;
};

struct rss_module {
	char *path, *build_id; /* in hex, "": none */
};

struct rss_file {
	char *path; /* of the program, as it was found */
	char *exe;  /* what the breakdown is of, a path as the kernel has it; "": none */
	struct strlist argv;
	struct strlist environment; /* NAME=VALUE, as trace_environment has it */
	struct rss_module *module;
	size_t modules;
	size_t runs, run;                           /* how many, and which one, from 0 */
	uint64_t least_peak_bytes, most_peak_bytes; /* of all runs */
	/* of the run */
	char *end; /* exit:N or signal:N */
	char *peak_source;
	uint64_t peak_bytes, peak_error_bytes;
	/* The greatest sample: what was resident, and what of that without a file; by a kernel that
	 * may be off by statm_error_bytes. has_sample: older results do not have it. */
	bool has_sample;
	uint64_t statm_bytes, statm_anonymous_bytes, statm_error_bytes;
	bool has_breakdown, is_at_exit;
	char *no_breakdown; /* why not; NULL: it has one */
	struct rss_row *row;
	size_t rows;
	uint64_t rss_bytes; /* the sum of the rows */
	uint64_t swap_bytes, hugetlb_bytes, page_table_bytes;
};

/* Whether a file may be one: it begins as a JSON object does, no trace does. */
bool rss_file_may_be(const char *path);
/* -1: err names the file and the place in it. Release either way. */
int rss_file_read(struct rss_file *file, const char *path, struct err *err);
void rss_file_release(struct rss_file *file);

/* "heap", as in the file. */
const char *rss_kind_name(enum rss_kind kind);

#endif
