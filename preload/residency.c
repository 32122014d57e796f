/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/residency.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "preload/clock.h"
#include "preload/config.h"
#include "preload/store/file.h"
#include "preload/store/helper.h"
#include "preload/store/records.h"
#include "preload/store/slot.h"
#include "preload/store/snapshot_parts.h"
#include "preload/sys/stack.h"
#include "preload/sys/syscall.h"
#include "preload/sys/text.h"

#define PAGE 4096u
#define LOOK_NS 1000000u       /* at least between two looks at statm, which take 3 to 15 us, */
#define LOOK_MAX (8 * LOOK_NS) /* or this while it says the same */
#define SHARE 100u             /* a hundredth of the time, */
#define EARLY_NS 5000000u      /* and that twice as long as it is no more than this */
#define END_SHARE 50u          /* or a fiftieth at the end */
#define GROWN_PART 5u          /* so many hundredths are a new high while it grows, */
#define GROWN_SHARE 134u       /* which leaves something of the time, */
#define GROWN_PART_LEAST 2u    /* or so many where there is more time, */
#define GROWN_SHARE_LEAST 200u
#define GROWN_MORE 2u     /* while it grows, what one takes is kept for the high itself */
#define FALL_HIGH_PART 1u /* and before a fall */
#define END_NS 2000000u   /* what the last one may take in any case */
#define GUESS_NS 150000u  /* what one takes, and for a resident page, before any was taken */
#define GUESS_PAGE_NS 50u
#define HIGH_PAGES 64u          /* a new high is at least so much higher */
#define FALL_BYTES (256u << 10) /* and before less is given back, all in all, nobody looks */
#define FALL_PART 100u          /* nor before that part of the highest */

static struct {
	_Atomic int is_busy;
	uint32_t number;
	int is_off; /* /proc was not there: not tried again before the end */
	uint64_t begin_ns, next_ns, spent_ns;
	uint64_t high_pages;
	long seen_pages;            /* by the latest look */
	uint64_t look_ns;           /* from it to the next one at least */
	_Atomic uint64_t fallen;    /* bytes that were given back since the latest look */
	uint64_t least_ns, page_ns; /* what a snapshot takes, and for each page: learn_cost */
} residency;

/* Of XALLOC_RESIDENCY=MS, in ns. */
static uint64_t interval(void)
{
	return config.residency * UINT64_C(1000000);
}

void residency_begin(void)
{
	residency.is_busy = 0;
	residency.number = 0;
	residency.is_off = 0;
	residency.begin_ns = clock_can_tell() ? clock_ns() : 0;
	residency.next_ns =
		residency.begin_ns +
		(config.residency == CONFIG_RESIDENCY_AUTO ? GUESS_NS * SHARE : interval());
	residency.high_pages = residency.spent_ns = 0;
	residency.seen_pages = 0;
	residency.look_ns = LOOK_NS;
	residency.fallen = 0;
	residency.least_ns = residency.page_ns = 0;
}

static long open_proc(const char *path)
{
	return sys_call4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
}

/* The second number in a file of /proc. Negative: an errno. */
static long second_number(const char *path)
{
	char text[128];
	const char *at = text;
	const long bytes = text_read_file(path, text, sizeof(text));
	long number = 0;

	if (bytes <= 0)
		return bytes ? bytes : -EIO;
	while (*at && *at != ' ')
		at++;
	for (at += *at == ' '; *at >= '0' && *at <= '9'; at++)
		number = number * 10 + (*at - '0');
	return number;
}

static long resident_pages(void)
{
	return second_number("/proc/self/statm");
}

/* For how long this thread has waited for a processor that others had; 0: the kernel does not tell.
 */
static uint64_t waited_ns(void)
{
	const long waited = second_number("/proc/thread-self/schedstat");

	return waited > 0 ? (uint64_t)waited : 0;
}

/* What it took since then, without such waiting. */
static uint64_t took_ns(uint64_t begin, uint64_t waited_before)
{
	const uint64_t waited = waited_ns() - waited_before, all = clock_ns() - begin;

	return waited < all ? all - waited : all;
}

static int add_record(void *none, enum xt_record_type type, const struct records_piece *piece,
		      unsigned pieces)
{
	(void)none;
	return records_add(type, piece, pieces);
}

