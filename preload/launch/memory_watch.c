/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/memory_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "preload/launch/budget.h"
#include "preload/launch/live_trace.h"
#include "preload/launch/procfs.h"
#include "preload/store/file.h"
#include "preload/store/slot.h"
#include "preload/store/snapshot_parts.h"
#include "preload/sys/proc.h"

#define PLACES_MAX 512u
#define LOOK_NS_LEAST 1000000  /* between two looks at statm, */
#define LOOK_NS_MOST 16000000  /* where nothing changes */
#define LOOKS_SHARE 9          /* per mille of a core, with the wake-ups for them, */
#define LOOKS_FIRST_NS 2000000 /* and at the beginning, besides */
#define SNAPSHOTS_SHARE 10
#define SNAPSHOTS_FIRST_NS 10000000
#define CALM_LOOKS 8      /* then it looks half as often */
#define HIGH_PART 200u    /* a new high has so much more than the best snapshot, */
#define HIGH_BYTES 65536u /* and that */
#define LEVEL_WORTH 20
#define GROWING_WORTH 4
#define GROWING_PART 4  /* of what is left of the budget one may take while it grows */
#define GUESS_NS 150000 /* what one takes, and for each resident page, before any was taken */
#define GUESS_PAGE_NS 50
#define AT_ONCE 8192u /* pages: some tenths of a millisecond */
#define COMMIT_TRIES 20u

static struct {
	bool is_on;
	int pagemap, maps, statm; /* the first two of this image alone */
	uint64_t inode;           /* of the trace */
	struct timespec begin;
	struct budget looks, snapshots;
	int64_t due_ns, interval_ns, look_ns;
	int64_t latest, best; /* bytes: by the latest look, of the best snapshot */
	unsigned calm;        /* looks that found the same */
	uint64_t chunks;      /* committed at the latest look */
	int64_t page_ns;      /* what a page of the latest snapshot took */
	uint32_t number, seq;
	struct snapshot_parts parts;
	struct slots_place before[PLACES_MAX], after[PLACES_MAX];
	uint8_t chunk[XT_SLOT_BYTES]; /* records that are not committed yet */
	uint32_t used;
} watch;

static int64_t elapsed(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)(now.tv_sec - watch.begin.tv_sec) * 1000000000 + now.tv_nsec -
	       watch.begin.tv_nsec;
}

