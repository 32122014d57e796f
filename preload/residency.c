/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/residency.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "preload/clock.h"
#include "preload/config.h"
#include "preload/store/records.h"
#include "preload/store/slot.h"
#include "preload/sys/stack.h"
#include "preload/sys/syscall.h"
#include "preload/sys/text.h"

#define PAGE 4096u
#define LOOK_NS 1000000u    /* at least between two looks at statm, which take some 3 us */
#define SHARE 100u          /* a hundredth of the time, */
#define EARLY_NS 5000000u   /* and that twice as long as it is no more than this */
#define END_SHARE 50u       /* or a fiftieth at the end */
#define GROWN_PART 5u       /* so many hundredths are a new high while it grows, */
#define GROWN_SHARE 134u    /* which leaves something of the time, */
#define GROWN_PART_LEAST 2u /* or so many where there is more time, */
#define GROWN_SHARE_LEAST 200u
#define GROWN_MORE 2u     /* while it grows, what one takes is kept for the high itself */
#define FALL_HIGH_PART 1u /* and before a fall */
#define END_NS 2000000u   /* what the last one may take in any case */
#define GUESS_NS 150000u  /* what one takes, and for a resident page, before any was taken */
#define GUESS_PAGE_NS 50u
#define HIGH_PAGES 64u          /* a new high is at least so much higher */
#define FALL_BYTES (256u << 10) /* and before less is given back, all in all, nobody looks */
#define FALL_PART 100u          /* nor before that part of the highest */
#define ADDRESS_END 0x7ffffffff000ul
#define PAGEMAP_PAGES_MAX (4u << 20) /* of addresses that are read without PAGEMAP_SCAN: 16 GiB */

static struct {
	_Atomic int is_busy;
	uint32_t number;
	int is_off; /* /proc was not there: not tried again before the end */
	uint64_t begin_ns, next_ns, spent_ns;
	uint64_t high_pages;
	_Atomic uint64_t fallen;    /* bytes that were given back since the latest look */
	uint64_t least_ns, page_ns; /* what a snapshot takes, and for each page: learn_cost */
} residency;

/* The interface of the kernel since Linux 6.7: linux/fs.h. */
struct scan_region {
	uint64_t start, end, kinds;
};
struct scan {
	uint64_t size, flags, start, end, walk_end, regions, regions_max, pages_max;
	uint64_t inverted, all_of, any_of, returned;
};
#define SCAN_IOCTL 0xC0606610ul
#define SCAN_KINDS_SHIFT 2 /* FILE and those behind it: XT_PAGES_ in the same order */
#define SCAN_KINDS (0x1Ful << SCAN_KINDS_SHIFT)
#define SCAN_REGIONS 512u

_Static_assert(sizeof(struct scan) == 0x60, "the number of the ioctl has the size");

/* What is being written, on the private stack. */
struct writer {
	struct xt_snapshot head;
	struct xt_pages pages[1024];
	uint32_t count; /* of pages */
	union {
		struct scan_region region[SCAN_REGIONS];
		uint64_t entry[1024];
	};
	char text[8192];
};

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

static int add_part(enum xt_record_type type, uint32_t number, uint32_t *parts, const void *bytes,
		    uint32_t size)
{
	const struct xt_snapshot_part part = { number, *parts, size, 0 };
	const struct records_piece piece[2] = { { &part, sizeof(part) }, { bytes, size } };

	if (!size)
		return 0;
	++*parts;
	return records_add(type, piece, 2);
}

static int flush_pages(struct writer *w)
{
	const uint32_t count = w->count;

	w->count = 0;
	return add_part(XT_RECORD_SNAPSHOT_PAGES, w->head.number, &w->head.pages, w->pages,
			count * (uint32_t)sizeof(*w->pages));
}

static int add_pages(struct writer *w, uint64_t start, uint64_t end, uint32_t kinds)
{
	while (start < end) {
		const uint64_t left = (end - start) / PAGE;
		const uint32_t count = left < UINT32_MAX ? (uint32_t)left : UINT32_MAX;
		struct xt_pages *last = w->count ? &w->pages[w->count - 1] : NULL;

		if (last && last->kinds == kinds && count <= UINT32_MAX - last->count &&
		    last->start + (uint64_t)last->count * PAGE == start) {
			last->count += count;
		} else {
			if (w->count == sizeof(w->pages) / sizeof(*w->pages) && flush_pages(w) < 0)
				return -ENOSPC;
			w->pages[w->count++] = (struct xt_pages){ start, count, kinds };
		}
		start += (uint64_t)count * PAGE;
	}
	return 0;
}

static long scan_pages(struct writer *w, long fd)
{
	struct scan scan = { .size = sizeof(scan),
			     .end = ADDRESS_END,
			     .regions = (uint64_t)(uintptr_t)w->region,
			     .regions_max = SCAN_REGIONS,
			     .any_of = (uint64_t)(XT_PAGES_PRESENT | XT_PAGES_SWAPPED)
				       << SCAN_KINDS_SHIFT,
			     .returned = SCAN_KINDS };
	long got, i;

	while (scan.start < scan.end) {
		got = sys_call3(SYS_ioctl, fd, SCAN_IOCTL, &scan);
		if (got < 0)
			return got;
		for (i = 0; i < got; i++)
			if (add_pages(w, w->region[i].start, w->region[i].end,
				      (uint32_t)(w->region[i].kinds >> SCAN_KINDS_SHIFT)))
				return -ENOSPC;
		if (scan.walk_end <= scan.start)
			break;
		scan.start = scan.walk_end;
	}
	return flush_pages(w) < 0 ? -ENOSPC : 0;
}

