/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/rss/rss_result.h"

#include <stdlib.h>
#include <sys/wait.h>

#include "preload/launch/message.h"

struct peak rss_peak(const struct rss_result *result, const struct sampled *run)
{
	const struct watched *w = sampled_program(run);
	const uint64_t threads = run->exit.is_taken ? run->exit.threads : 1;
	struct peak peak = { .source = PEAK_STATM };

	if (!w)
		return peak;
	peak.bytes = w->statm_bytes;
	peak.error_bytes = native_statm_error(&result->facts, threads);
	if (w->hwm_bytes > peak.bytes) {
		peak.bytes = w->hwm_bytes;
		peak.error_bytes = native_hwm_error(&result->facts, threads);
		peak.source = PEAK_HWM;
	}
	if (w->best.is_taken && w->best.rss_bytes > peak.bytes) {
		peak.bytes = w->best.rss_bytes;
		peak.error_bytes = 0;
		peak.source = PEAK_SMAPS;
	}
	return peak;
}

const char *peak_source_name(enum peak_source source)
{
	static const char *const name[] = {
		[PEAK_STATM] = "statm", [PEAK_HWM] = "VmHWM", [PEAK_SMAPS] = "smaps"
	};

	return name[source];
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

struct rss_spread rss_spread(const struct rss_result *result)
{
	uint64_t *peak = memory_new(result->runs, sizeof(*peak));
	struct rss_spread spread;

	for (size_t i = 0; i < result->runs; i++)
		peak[i] = rss_peak(result, &result->run[i]).bytes;
	qsort(peak, result->runs, sizeof(*peak), compare);
	spread.minimum = peak[0];
	spread.median = peak[(result->runs - 1) / 2];
	spread.maximum = peak[result->runs - 1];
	free(peak);
	return spread;
}

char *rss_end(const struct sampled *run)
{
	return WIFEXITED(run->status) ? text_new("exit:%d", WEXITSTATUS(run->status))
				      : text_new("signal:%d", WTERMSIG(run->status));
}

void rss_sort(struct rss_result *result)
{
	for (size_t i = 0; i < result->runs; i++) {
		struct sampled *run = &result->run[i];

		breakdown_sort(&run->exit.breakdown);
		for (size_t j = 0; j < run->family.count; j++)
			breakdown_sort(&run->family.member[j]->best.breakdown);
	}
}