static int open_of(uint32_t pid, const char *name)
{
	char path[PROCFS_PATH_BYTES];

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* The process of that number is that process, as far as /proc tells; the trace among its mappings
 * tells the rest. */
static bool is_process(uint32_t pid, uint64_t start_time)
{
	struct proc_stat stat;

	return proc_stat(pid, &stat) == 0 && stat.start_time == start_time;
}

void memory_watch_begin(int fd, uint32_t pid, uint64_t start_time)
{
	struct stat st;

	if (!file_shared->is_watched || fstat(fd, &st) < 0)
		return;
	watch.pagemap = open_of(pid, "pagemap");
	watch.maps = open_of(pid, "maps");
	watch.statm = open_of(pid, "statm");
	/* the lock goes with the image: these are of the one that holds it */
	if (watch.pagemap < 0 || watch.maps < 0 || watch.statm < 0 ||
	    !is_process(pid, start_time) || flock(fd, LOCK_EX | LOCK_NB) == 0)
		return;
	watch.inode = st.st_ino;
	clock_gettime(CLOCK_MONOTONIC, &watch.begin);
	watch.looks = (struct budget){ LOOKS_SHARE, LOOKS_FIRST_NS, 0, budget_cpu() };
	watch.snapshots = (struct budget){ SNAPSHOTS_SHARE, SNAPSHOTS_FIRST_NS, 0, 0 };
	watch.interval_ns = LOOK_NS_LEAST;
	watch.page_ns = GUESS_PAGE_NS;
	watch.is_on = true;
}

/* --- the records */

static int commit_chunk(void)
{
	struct xt_slot head = { .kind = XT_KIND_RECORDS,
				.stream = XT_STREAM_OUTSIDE,
				.seq = watch.seq,
				.used = watch.used };
	const struct slot slot = { .head = &head, .data = watch.chunk };
	const int result = watch.used ? live_trace_commit(&slot, COMMIT_TRIES) : 0;

	watch.seq += watch.used && result == 0;
	watch.used = 0;
	return result;
}

static int add_record(void *none, enum xt_record_type type, const struct records_piece *piece,
		      unsigned pieces)
{
	struct xt_record head = { sizeof(head), (uint16_t)type, 1 };
	uint8_t *at;

	(void)none;
	for (unsigned i = 0; i < pieces; i++)
		head.size += (uint32_t)piece[i].size;
	head.size = (head.size + XT_RECORD_ALIGN - 1) & ~(XT_RECORD_ALIGN - 1);
	if (head.size > sizeof(watch.chunk) - watch.used && commit_chunk() < 0)
		return -1;
	at = watch.chunk + watch.used;
	memset(at, 0, head.size);
	memcpy(at, &head, sizeof(head));
	at += sizeof(head);
	for (unsigned i = 0; i < pieces; i++) {
		memcpy(at, piece[i].bytes, piece[i].size);
		at += piece[i].size;
	}
	watch.used += head.size;
	return 0;
}

/* --- a snapshot */

static uint64_t stamp_now(void)
{
	unsigned processor;

	return __builtin_ia32_rdtscp(&processor) >> file_header->stamp_shift;
}

static uint64_t events_before(const struct slots_place *place, uint32_t count, uint32_t stream)
{
	for (uint32_t i = 0; i < count; i++)
		if (place[i].stream == stream)
			return place[i].events;
	return 0;
}

/*
 * The stream by whose events the moment is told: where there are several threads, all of whose
 * events have stamps, any; of one thread that which it writes to, for in it there are events
 * without a stamp. NULL: none has a slot just now; stamps alone tell then.
 */
static const struct slots_place *find_busiest(uint32_t before, uint32_t after)
{
	const struct slots_place *best = NULL;
	uint64_t most = 0;

	for (uint32_t i = 0; i < before; i++) {
		const struct slots_place *one = &watch.before[i];
		const uint64_t now = events_before(watch.after, after, one->stream);
		const uint64_t more = now > one->events ? now - one->events : 0;

		if (!best || more > most || (more == most && one->events > best->events)) {
			best = one;
			most = more;
		}
	}
	return best;
}

static int64_t lesser(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Its pages and mappings, and what came meanwhile. false: it is none. */
static bool read_memory(struct xt_snapshot_outside *outside)
{
	struct xt_snapshot *head = &watch.parts.head;
	const struct slots_place *busiest;
	uint64_t in_slots, events = file_shared->events;
	uint32_t before, after;
	int64_t bytes;
	long result;

	before = slots_places(watch.before, PLACES_MAX, &in_slots);
	events += in_slots;
	head->stamp = stamp_now();
	lseek(watch.maps, 0, SEEK_SET);
	result = snapshot_parts_read(&watch.parts, watch.pagemap, watch.maps);
	bytes = procfs_resident(watch.statm, NULL);
	/* it went on as another program, or is none of this number */
	if (result < 0 || !watch.parts.has_inode || bytes <= 0) {
		watch.is_on = result == -ENOSPC;
		return false;
	}
	outside->end_stamp = stamp_now();
	after = slots_places(watch.after, PLACES_MAX, &in_slots);
	in_slots += file_shared->events;
	outside->events = in_slots > events ? in_slots - events : 0;
	outside->after_bytes = (uint64_t)bytes;
	busiest = find_busiest(before, after);
	head->stream = busiest ? busiest->stream : XT_STREAM_OUTSIDE;
	head->events = busiest ? busiest->events : 0;
	head->resident_bytes = (uint64_t)lesser((int64_t)outside->before_bytes, bytes);
	return true;
}

static void take(int64_t bytes)
{
	struct snapshot_parts *parts = &watch.parts;
	struct xt_snapshot *head = &parts->head;
	struct xt_snapshot_outside outside = { .number = XT_SNAPSHOT_OUTSIDE + watch.number++,
					       .before_bytes = (uint64_t)bytes };
	const struct records_piece piece[] = { { &outside, sizeof(outside) },
					       { head, sizeof(*head) } };

	if (file_header->clock != XT_CLOCK_TSC || file_header->stop_reason) {
		watch.is_on = false;
		return;
	}
	budget_begin(&watch.snapshots);
	*head = (struct xt_snapshot){ .number = outside.number, .why = XT_SNAPSHOT_HIGH };
	parts->add = add_record;
	parts->at_once = AT_ONCE;
	parts->inode = watch.inode;
	if (!read_memory(&outside)) {
		watch.used = 0;
		budget_end(&watch.snapshots);
		return;
	}
	head->ns = (uint64_t)(budget_cpu() - watch.snapshots.began);
	if (add_record(NULL, XT_RECORD_SNAPSHOT_OUTSIDE, &piece[0], 1) == 0 &&
	    add_record(NULL, XT_RECORD_SNAPSHOT, &piece[1], 1) == 0 && commit_chunk() == 0)
		watch.best = (int64_t)head->resident_bytes;
	watch.page_ns = budget_end(&watch.snapshots) / (bytes / XT_PAGE_BYTES + 1);
}

/*
 * Is it worth one? All of the budget that is left may go into one with a twentieth more than the
 * best, where it stays so or begins to fall. Where it grows a better one may come soon.
 */
static bool is_worth(int64_t bytes, bool is_level, int64_t now)
{
	const int64_t best = watch.best, more = bytes - best;
	const int64_t cost = GUESS_NS + bytes / XT_PAGE_BYTES * watch.page_ns;
	double part =
		best ? (is_level ? LEVEL_WORTH : GROWING_WORTH) * (double)more / (double)best : 1;

	if (more < best / HIGH_PART + HIGH_BYTES)
		return false;
	if (part > 1)
		part = 1;
	if (!is_level)
		part /= GROWING_PART;
	return budget_allows(&watch.snapshots, now, (int64_t)((double)cost / part));
}

/* What a look takes, its wake-up too, where we did nothing else since the latest. */
static void learn_cost(void)
{
	const int64_t cpu = budget_cpu(), took = cpu - watch.looks.began;
	const uint64_t chunks = file_shared->chunks;

	if (chunks == watch.chunks) {
		watch.look_ns += (took - watch.look_ns) / 8;
		watch.looks.spent += took;
	} else {
		watch.looks.spent += watch.look_ns;
	}
	watch.chunks = chunks;
	watch.looks.began = cpu;
}

static int64_t next_interval(int64_t now)
{
	int64_t least = LOOK_NS_LEAST;

	if (!budget_allows(&watch.looks, now, watch.look_ns))
		least = watch.look_ns / LOOKS_SHARE * 1000;
	if (least < LOOK_NS_LEAST)
		least = LOOK_NS_LEAST;
	if (watch.calm >= CALM_LOOKS && least < LOOK_NS_MOST) {
		watch.calm = 0;
		watch.interval_ns = lesser(2 * watch.interval_ns, LOOK_NS_MOST);
	} else if (!watch.calm) {
		watch.interval_ns = least;
	}
	return watch.interval_ns > least ? watch.interval_ns : least;
}

int64_t memory_watch_look(void)
{
	int64_t now = watch.is_on ? elapsed() : 0, bytes;

	if (!watch.is_on)
		return MEMORY_WATCH_NEVER;
	if (now < watch.due_ns)
		return watch.due_ns - now;
	bytes = procfs_resident(watch.statm, NULL);
	if (bytes <= 0) {
		watch.is_on = false;
		return MEMORY_WATCH_NEVER;
	}
	watch.calm = bytes == watch.latest ? watch.calm + 1 : 0;
	learn_cost();
	if (is_worth(bytes, bytes <= watch.latest, now)) {
		take(bytes);
		watch.looks.began = budget_cpu();
		watch.chunks = file_shared->chunks;
	}
	watch.latest = bytes;
	now = elapsed();
	watch.due_ns = now + next_interval(now);
	return watch.due_ns - now;
}