static const char *read_hex(const char *at, uint64_t *value)
{
	for (*value = 0;; at++) {
		if (*at >= '0' && *at <= '9')
			*value = *value << 4 | (uint64_t)(*at - '0');
		else if (*at >= 'a' && *at <= 'f')
			*value = *value << 4 | (uint64_t)(*at - 'a' + 10);
		else
			return at;
	}
}

/* The pages from start to end, by the entries of /proc/self/pagemap. */
static long read_pages(struct writer *w, long fd, uint64_t start, uint64_t end)
{
	while (start < end) {
		const uint64_t left = (end - start) / PAGE * sizeof(*w->entry);
		const long got = sys_call4(SYS_pread64, fd, w->entry,
					   left < sizeof(w->entry) ? left : sizeof(w->entry),
					   start / PAGE * sizeof(*w->entry));
		long i;

		if (got < (long)sizeof(*w->entry))
			return got < 0 ? got : 0;
		for (i = 0; i < got / (long)sizeof(*w->entry); i++, start += PAGE) {
			const uint64_t entry = w->entry[i];
			uint32_t kinds = 0;

			if (entry >> 63)
				kinds = XT_PAGES_PRESENT;
			else if (entry >> 62 & 1)
				kinds = XT_PAGES_SWAPPED;
			else
				continue;
			if (entry >> 61 & 1)
				kinds |= XT_PAGES_FILE;
			if (add_pages(w, start, start + PAGE, kinds))
				return -ENOSPC;
		}
	}
	return 0;
}

/* One line of maps at `at`. pages: how many may still be read, all in all. */
static long read_line(struct writer *w, long fd, const char *at, uint64_t *pages)
{
	uint64_t start, end;

	at = read_hex(at, &start);
	if (*at != '-')
		return -EINVAL;
	at = read_hex(at + 1, &end);
	if (at[0] != ' ' || at[1] != 'r' || start >= ADDRESS_END)
		return 0;
	if ((end - start) / PAGE > *pages)
		return -E2BIG;
	*pages -= (end - start) / PAGE;
	return read_pages(w, fd, start, end);
}

/* The list of mappings into the trace; with a pagemap to read, each one's pages, too. */
static long read_maps(struct writer *w, long pagemap)
{
	const long fd = open_proc("/proc/self/maps");
	uint64_t pages = PAGEMAP_PAGES_MAX;
	uint32_t filled = 0, line, i;
	long got, result = 0;

	if (fd < 0)
		return fd;
	while ((got = sys_call3(SYS_read, fd, w->text + filled, sizeof(w->text) - filled)) > 0) {
		filled += (uint32_t)got;
		for (line = i = 0; i < filled; i++) {
			if (w->text[i] != '\n')
				continue;
			if (pagemap >= 0 && result == 0)
				result = read_line(w, pagemap, w->text + line, &pages);
			line = i + 1;
		}
		if (!line) /* longer than any can be */
			line = filled;
		if (add_part(XT_RECORD_SNAPSHOT_MAPS, w->head.number, &w->head.maps, w->text,
			     line) < 0) {
			result = -ENOSPC;
			break;
		}
		memmove(w->text, w->text + line, filled - line);
		filled -= line;
	}
	sys_call1(SYS_close, fd);
	if (pagemap >= 0 && flush_pages(w) < 0)
		result = -ENOSPC;
	return got < 0 ? got : result;
}

static long read_memory(struct writer *w)
{
	const long fd = open_proc("/proc/self/pagemap");
	long result, maps;

	if (fd < 0) {
		read_maps(w, -1);
		return fd;
	}
	w->head.how = XT_SNAPSHOT_SCAN;
	result = scan_pages(w, fd);
	if (result < 0 && result != -ENOSPC && !w->head.pages) {
		w->count = 0;
		w->head.how = XT_SNAPSHOT_PAGEMAP;
		result = read_maps(w, fd);
	} else {
		maps = read_maps(w, -1);
		if (maps < 0)
			result = maps;
	}
	sys_call1(SYS_close, fd);
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
	struct writer w;
	long result;

	w.head = (struct xt_snapshot){ .number = residency.number++,
				       .why = (uint16_t)why,
				       .how = XT_SNAPSHOT_NONE,
				       .stamp = clock_stamp(),
				       .events = stream_events(s),
				       .stream = s->number,
				       .resident_bytes = pages > 0 ? (uint64_t)pages * PAGE : 0 };
	w.count = 0;
	result = pages < 0 ? pages : read_memory(&w);
	if (result < 0) {
		w.head.how = XT_SNAPSHOT_NONE;
		w.head.error = (uint32_t)-result;
		residency.is_off = 1;
	}
	w.head.ns = took_ns(begin, waited);
	write_head(&w.head);
	residency.spent_ns += w.head.ns;
	if (why == XT_SNAPSHOT_INTERVAL)
		residency.next_ns = clock_ns() + interval();
	learn_cost(w.head.ns, pages);
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
		       soon = now + LOOK_NS, within = residency.begin_ns + part * GROWN_SHARE;

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

int residency_is_due(void)
{
	return config.residency != CONFIG_RESIDENCY_OFF && !residency.is_off && clock_can_tell() &&
	       clock_ns() >= residency.next_ns;
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
