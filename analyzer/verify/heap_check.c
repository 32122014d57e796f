/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/verify/heap_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/verify/check_list.h"

/* The chunk with which the allocator keeps the thread cache itself: glibc 2.30 to 2.41. */
#define CACHE_OWN_BYTES 656u
#define GLIBC_MINOR_FIRST 30u
#define GLIBC_MINOR_LAST 41u
#define CACHE_CHUNKS 7u /* of each class, unless a tunable says another number */

/* Why the two cannot be compared, or NULL. */
static const char *why_not(const struct raw_trace *trace, const struct raw_facts *facts,
			   const struct account *account)
{
	unsigned minor;

	if (trace->header.usable_rule != XT_USABLE_GLIBC)
		return "the allocator is not glibc's";
	if (trace->header.forked)
		return "the process began with its parent's blocks";
	if (!facts->has_heap)
		return trace->header.exit_kind == XT_EXIT_STATUS ?
			       "the allocator was not asked: there was no call to record" :
			       "the process did not come to a clean end";
	switch (facts->heap.state) {
	case XT_HEAP_MEASURED:
		break;
	case XT_HEAP_THREADS:
		return "the process had threads: the allocator could not be asked";
	case XT_HEAP_HANDLER:
		return "the process ended in a signal handler: the allocator could not be asked";
	case XT_HEAP_ALLOCATOR:
		return "the allocator is not glibc's";
	default:
		return "the recorder gave a reason that this version does not know";
	}
	if (!facts->libc || sscanf(facts->libc, "glibc 2.%u", &minor) != 1 ||
	    minor < GLIBC_MINOR_FIRST || minor > GLIBC_MINOR_LAST)
		return "what the allocator keeps for itself is known for glibc 2.30 to 2.41 only";
	return account->has_heap ? NULL : "the moment at which the allocator was asked is not there";
}

static uint64_t cache_chunks(const char *tunables)
{
	static const char name[] = "glibc.malloc.tcache_count=";
	uint64_t chunks = CACHE_CHUNKS;

	/* The last one counts. */
	for (; tunables && (tunables = strstr(tunables, name)); ) {
		tunables += strlen(name);
		chunks = strtoull(tunables, NULL, 0);
	}
	return chunks;
}

void heap_check(const struct raw_trace *trace, const struct raw_facts *facts,
		const struct account *account, struct verify_report *report)
{
	const struct heap_count *count = &account->heap;
	const struct xt_heap *heap = &facts->heap;
	const char *reason = why_not(trace, facts, account);
	uint64_t cache, held;

	if (reason) {
		check_skip(report, CHECK_HEAP_IN_USE, "%s", reason);
		check_skip(report, CHECK_HEAP_MAPPED, "%s", reason);
		return;
	}
	held = heap->heap_bytes ? CACHE_OWN_BYTES : 0;
	cache = heap_count_cache_bytes(count, cache_chunks(facts->tunables));
	check_say(report, CHECK_HEAP_IN_USE,
		  "%" PRIu64 " blocks with their heads are %" PRIu64 " bytes, the allocator says %"
		  PRIu64 ", %" PRIu64 " of them its own; its thread cache may hold 0 to %" PRIu64,
		  count->blocks, count->in_use_bytes, heap->in_use_bytes, held, cache);
	if (heap->in_use_bytes < count->in_use_bytes + held)
		check_fail(report, CHECK_HEAP_IN_USE,
			   "the trace has %" PRIu64 " bytes more than the allocator",
			   count->in_use_bytes + held - heap->in_use_bytes);
	else if (heap->in_use_bytes - held - count->in_use_bytes > cache)
		check_fail(report, CHECK_HEAP_IN_USE,
			   "the allocator has %" PRIu64 " bytes more than the trace can explain",
			   heap->in_use_bytes - held - count->in_use_bytes - cache);
	check_say(report, CHECK_HEAP_MAPPED,
		  "%" PRIu64 " blocks that are mappings have %" PRIu64 " to %" PRIu64
		  " bytes, the allocator says %" PRIu64, count->mapped_blocks, count->mapped_bytes,
		  count->mapped_bytes + count->mapped_slack_bytes, heap->mapped_bytes);
	if (heap->mapped_bytes < count->mapped_bytes ||
	    heap->mapped_bytes - count->mapped_bytes > count->mapped_slack_bytes)
		check_fail(report, CHECK_HEAP_MAPPED,
			   "the allocator has %" PRId64 " bytes more than the trace",
			   (int64_t)(heap->mapped_bytes - count->mapped_bytes));
}
