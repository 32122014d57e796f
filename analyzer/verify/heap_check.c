/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/verify/heap_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"
#include "analyzer/verify/check_list.h"

/* The chunk with which the allocator keeps the thread cache itself: glibc 2.30 to 2.41. */
#define CACHE_OWN_BYTES 656u
#define GLIBC_MINOR_FIRST 30u
#define GLIBC_MINOR_LAST 41u
#define CACHE_FOR_ALIGNED_MINOR 41u /* from here on aligned calls make the cache too */
#define CACHE_CHUNKS 7u /* of each class, unless a tunable says another number */

/* Of glibc 2.N: N. 0: it is no glibc that is known. */
static unsigned libc_minor(const struct raw_facts *facts)
{
	unsigned minor;

	if (!facts->libc || sscanf(facts->libc, "glibc 2.%u", &minor) != 1 ||
	    minor < GLIBC_MINOR_FIRST || minor > GLIBC_MINOR_LAST)
		return 0;
	return minor;
}

/* Why the two cannot be compared, or NULL. */
static const char *why_not(const struct raw_trace *trace, const struct raw_facts *facts,
			   const struct account *account)
{
	if (trace->header.usable_rule == XT_USABLE_NO_ADDRESSES)
		return "addresses were dropped";
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
	case XT_HEAP_SBRK:
		return "the program moved the end of the heap itself: the allocator counts that in";
	case XT_HEAP_ALLOCATOR:
		return "the allocator is not glibc's";
	case XT_HEAP_LARGE:
		return "the heap is larger than 64 MiB: asking the allocator would take long";
	case XT_HEAP_UNSEEN:
		return "there were calls before the recorder's relocation, or past it: the "
		       "allocator counts other blocks";
	default:
		return "the recorder gave a reason that this version does not know";
	}
	if (!libc_minor(facts))
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

static void check_in_use(const struct heap_count *count, const struct xt_heap *heap, uint64_t cache,
			 bool has_cache, struct verify_report *report)
{
	const uint64_t held = heap->heap_bytes && has_cache ? CACHE_OWN_BYTES : 0;
	const uint64_t explained = count->in_use_bytes + held;
	char *figures = xasprintf(
		"%s with %s %s %s, the allocator says %s, %s of them its own; its "
		"thread cache may hold 0 to %s",
		number_of(count->blocks, "block").text,
		count->blocks == 1 ? "its head" : "their heads", number_are(count->blocks),
		number_of(count->in_use_bytes, "byte").text, number_count(heap->in_use_bytes).text,
		number_count(held).text, number_count(cache).text);

	check_say(report, CHECK_HEAP_IN_USE, "%s", figures);
	if (heap->in_use_bytes < explained)
		check_fail(report, CHECK_HEAP_IN_USE,
			   "the trace has %s more than the allocator: %s",
			   number_of(explained - heap->in_use_bytes, "byte").text, figures);
	else if (heap->in_use_bytes - explained > cache)
		check_fail(report, CHECK_HEAP_IN_USE,
			   "the allocator has %s more than the trace can explain: %s",
			   number_of(heap->in_use_bytes - explained - cache, "byte").text, figures);
	free(figures);
}

static void check_mapped(const struct heap_count *count, const struct xt_heap *heap,
			 struct verify_report *report)
{
	const uint64_t most = count->mapped_bytes + count->mapped_slack_bytes;
	char *figures =
		xasprintf("%s %s, %s to %s, the allocator says %s",
			  number_of(count->mapped_blocks, "block").text,
			  count->mapped_blocks == 1 ? "that is a mapping" : "that are mappings",
			  number_count(count->mapped_bytes).text, number_of(most, "byte").text,
			  number_count(heap->mapped_bytes).text);

	check_say(report, CHECK_HEAP_MAPPED, "%s", figures);
	if (heap->mapped_bytes < count->mapped_bytes)
		check_fail(
			report, CHECK_HEAP_MAPPED, "the trace has %s more than the allocator: %s",
			number_of(count->mapped_bytes - heap->mapped_bytes, "byte").text, figures);
	else if (heap->mapped_bytes > most)
		check_fail(
			report, CHECK_HEAP_MAPPED, "the allocator has %s more than the trace: %s",
			number_of(heap->mapped_bytes - count->mapped_bytes, "byte").text, figures);
	free(figures);
}

void heap_check(const struct raw_trace *trace, const struct raw_facts *facts,
		const struct account *account, struct verify_report *report)
{
	const struct heap_count *count = &account->heap;
	const char *reason = why_not(trace, facts, account);
	bool has_cache;

	if (reason) {
		check_skip(report, CHECK_HEAP_IN_USE, "%s", reason);
		check_skip(report, CHECK_HEAP_MAPPED, "%s", reason);
		return;
	}
	has_cache = count->has_cache || libc_minor(facts) >= CACHE_FOR_ALIGNED_MINOR;
	check_in_use(count, &facts->heap,
		     has_cache ? heap_count_cache_bytes(count, cache_chunks(facts->tunables)) : 0,
		     has_cache, report);
	if (count->has_moved)
		check_skip(report, CHECK_HEAP_MAPPED,
			   "an aligned mapping was resized: what stands before its block is not known");
	else
		check_mapped(count, &facts->heap, report);
}
