/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/heap_said.h"

#include <malloc.h>
#include <stddef.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>

#include "preload/early.h"
#include "preload/guard.h"
#include "preload/life.h"
#include "preload/real.h"
#include "preload/store/file.h"
#include "preload/store/records.h"
#include "preload/stream.h"
#include "preload/sys/syscall.h"
#include "preload/tls.h"

#define CALLS_MOST 4u

/* How an allocator is asked: 0, or it gave no answer. */
struct teller {
	const char *name; /* of the function, which tells the kind, too */
	enum xt_allocator_kind kind;
	int takes_locks;
	int (*ask)(void *function, struct xt_allocator *said);
	uint16_t call[CALLS_MOST]; /* of the kernel that it may make for its answer; 0: no more */
};

/* Figures are as of the last "epoch" that was set: the caches of threads count as allocated. */
static int ask_jemalloc(void *function, struct xt_allocator *said)
{
	int (*const mallctl)(const char *name, void *old, size_t *old_bytes, void *new,
			     size_t bytes) =
		(int (*)(const char *, void *, size_t *, void *, size_t))(uintptr_t)function;
	const struct {
		const char *name;
		uint64_t *to;
	} figure[] = { { "stats.allocated", &said->in_use_bytes },
		       { "stats.active", &said->active_bytes },
		       { "stats.resident", &said->resident_bytes },
		       { "stats.retained", &said->retained_bytes } };
	uint64_t epoch = 1;
	size_t value, bytes;
	unsigned i;

	if (mallctl("epoch", NULL, NULL, &epoch, sizeof(epoch)))
		return -1;
	for (i = 0; i < sizeof(figure) / sizeof(*figure); i++) {
		bytes = sizeof(value);
		/* one of before 4.4 retains nothing */
		if (mallctl(figure[i].name, &value, &bytes, NULL, 0) == 0)
			*figure[i].to = value;
	}
	return said->in_use_bytes == XT_ALLOCATOR_UNTOLD ? -1 : 0;
}

static int ask_tcmalloc(void *function, struct xt_allocator *said)
{
	int (*const get)(const char *name, size_t *value) =
		(int (*)(const char *, size_t *))(uintptr_t)function;
	const struct {
		const char *name;
		uint64_t *to;
	} figure[] = { { "generic.current_allocated_bytes", &said->in_use_bytes },
		       { "generic.heap_size", &said->active_bytes },
		       { "tcmalloc.pageheap_unmapped_bytes", &said->retained_bytes },
		       { "tcmalloc.pageheap_free_bytes", &said->free_bytes } };
	size_t value;
	unsigned i;

	for (i = 0; i < sizeof(figure) / sizeof(*figure); i++)
		if (get(figure[i].name, &value))
			*figure[i].to = value;
	return said->in_use_bytes == XT_ALLOCATOR_UNTOLD ? -1 : 0;
}

/* It counts what it has committed, block by block nothing. */
static int ask_mimalloc(void *function, struct xt_allocator *said)
{
	void (*const info)(size_t * elapsed, size_t * user, size_t * system, size_t * rss,
			   size_t * peak_rss, size_t * commit, size_t * peak_commit,
			   size_t * faults) =
		(void (*)(size_t *, size_t *, size_t *, size_t *, size_t *, size_t *, size_t *,
			  size_t *))(uintptr_t)function;
	size_t other[7], commit = 0;

	info(&other[0], &other[1], &other[2], &other[3], &other[4], &commit, &other[5], &other[6]);
	said->active_bytes = commit;
	return 0;
}

static const struct teller tellers[] = {
	{ "mallctl",
	  XT_ALLOCATOR_JEMALLOC,
	  1,
	  ask_jemalloc,
	  { SYS_mmap, SYS_munmap, SYS_madvise, SYS_mprotect } },
	{ "MallocExtension_GetNumericProperty", XT_ALLOCATOR_TCMALLOC, 1, ask_tcmalloc, { 0 } },
	{ "mi_process_info",
	  XT_ALLOCATOR_MIMALLOC,
	  0,
	  ask_mimalloc,
	  { SYS_getrusage, SYS_clock_gettime } },
};