static long read_memory(struct snapshot_parts *parts)
{
	const long pagemap = open_proc("/proc/self/pagemap"), maps = open_proc("/proc/self/maps");
	const long result = snapshot_parts_read(parts, pagemap, maps);

	if (pagemap >= 0)
		sys_call1(SYS_close, pagemap);
	if (maps >= 0)
		sys_call1(SYS_close, maps);
	return result;
}

static void write_head(const struct xt_snapshot *head)
{
	const struct records_piece piece = { head, sizeof(*head) };

	records_add(XT_RECORD_SNAPSHOT, &piece, 1);
}

/* What each takes is the least that one has taken; a page what the latest has taken above that, or
 * half-way to it where that is less than was thought. */
static void learn_cost(uint64_t ns, long pages)
{
	uint64_t page_ns;

	if (pages <= 0)
		return;
	if (!residency.least_ns || ns < residency.least_ns)
		residency.least_ns = ns;
	page_ns = (ns - residency.least_ns) / (uint64_t)pages;
	residency.page_ns =
		page_ns > residency.page_ns ? page_ns : (page_ns + residency.page_ns) / 2;
}

/* pages: resident ones, or a negative errno. */
static void take(const struct stream *s, enum xt_snapshot_why why, long pages)
{
	const uint64_t begin = clock_ns(), waited = waited_ns();
	struct snapshot_parts parts;
	long result;

	parts.head =
		(struct xt_snapshot){ .number = residency.number++,
				      .why = (uint16_t)why,
				      .how = XT_SNAPSHOT_NONE,
				      .stamp = clock_stamp(),
				      .events = stream_events(s),
				      .stream = s->number,
				      .resident_bytes = pages > 0 ? (uint64_t)pages * PAGE : 0 };
	parts.add = add_record;
	parts.owner = NULL;
	parts.at_once = parts.inode = 0;
	result = pages < 0 ? pages : read_memory(&parts);
	if (result < 0) {
		parts.head.how = XT_SNAPSHOT_NONE;
		parts.head.error = (uint32_t)-result;
		residency.is_off = 1;
	}
	parts.head.ns = took_ns(begin, waited);
	write_head(&parts.head);
	residency.spent_ns += parts.head.ns;
	if (why == XT_SNAPSHOT_INTERVAL)
		residency.next_ns = clock_ns() + interval();
	learn_cost(parts.head.ns, pages);
}

/* Calls may be made, and nobody else is at it. */
static int enter(void)
{
	return config.residency != CONFIG_RESIDENCY_OFF && clock_can_tell() && !slots_are_fixed() &&
	       !sys_is_denied(SYS_openat) && !sys_is_denied(SYS_read) &&
	       !sys_is_denied(SYS_close) && !atomic_exchange(&residency.is_busy, 1);
}

static void leave(void)
{
	atomic_store(&residency.is_busy, 0);
}

/* What a snapshot is expected to take. */
static uint64_t cost_of(long pages)
{
	const uint64_t page_ns =
		residency.page_ns > GUESS_PAGE_NS ? residency.page_ns : GUESS_PAGE_NS;

	return (residency.least_ns ? residency.least_ns : GUESS_NS) +
	       (pages > 0 ? (uint64_t)pages * page_ns : 0);
}

/* Would they have taken no more than the share with so many more? A short program has its high
 * before the share is worth a snapshot. */
static int is_within_share(uint64_t now, uint64_t share, long pages, uint64_t more)
{
	const uint64_t part = (now - residency.begin_ns) / share;
	const uint64_t early = share == END_SHARE ? 0 : part < EARLY_NS ? part : EARLY_NS;

	return residency.spent_ns + more * cost_of(pages) <= part + early;
}

/* The share of the time that a snapshot now may have: the higher the more, most before a fall. 0:
 * it is no high. */
static uint64_t share_of(long pages, int is_fall)
{
	const uint64_t high = residency.high_pages, hundredfold = (uint64_t)pages * 100;

	if (pages < 0)
		return SHARE;
	if ((uint64_t)pages < high + HIGH_PAGES)
		return 0;
	if (is_fall)
		return hundredfold >= high * (100 + FALL_HIGH_PART) ? SHARE : 0;
	return hundredfold >= high * (100 + GROWN_PART)         ? GROWN_SHARE
	       : hundredfold >= high * (100 + GROWN_PART_LEAST) ? GROWN_SHARE_LEAST
								: 0;
}

