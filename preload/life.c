/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/life.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <time.h>

#include "preload/clock.h"
#include "preload/config.h"
#include "preload/early.h"
#include "preload/environment.h"
#include "preload/guard.h"
#include "preload/heap_said.h"
#include "preload/jit_names.h"
#include "preload/modules.h"
#include "preload/naming.h"
#include "preload/real.h"
#include "preload/residency.h"
#include "preload/rights.h"
#include "preload/seal.h"
#include "preload/store/commit.h"
#include "preload/store/compress.h"
#include "preload/store/file.h"
#include "preload/store/helper.h"
#include "preload/store/ids.h"
#include "preload/store/records.h"
#include "preload/store/slot.h"
#include "preload/stream.h"
#include "preload/surroundings.h"
#include "preload/sys/reason.h"
#include "preload/sys/say.h"
#include "preload/sys/signals.h"
#include "preload/sys/stack.h"
#include "preload/sys/syscall.h"
#include "preload/sys/sysmem.h"
#include "preload/sys/text.h"
#include "preload/sys/valgrind.h"
#include "preload/thread_names.h"
#include "preload/tls.h"
#include "preload/trace/sealed.h"
#include "preload/trace_place.h"
#include "preload/unwind/by_libunwind.h"
#include "preload/visible.h"

#define TOTALS_TRIES 1000             /* of a yield, then as many of a millisecond */
#define THREADS_ROOM_BYTES (1u << 20) /* a window, and what stands before it */
#define END_TRIES 5000                /* of a millisecond */
#define PAIR_EVERY (1u << 22)         /* stamps: some 20 ms */

volatile uint32_t *life_word;
uint64_t life_next_pair;

static struct {
	int32_t pid;              /* 0: no trace was begun yet */
	_Atomic int32_t finished; /* the thread that ends it */
	int quick_status;
	int moves_heap;
	int is_paused; /* a fork child begins as its parent was */
	_Atomic int clock_busy;
	struct naming_process process;
	char directory[4096], exe[4096], name[256]; /* name: the program as started, %e */
	char *arguments;                            /* each ended by NUL */
	size_t arguments_bytes;
	uint64_t heap_start; /* where the heap (brk) ended when the first trace began */
} life;

/* A larger heap is not asked for its free chunks at the end: the allocator would walk millions. */
#define HEAP_ASKED_MAX (64ull << 20)

int32_t life_pid(void)
{
	return life.pid;
}

int life_is_vforked(void)
{
	if (!sys_is_denied(SYS_getpid))
		return sys_call0(SYS_getpid) != life.pid;
	/* a filter forbids to ask: the child is a task that our thread-local storage is not of */
	return tls.stream && tls.stream->tid && !sys_is_denied(SYS_gettid) &&
	       sys_call0(SYS_gettid) != tls.stream->tid;
}

void life_refresh_clock(void)
{
	struct xt_header *h = file_header;
	uint64_t mask;
	uint32_t next;

	if (!h)
		return;
	if (!clock_can_tell()) {
		life_next_pair = UINT64_MAX;
		return;
	}
	mask = signals_block(); /* a handler that left by siglongjmp would keep it busy for ever */
	if (atomic_exchange_explicit(&life.clock_busy, 1, memory_order_acquire)) {
		signals_restore(mask);
		return;
	}
	next = h->last_pair_index == 1 ? 2 : 1;
	h->last_pair[next - 1] = clock_pair();
	life_next_pair = h->last_pair[next - 1].stamp + PAIR_EVERY;
	__atomic_store_n(&h->last_pair_index, next, __ATOMIC_RELEASE);
	atomic_store_explicit(&life.clock_busy, 0, memory_order_release);
	signals_restore(mask);
}

void life_stop(void)
{
	file_say_stop();
	if (life_is_recording())
		*life_word = LIFE_STOPPED;
}