/* /proc/self/task has a directory for each thread, and two links more. */
long heap_said_other_threads(void)
{
	struct stat st;

	return sys_call2(SYS_stat, "/proc/self/task", &st) < 0 ? -1 : (long)st.st_nlink - 3;
}

uint32_t heap_said_state(const uint64_t *fp)
{
	/* __libc_single_threaded is never 1 again, nor in a fork child; some threads are not
	 * libc's */
	if (!__libc_single_threaded || heap_said_other_threads() > 0)
		return XT_HEAP_THREADS;
	/* what came while nothing was recorded is in no stream, also when it was left */
	if (!life_is_recording())
		return XT_HEAP_UNSEEN;
	if (unwind_is_in_handler(&tls.stream->unwind, fp))
		return XT_HEAP_HANDLER;
	return streams_are_taken() || streams_were_left() ? XT_HEAP_LEFT : XT_HEAP_MEASURED;
}

static int is_denied(const struct teller *t)
{
	unsigned i;

	for (i = 0; i < CALLS_MOST && t->call[i]; i++)
		if (sys_is_denied(t->call[i]))
			return 1;
	return 0;
}

static uint32_t ask(const struct teller *t, void *function, struct xt_allocator *said)
{
	struct xt_allocator told = *said;
	int failed;

	told.in_use_bytes = told.active_bytes = told.resident_bytes = told.retained_bytes =
		told.free_bytes = XT_ALLOCATOR_UNTOLD;
	/* what it maps for its answer is not the program's */
	guard_calls_out(1);
	failed = t->ask(function, &told);
	guard_calls_out(0);
	if (failed)
		return XT_HEAP_FAILED;
	told.stream = stream_latest()->number;
	told.events = stream_events(stream_latest());
	*said = told;
	return XT_HEAP_MEASURED;
}

static void write_other(uint32_t state, int is_private)
{
	struct xt_allocator said = { .state = state };
	const struct records_piece piece = { &said, sizeof(said) };
	const struct teller *t = tellers;
	void *function;
	long threads;

	while (!(function = real_find_beside_malloc(t->name)))
		if (++t == tellers + sizeof(tellers) / sizeof(*tellers))
			return;
	said.kind = t->kind;
	if (state == XT_HEAP_THREADS && !t->takes_locks)
		said.state = XT_HEAP_MEASURED;
	if (said.state == XT_HEAP_MEASURED && file_header->forked)
		said.state = XT_HEAP_UNSEEN; /* its parent's blocks */
	if (said.state == XT_HEAP_MEASURED)
		said.state = is_denied(t)  ? XT_HEAP_DENIED
			     : !is_private ? XT_HEAP_FAILED
					   : ask(t, function, &said);
	if (said.state == XT_HEAP_THREADS && (threads = heap_said_other_threads()) > 0)
		said.threads = (uint32_t)threads;
	records_add(XT_RECORD_ALLOCATOR, &piece, 1);
}

/* glibc's lock nobody else holds when there was never a second thread, and we do not when no
 * handler interrupted the allocator. */
static void write_glibc(uint32_t state)
{
	struct mallinfo2 (*function)(void) = (struct mallinfo2(*)(void))real_find("mallinfo2");
	struct xt_heap heap = { .state = function ? state : XT_HEAP_ALLOCATOR };
	const struct records_piece piece = { &heap, sizeof(heap) };
	struct mallinfo2 said;

	if (heap.state == XT_HEAP_MEASURED) {
		said = function();
		heap.stream = stream_latest()->number;
		heap.events = stream_events(stream_latest());
		heap.in_use_bytes = said.uordblks;
		heap.mapped_bytes = said.hblkhd;
		heap.heap_bytes = said.arena;
		heap.free_bytes = said.fordblks;
	}
	records_add(XT_RECORD_HEAP, &piece, 1);
}

void heap_said_write(uint32_t state, int is_private)
{
	write_glibc(real.is_glibc ? state : XT_HEAP_ALLOCATOR);
	if (!real.is_glibc)
		write_other(state, is_private);
}
