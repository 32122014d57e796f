/* SPDX-License-Identifier: Apache-2.0 */
/* What `xalloc rss` has found out, and its two forms: docs/rss.md, docs/json.md. */
#ifndef XALLOC_RSS_RSS_RESULT_H
#define XALLOC_RSS_RSS_RESULT_H

#include <stdint.h>
#include <stdio.h>

#include "preload/rss/native.h"
#include "preload/rss/sampler.h"

struct rss_result {
	const char *path; /* of the program, as it was found */
	char **argv;
	const struct sampler_options *options;
	struct native_facts facts;
	struct sampled *run;
	size_t runs;
};

enum peak_source { PEAK_STATM, PEAK_HWM, PEAK_SMAPS };

/* The peak of a run, and who said it. */
struct peak {
	uint64_t bytes, error_bytes;
	enum peak_source source;
};

struct peak rss_peak(const struct rss_result *result, const struct sampled *run);
const char *peak_source_name(enum peak_source source);

/* Least, middle (the lower one of two) and greatest peak of the runs. */
struct rss_spread {
	uint64_t minimum, median, maximum;
};
struct rss_spread rss_spread(const struct rss_result *result);

/* "exit:0", "signal:9". Never released. */
char *rss_end(const struct sampled *run);

/* Sorts the rows of its breakdowns, the greatest first. */
void rss_sort(struct rss_result *result);

/* One object of the schema xalloc-rss/1. */
void rss_write_json(const struct rss_result *result, FILE *to);

/* One screen. */
void rss_write_text(const struct rss_result *result, FILE *to);

#endif