int life_pause(int begins)
{
	uint32_t from = begins ? LIFE_RECORDING : LIFE_PAUSED;

	life.is_paused = begins;
	return life_word && __atomic_compare_exchange_n((uint32_t *)(uintptr_t)life_word, &from,
							begins ? LIFE_PAUSED : LIFE_RECORDING, 0,
							__ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static void record_setting(const char *text)
{
	records_text(XT_RECORD_SETTING, text, text_length(text));
}

static void record_range(uintptr_t start, uintptr_t end)
{
	records_range(start, end, 2);
}

/* argv as the process began: programs write over it. */
static void keep_arguments(void)
{
	char *const *argv = environment_argv();
	struct text t;
	int i;

	life.arguments = sysmem_new(RECORDS_BYTES_MAX);
	for (i = 0; life.arguments && argv[i]; i++) {
		if (life.arguments_bytes + 1 >= RECORDS_BYTES_MAX)
			break;
		t = text_init(life.arguments + life.arguments_bytes,
			      RECORDS_BYTES_MAX - life.arguments_bytes);
		text_add(&t, argv[i]);
		life.arguments_bytes += t.size + 1;
	}
}

static void keep_name(void)
{
	const char *execfn = (const char *)getauxval(AT_EXECFN), *slash;
	struct text t = text_init(life.name, sizeof(life.name));

	slash = execfn ? text_last(execfn, '/') : NULL;
	text_add(&t, slash ? slash + 1 : execfn ? execfn : "unknown");
}

static void fill_header(struct xt_header *h, int forked)
{
	memcpy(h->magic, XT_MAGIC, sizeof(h->magic));
	h->version = XT_VERSION;
	h->oldest_reader = XT_OLDEST_READER;
	h->header_bytes = sizeof(*h);
	h->pid = life.process.pid;
	h->ppid = life.process.parent;
	h->start_time = life.process.start_time;
	h->session_start_time = life.process.session_start_time;
	h->session_pid = life.process.session_pid;
	h->session_image = life.process.session_image;
	memcpy(h->boot_id, life.process.boot_id, sizeof(h->boot_id));
	h->image = life.process.image;
	h->forked = (uint32_t)forked;
	h->clock = clock_is_tsc ? XT_CLOCK_TSC : XT_CLOCK_COUNTER;
	h->stamp_shift = (uint32_t)clock_shift();
	h->realtime_ns = clock_realtime_ns();
	h->first_pair = clock_pair();
	h->state = XT_STATE_RECORDING;
	h->depth = config.depth;
}

/* The file under its final name, recording ready; or a line that says why not. */
static int create(int forked)
{
	struct trace_place place;
	int result;

	if (naming_expand(place.path, sizeof(place.path), config.out, life.directory, life.name,
			  life.process.pid) < 0) {
		say("XALLOC_OUT is too long: not recording", NULL);
		return -1;
	}
	result = trace_place_open(&place, &life.process, config.max_size);
	if (result == 0) {
		compress_init(config.level);
		file_shared->level = (uint32_t)config.level;
		file_shared->is_watched = config.residency == CONFIG_RESIDENCY_AUTO;
		slots_init();
		records_init();
		ids_init();
		fill_header(file_header, forked);
		modules_init(life.exe);
		jit_names_init();
		residency_begin();
		unwind_init(config.depth, environment_stack_top());
		streams_init(life.process.pid);
		records_text(XT_RECORD_EXE, life.exe, text_length(life.exe));
		records_text(XT_RECORD_CWD, life.directory, text_length(life.directory));
		records_text(XT_RECORD_ARGV, life.arguments, life.arguments_bytes);
		config_each(record_setting);
		surroundings_record();
		visible_begin();
		file_header->usable_rule = real.is_glibc ? XT_USABLE_GLIBC : XT_USABLE_UNKNOWN;
		sysmem_each(record_range);
		file_header->check = xt_header_check(file_header);
		life_refresh_clock(); /* two pairs from the start on: a rate, however soon the end
				       */
		result = trace_place_take(&place, &life.process);
	}
	if (result < 0) {
		trace_place_refused(&place, result);
		return -1;
	}
	if (config.verbose)
		say("recording to ", place.path, NULL);
	return 0;
}

/* Without /proc: the path as it was given to execve. */
static void exe_as_started(void)
{
	const char *execfn = (const char *)getauxval(AT_EXECFN);
	struct text t = text_init(life.exe, sizeof(life.exe));

	if (execfn && *execfn != '/') {
		text_add(&t, life.directory);
		text_add(&t, "/");
	}
	text_add(&t, execfn ? execfn : "unknown");
}

static void first_time(void)
{
	long size;

	say_init();
	config_read(environment_env());
	trace_place_init(environment_env());
	life.is_paused = !config.start;
	clock_choose();
	surroundings_read(environment_env());
	size = sys_call2(SYS_getcwd, life.directory, sizeof(life.directory));
	if (size <= 0)
		memcpy(life.directory, ".", 2);
	else if (life.directory[0] == '/' && life.directory[1] == 0)
		life.directory[0] = 0;
	size = sys_call3(SYS_readlink, "/proc/self/exe", life.exe, sizeof(life.exe) - 1);
	if (size <= 0)
		exe_as_started();
	keep_name();
	keep_arguments();
	naming_process_get(&life.process, (uint32_t)sys_call0(SYS_getpid), config.session);
}

/* The page that a fork empties: the word that hooks look at, whether somebody is at it, and in a
 * fork child its number. */
enum { WORD_LIFE, WORD_BEGUN, WORD_PID, WORDS };

static void watch_memory(uintptr_t start, uintptr_t end)
{
	records_range(start, end, 2);
}

/* A fork child: every mapping of the trace stayed with the parent, and what is copied of its state
 * is void. Its number is pid: a vfork child of it may be the first to have an event. */
static void forget_parent(uint32_t pid)
{
	char text[160];

	if (tls.is_out)
		guard_calls_out(0);
	/* A handler forked, and the hook that it interrupted will go on in the child: with a stream
	 * that it has taken, or is about to take, so the thread keeps its streams. */
	if (streams_are_taken())
		file_lay_private_pages();
	by_libunwind_forked();
	file_forget(0);
	naming_session_text(&life.process, text, sizeof(text));
	naming_process_get(&life.process, pid ? pid : (uint32_t)sys_call0(SYS_getpid),
			   text + sizeof("XALLOC_SESSION=") - 1);
}

static volatile uint32_t never[WORDS] = { LIFE_OFF };

/* It runs with rights that its caller has not, and whose environment is the caller's. */
static int is_setuid(void)
{
	return getauxval(AT_SECURE) != 0;
}

static void begin(void *arg, int is_private)
{
	int *recording = arg, forked = life.pid != 0, off;
	volatile uint32_t *page = life_word;

	(void)is_private;
	if (forked) {
		forget_parent(page[WORD_PID]);
	} else {
		first_time();
		life.heap_start = (uint64_t)sys_call1(SYS_brk, 0);
		page = sysmem_new(4096);
		if (page)
			sys_call3(SYS_madvise, page, 4096, MADV_WIPEONFORK);
	}
	life.pid = (int32_t)life.process.pid;
	life.finished = 0;
	life.clock_busy = 0;
	off = !page || !rights_may_begin() || (!config.follow && !life.process.is_root);
	*recording = !off && create(forked) == 0;
	if (forked)
		streams_adopt();
	if (*recording) {
		sysmem_watch = watch_memory;
		page[WORD_BEGUN] = 1;
		*recording = !sys_is_valgrind(); /* visible.c says so in the trace */
		page[WORD_LIFE] = !*recording      ? LIFE_STOPPED
				  : life.is_paused ? LIFE_PAUSED
						   : LIFE_RECORDING;
	} else { /* no page that a fork empties: the children are not recorded either, and say
		    nothing again */
		page = never;
	}
	life_word = page;
}

int life_begin(void)
{
	static uint32_t booting;
	uint32_t *begun = life_word ? (uint32_t *)(uintptr_t)&life_word[WORD_BEGUN] : &booting,
		 no = 0;
	int recording = 0;

	if (!real.ready)
		real_resolve();
	if (is_setuid())
		life_word = never;
	if (life_word && *life_word != LIFE_BOOT)
		return life_is_recording();
	if (!__atomic_compare_exchange_n(begun, &no, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return 0;
	stack_forget_users();
	stack_run(begin, &recording);
	if (recording)
		rights_begun();
	return recording;
}

int life_fork_begins(const uint64_t *fp)
{
	struct unwind_state unwind;

	if (!life_is_recording())
		return 0;
	unwind_state_init(&unwind, NULL);
	return streams_are_taken() || unwind_is_in_handler(&unwind, fp);
}

void life_forked(int in_handler)
{
	if (life_word && *life_word == LIFE_BOOT)
		life_word[WORD_PID] = (uint32_t)sys_call0(SYS_getpid);
	/* With an event in the child already, that has begun a trace of its own. */
	if (in_handler && *life_word == LIFE_BOOT)
		file_lay_private_pages();
}

void life_exec(int begins)
{
	struct xt_header *h = file_header;

	/* A vfork child is about to be another process; this one goes on. */
	if (!h || !life_is_recording() || life_is_vforked())
		return;
	__atomic_store_n(&h->exit_kind, begins ? XT_EXIT_EXEC : XT_EXIT_NONE, __ATOMIC_RELEASE);
}

int life_leaves_alone(int spawns)
{
	return life.pid && !config.follow &&
	       (spawns || !life.process.is_root || sys_call0(SYS_getpid) != life.pid);
}

static const struct timespec millisecond = { 0, 1000000 };

struct finish_job {
	int status;
	uint32_t heap; /* enum xt_heap_state: may the allocator be asked? */
};

void life_moves_heap(void)
{
	life.moves_heap = 1;
}

static uint32_t heap_state(const uint64_t *fp)
{
	if (!real.is_glibc)
		return heap_said_state(fp);
	if (!__libc_single_threaded)
		return XT_HEAP_THREADS;
	if (life.moves_heap)
		return XT_HEAP_SBRK;
	if (early_was_used())
		return XT_HEAP_UNSEEN;
	if (unwind_is_in_handler(&tls.stream->unwind, fp))
		return XT_HEAP_HANDLER;
	return (uint64_t)sys_call1(SYS_brk, 0) - life.heap_start > HEAP_ASKED_MAX
		       ? XT_HEAP_LARGE
		       : XT_HEAP_MEASURED;
}

static int has_other_threads(void)
{
	return !__libc_single_threaded && heap_said_other_threads() != 0;
}

/* The file's lock may be another thread's: a clean end without totals reads as a cut file. */
static void write_totals(void)
{
	int tries;

	for (tries = 0; commit_totals(ids_bound()) == -EAGAIN && tries < 2 * TOTALS_TRIES; tries++)
		if (tries < TOTALS_TRIES)
			sys_call0(SYS_sched_yield);
		else
			sys_call2(SYS_nanosleep, &millisecond, 0);
}

/* All that is in memory goes into the file. */
static void drain(const struct finish_job *job, int is_private)
{
	visible_check();
	if (!has_other_threads())
		visible_check_all();
	jit_names_write((uint32_t)life.pid);
	thread_names_finish();
	if (is_private && tls.stream)
		residency_end(stream_latest());
	if (tls.stream) /* behind the snapshot: an allocator may need memory to answer */
		heap_said_write(job->heap == XT_HEAP_MEASURED && visible_missed_calls()
					? XT_HEAP_UNSEEN
					: job->heap,
				is_private);
	helper_finish();
	streams_finish(is_private);
	records_close_slot();
	ids_close_block();
	slots_commit_left(is_private, SLOT_PROCESS);
	/* what memory the first compression took is a record, too, whose slot would keep the file
	 * from being cut */
	records_close_slot();
	slots_commit_left(is_private, SLOT_PROCESS);
	write_totals();
}

/* As whoever waits for the process is told. */
static uint32_t sure_status(int status)
{
	return (uint32_t)(status & 0xFF) * XT_SURE;
}

static void finish(void *arg, int is_private)
{
	struct xt_header *h = file_header;
	const struct finish_job *job = arg;
	const int is_sealed = seal_is_closed();

	__atomic_store_n(&h->state, XT_STATE_DRAINING, __ATOMIC_RELEASE);
	if (!is_sealed)
		drain(job, is_private);
	else if (!seal_drain())
		write_totals();
	life_refresh_clock();
	h->exit_status = sure_status(job->status);
	h->exit_kind = XT_EXIT_STATUS;
	__atomic_store_n(&h->state, XT_STATE_ENDED, __ATOMIC_RELEASE);
	if (is_sealed)
		return;
	file_trim(slots_give_up_late, has_other_threads() ? THREADS_ROOM_BYTES : 0);
	slots_punch_free();
}

/* Another thread is ending the trace, and we are about to end the process under it. */
static void await_end(void)
{
	int tries;

	for (tries = 0; file_header->state != XT_STATE_ENDED && tries < END_TRIES; tries++)
		sys_call2(SYS_nanosleep, &millisecond, 0);
}

void life_finish(int status)
{
	const uint64_t *fp = __builtin_frame_address(0);
	struct finish_job job = { status, 0 };
	struct stream *const s = tls.stream;
	const int32_t tid = (int32_t)sys_call0(SYS_gettid);
	int32_t finisher = 0;
	int is_taken;

	/* A vfork child that ends has its parent's memory, and not its end. */
	if (!life_word || *life_word == LIFE_BOOT || *life_word == LIFE_OFF || life_is_vforked())
		return;
	if (!atomic_compare_exchange_strong(&life.finished, &finisher, tid) && finisher != tid)
		await_end();
	/* a handler of that end, or another thread, ends it otherwise */
	if ((finisher && finisher != tid) || file_header->state == XT_STATE_ENDED) {
		file_header->exit_status = sure_status(status);
		return;
	}
	guard_count_left(fp);
	if (s)
		job.heap = heap_state(fp);
	/* A handler that comes now finds our stream in use. */
	is_taken = s && stream_take(s, fp);
	stack_run(finish, &job);
	if (is_taken)
		stream_leave_unwritten(s);
}

static void at_exit(int status, void *arg)
{
	(void)arg;
	life_finish(status & 0xFF);
}

void life_quick_exit(int status)
{
	life.quick_status = status & 0xFF;
}

/* What libc's at_quick_exit calls. */
int __cxa_at_quick_exit(void (*fn)(void *), void *dso);

static void at_quick_exit_end(void *arg)
{
	(void)arg;
	life_finish(life.quick_status);
}

/* After libc's own constructor: `environ` is set. */
static __attribute__((constructor)) void start(void)
{
	char session[160];

	if (is_setuid()) {
		life_begin();
		return;
	}
	if (life_begin() && config.unwind_by_libunwind)
		by_libunwind_open(real_find, guard_calls_out);
	if (life.process.is_root)
		naming_session_text(&life.process, session, sizeof(session));
	environment_amend(life.process.is_root ? session : NULL, life.directory);
	on_exit(at_exit, NULL);
	__cxa_at_quick_exit(at_quick_exit_end,
			    NULL); /* the first to be registered is the last to run */
}
