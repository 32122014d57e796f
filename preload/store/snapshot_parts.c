/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/store/snapshot_parts.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "preload/sys/syscall.h"

#define PAGE 4096u
#define ADDRESS_END 0x7ffffffff000ul
#define PAGEMAP_PAGES_MAX (4u << 20) /* of addresses that are read without PAGEMAP_SCAN: 16 GiB */

/* The interface of the kernel since Linux 6.7, as scan_region. */
struct scan {
	uint64_t size, flags, start, end, walk_end, regions, regions_max, pages_max;
	uint64_t inverted, all_of, any_of, returned;
};
#define SCAN_IOCTL 0xC0606610ul
#define SCAN_KINDS_SHIFT 2 /* FILE and those behind it: XT_PAGES_ in the same order */
#define SCAN_KINDS (0x1Ful << SCAN_KINDS_SHIFT)

_Static_assert(sizeof(struct scan) == 0x60, "the number of the ioctl has the size");

static int add_part(struct snapshot_parts *s, enum xt_record_type type, uint32_t *parts,
		    const void *bytes, uint32_t size)
{
	const struct xt_snapshot_part part = { s->head.number, *parts, size, 0 };
	const struct records_piece piece[2] = { { &part, sizeof(part) }, { bytes, size } };

	if (!size)
		return 0;
	++*parts;
	return s->add(s->owner, type, piece, 2);
}

static int flush_pages(struct snapshot_parts *s)
{
	const uint32_t count = s->count;

	s->count = 0;
	return add_part(s, XT_RECORD_SNAPSHOT_PAGES, &s->head.pages, s->pages,
			count * (uint32_t)sizeof(*s->pages));
}

static int add_pages(struct snapshot_parts *s, uint64_t start, uint64_t end, uint32_t kinds)
{
	while (start < end) {
		const uint64_t left = (end - start) / PAGE;
		const uint32_t count = left < UINT32_MAX ? (uint32_t)left : UINT32_MAX;
		struct xt_pages *last = s->count ? &s->pages[s->count - 1] : NULL;

		if (last && last->kinds == kinds && count <= UINT32_MAX - last->count &&
		    last->start + (uint64_t)last->count * PAGE == start) {
			last->count += count;
		} else {
			if (s->count == sizeof(s->pages) / sizeof(*s->pages) && flush_pages(s) < 0)
				return -ENOSPC;
			s->pages[s->count++] = (struct xt_pages){ start, count, kinds };
		}
		start += (uint64_t)count * PAGE;
	}
	return 0;
}

static long scan_pages(struct snapshot_parts *s, long fd)
{
	struct scan scan = { .size = sizeof(scan),
			     .end = ADDRESS_END,
			     .regions = (uint64_t)(uintptr_t)s->region,
			     .regions_max = sizeof(s->region) / sizeof(*s->region),
			     .pages_max = s->at_once,
			     .any_of = (uint64_t)(XT_PAGES_PRESENT | XT_PAGES_SWAPPED)
				       << SCAN_KINDS_SHIFT,
			     .returned = SCAN_KINDS };
	long got, i;

	while (scan.start < scan.end) {
		got = sys_call3(SYS_ioctl, fd, SCAN_IOCTL, &scan);
		if (got < 0)
			return got;
		for (i = 0; i < got; i++)
			if (add_pages(s, s->region[i].start, s->region[i].end,
				      (uint32_t)(s->region[i].kinds >> SCAN_KINDS_SHIFT)))
				return -ENOSPC;
		if (scan.walk_end <= scan.start)
			break;
		scan.start = scan.walk_end;
	}
	return flush_pages(s) < 0 ? -ENOSPC : 0;
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
static long read_pages(struct snapshot_parts *s, long fd, uint64_t start, uint64_t end)
{
	while (start < end) {
		const uint64_t left = (end - start) / PAGE * sizeof(*s->entry);
		const long got = sys_call4(SYS_pread64, fd, s->entry,
					   left < sizeof(s->entry) ? left : sizeof(s->entry),
					   start / PAGE * sizeof(*s->entry));
		long i;

		if (got < (long)sizeof(*s->entry))
			return got < 0 ? got : 0;
		for (i = 0; i < got / (long)sizeof(*s->entry); i++, start += PAGE) {
			const uint64_t entry = s->entry[i];
			uint32_t kinds = 0;

			if (entry >> 63)
				kinds = XT_PAGES_PRESENT;
			else if (entry >> 62 & 1)
				kinds = XT_PAGES_SWAPPED;
			else
				continue;
			if (entry >> 61 & 1)
				kinds |= XT_PAGES_FILE;
			if (add_pages(s, start, start + PAGE, kinds))
				return -ENOSPC;
		}
	}
	return 0;
}

/* One line of maps at `at`. pages: how many may still be read, all in all. */
static long read_line(struct snapshot_parts *s, long fd, const char *at, uint64_t *pages)
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
	return read_pages(s, fd, start, end);
}

/* The next field of the line, behind blanks. */
static const char *next_field(const char *at)
{
	while (*at != ' ' && *at != '\n')
		at++;
	while (*at == ' ')
		at++;
	return at;
}

/* "start-end rights offset device inode path" */
static int is_shared_inode(const char *line, uint64_t inode)
{
	const char *at = next_field(line);
	const int is_shared = at[0] == 'r' && at[1] == 'w' && at[2] == '-' && at[3] == 's';
	uint64_t number = 0;

	if (!is_shared)
		return 0;
	for (at = next_field(next_field(next_field(at))); *at >= '0' && *at <= '9'; at++)
		number = number * 10 + (uint64_t)(*at - '0');
	return number == inode;
}

/* The list of mappings into the trace; with a pagemap to read, each one's pages, too. */
static long read_maps(struct snapshot_parts *s, long fd, long pagemap)
{
	uint64_t pages = PAGEMAP_PAGES_MAX;
	uint32_t filled = 0, line, i;
	long got, result = 0;

	if (fd < 0)
		return fd;
	while ((got = sys_call3(SYS_read, fd, s->text + filled, sizeof(s->text) - filled)) > 0) {
		filled += (uint32_t)got;
		for (line = i = 0; i < filled; i++) {
			if (s->text[i] != '\n')
				continue;
			if (pagemap >= 0 && result == 0)
				result = read_line(s, pagemap, s->text + line, &pages);
			s->has_inode |= s->inode && is_shared_inode(s->text + line, s->inode);
			line = i + 1;
		}
		if (!line) /* longer than any can be */
			line = filled;
		if (add_part(s, XT_RECORD_SNAPSHOT_MAPS, &s->head.maps, s->text, line) < 0) {
			result = -ENOSPC;
			break;
		}
		memmove(s->text, s->text + line, filled - line);
		filled -= line;
	}
	if (pagemap >= 0 && flush_pages(s) < 0)
		result = -ENOSPC;
	return got < 0 ? got : result;
}

long snapshot_parts_read(struct snapshot_parts *s, long pagemap, long maps)
{
	long result, other;

	s->count = 0;
	s->has_inode = 0;
	if (pagemap < 0) {
		read_maps(s, maps, -1);
		return pagemap;
	}
	s->head.how = XT_SNAPSHOT_SCAN;
	result = scan_pages(s, pagemap);
	if (result < 0 && result != -ENOSPC && !s->head.pages) {
		s->count = 0;
		s->head.how = XT_SNAPSHOT_PAGEMAP;
		return read_maps(s, maps, pagemap);
	}
	other = read_maps(s, maps, -1);
	return other < 0 ? other : result;
}