/* By itself: not before is_within_share can say so of a high while it grows, and never at once. */
static uint64_t next_look(uint64_t now, long pages)
{
	const uint64_t need = residency.spent_ns + GROWN_MORE * cost_of(pages),
		       part = need / 2 < EARLY_NS ? need / 2 : need - EARLY_NS,
		       within = residency.begin_ns + part * GROWN_SHARE;
	uint64_t soon;

	if (pages != residency.seen_pages)
		residency.look_ns = LOOK_NS;
	else if (residency.look_ns < LOOK_MAX)
		residency.look_ns *= 2;
	residency.seen_pages = pages;
	soon = now + residency.look_ns;
	return within > soon ? within : soon;
}

static void look(const struct stream *s, uint64_t now, int is_fall)
{
	const int is_auto = config.residency == CONFIG_RESIDENCY_AUTO, is_high = is_auto || is_fall;
	const long pages = resident_pages();
	const uint64_t share = share_of(pages, is_fall);

	residency.fallen = 0;
	if (!is_high) {
		take(s, XT_SNAPSHOT_INTERVAL, pages);
	} else if (share &&
		   (!is_auto || is_within_share(now, share, pages, is_fall ? 1 : GROWN_MORE))) {
		residency.high_pages = pages > 0 ? (uint64_t)pages : 0;
		take(s, XT_SNAPSHOT_HIGH, pages);
	}
	if (is_auto)
		residency.next_ns = next_look(now, pages);
}

static int wants_watch(uint64_t bytes)
{
	return bytes >= RESIDENCY_ALLOC_BYTES && config.residency == CONFIG_RESIDENCY_AUTO &&
	       file_shared && helper_is_unasked();
}

int residency_is_due(uint64_t bytes)
{
	return config.residency != CONFIG_RESIDENCY_OFF && clock_can_tell() &&
	       (wants_watch(bytes) || (!residency.is_off && clock_ns() >= residency.next_ns));
}

void residency_look(const struct stream *s)
{
	uint64_t now;

	if (residency.is_off || !stream_events(s) || !enter())
		return;
	now = clock_ns();
	if (now >= residency.next_ns)
		look(s, now, 0);
	leave();
}

void residency_look_beside(const struct stream *s, uint64_t bytes)
{
	if (wants_watch(bytes) && !slots_are_fixed())
		helper_ask();
	residency_look(s);
}

int residency_may_fall(uint64_t bytes)
{
	uint64_t fallen;

	if (config.residency == CONFIG_RESIDENCY_OFF || residency.is_off || !clock_can_tell())
		return 0;
	fallen = atomic_fetch_add_explicit(&residency.fallen, bytes, memory_order_relaxed) + bytes;
	return fallen >= FALL_BYTES && fallen >= residency.high_pages * PAGE / FALL_PART;
}

static void look_before_job(void *arg, int is_private)
{
	const struct stream *s = arg;

	if (!is_private || residency.is_off || !enter())
		return;
	look(s, clock_ns(), 1);
	leave();
}

void residency_look_before(struct stream *s)
{
	stack_run(look_before_job, s);
}

/* What is not taken is in the trace all the same, with its reason. */
static void refuse(const struct stream *s, long pages)
{
	const struct xt_snapshot head = { .number = residency.number++,
					  .why = XT_SNAPSHOT_END,
					  .how = XT_SNAPSHOT_COSTLY,
					  .stamp = clock_stamp(),
					  .events = stream_events(s),
					  .stream = s->number,
					  .resident_bytes = (uint64_t)pages * PAGE };

	write_head(&head);
}

void residency_end(const struct stream *s)
{
	long pages;

	if (!enter())
		return;
	pages = resident_pages();
	if (config.residency == CONFIG_RESIDENCY_AUTO && cost_of(pages) > END_NS &&
	    !is_within_share(clock_ns(), END_SHARE, pages, 1))
		refuse(s, pages);
	else
		take(s, XT_SNAPSHOT_END, pages);
	leave();
}
