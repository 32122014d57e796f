/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/rights.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "preload/clock.h"
#include "preload/config.h"
#include "preload/life.h"
#include "preload/seal.h"
#include "preload/store/file.h"
#include "preload/store/slot.h"
#include "preload/stream.h"
#include "preload/sys/filter.h"
#include "preload/sys/signals.h"
#include "preload/sys/stack.h"
#include "preload/sys/syscall.h"

#define UNBLOCK_NAPS 1000 /* of 100 us */
#define BUSY_NAPS 10000   /* the same */
#define BUSY_TRIES 100
#define THREADS_AHEAD 4u

/* Without one of them slots cannot be compressed, or made. */
static const int needed[] = { SYS_rt_sigprocmask, SYS_madvise, SYS_mmap, SYS_mremap, SYS_munmap };

/* And a trace begins with these. */
static const int begins[] = { SYS_rt_sigprocmask, SYS_madvise, SYS_mmap,
			      SYS_munmap,         SYS_openat,  SYS_read,
			      SYS_close,          SYS_fstat,   SYS_stat,
			      SYS_lstat,          SYS_access,  SYS_readlink,
			      SYS_getcwd,         SYS_uname,   SYS_ftruncate,
			      SYS_flock,          SYS_linkat,  SYS_prlimit64,
			      SYS_getppid,        SYS_geteuid, SYS_sched_getaffinity };

static void extend(void *arg, int is_private)
{
	(void)arg;
	(void)is_private;
	if (!seal_is_closed()) /* else there is no use in it */
		file_extend(config.reserve);
}

/* A vfork child gives up rights of its own, and not those of the process that records. */
static int is_recording(void)
{
	return life_is_recording() && !life_is_vforked();
}

void rights_reserve_if_begun(void)
{
	if (is_recording())
		stack_run(extend, NULL);
}

static void keep_memory(void *arg, int is_private)
{
	(void)arg;
	(void)is_private;
	if (seal_is_closed())
		return;
	streams_keep_ahead(THREADS_AHEAD);
	slots_keep_free();
}

void rights_reserve_memory(void)
{
	if (is_recording())
		stack_run(keep_memory, NULL);
}

void rights_begun(void)
{
	static const int kinds[] = { RLIMIT_AS, RLIMIT_DATA };
	struct rlimit limit;
	unsigned i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (sys_call4(SYS_prlimit64, 0, kinds[i], 0, &limit) == 0 &&
		    limit.rlim_cur != RLIM_INFINITY) {
			rights_reserve_memory();
			return;
		}
}

void rights_reserve(void)
{
	if (life_word && *life_word == LIFE_BOOT)
		life_begin();
	rights_reserve_if_begun();
}

static int denies_any(const uint64_t *denied, const int *numbers, unsigned count)
{
	unsigned i;

	for (i = 0; i < count; i++)
		if (denied[numbers[i] / 64] >> (numbers[i] % 64) & 1)
			return 1;
	return 0;
}

#define DENIES_ANY(denied, numbers) \
	denies_any(denied, numbers, sizeof(numbers) / sizeof(*(numbers)))

int rights_may_begin(void)
{
	return !DENIES_ANY(sys_denied, begins);
}

static void close_seal(void *arg, int is_private)
{
	(void)arg;
	(void)is_private;
	life_refresh_clock();
	seal_close();
}

/* Threads that have blocked their signals restore them: afterwards they may not. */
static void await_others(void)
{
	static const struct timespec nap = { 0, 100000 };
	int naps;

	for (naps = 0; atomic_load(&signals_blocked) && naps < UNBLOCK_NAPS; naps++)
		sys_call6_always(SYS_nanosleep, (long)&nap, 0, 0, 0, 0, 0);
}

/*
 * Threads may install filters at once. turns grows before and after each change of what is denied;
 * busy is held by who makes or opens the seal, or takes back what is denied.
 */
static _Atomic uint32_t turns, busy;

static int take_busy(void)
{
	uint32_t none = 0;

	return atomic_compare_exchange_strong(&busy, &none, 1);
}

static void await_busy(void)
{
	static const struct timespec nap = { 0, 100000 };
	int naps;

	for (naps = 0; atomic_load(&busy) && naps < BUSY_NAPS; naps++)
		sys_call6_always(SYS_nanosleep, (long)&nap, 0, 0, 0, 0, 0);
}

static void make_seal(void)
{
	int tries;

	for (tries = 0; !seal_is_closed() && tries < BUSY_TRIES; tries++) {
		await_busy();
		if (!take_busy())
			continue;
		if (!seal_is_closed())
			stack_run(close_seal, NULL);
		atomic_store(&busy, 0);
	}
}

static int begin(struct rights_before *before, uint64_t denied[SYS_NUMBERS / 64])
{
	memcpy(denied, sys_denied, sizeof(sys_denied));
	before->is_changed = 0;
	return !life_is_recording() || !life_is_vforked();
}

static void deny(const uint64_t denied[SYS_NUMBERS / 64])
{
	unsigned i;

	for (i = 0; i < SYS_NUMBERS / 64; i++)
		__atomic_fetch_or(&sys_denied[i], denied[i], __ATOMIC_SEQ_CST);
}

static void forbid(struct rights_before *before, const uint64_t denied[SYS_NUMBERS / 64])
{
	const int seals = DENIES_ANY(denied, needed);
	uint32_t turn;
	unsigned i;

	if (memcmp(denied, sys_denied, sizeof(sys_denied)) == 0)
		return;
	turn = atomic_fetch_add(&turns, 1) + 1;
	before->was_sealed = seal_is_closed();
	for (i = 0; i < SYS_NUMBERS / 64; i++)
		before->added[i] = denied[i] & ~__atomic_load_n(&sys_denied[i], __ATOMIC_SEQ_CST);
	rights_reserve();
	if (seals && is_recording())
		make_seal();
	if (seals) /* what others are at is finished as it began */
		await_others();
	deny(denied);
	before->turn = atomic_fetch_add(&turns, 1) + 1;
	before->is_changed = 1;
	before->is_alone = before->turn == turn + 1;
	/* who took something back meanwhile did not know of this, or sees the turn */
	await_busy();
	deny(denied);
	if (seals && is_recording())
		make_seal();
	await_others();
}

void rights_filter(struct rights_before *before, const void *program)
{
	uint64_t denied[SYS_NUMBERS / 64];

	if (!begin(before, denied))
		return;
	if (!program)
		filter_strict(denied);
	else if (filter_denies(program, denied) < 0)
		return;
	forbid(before, denied);
	if (!program)
		rights_leave_clock();
}

void rights_dispatch(struct rights_before *before)
{
	uint64_t denied[SYS_NUMBERS / 64];

	if (!begin(before, denied))
		return;
	memset(denied, 0xFF, sizeof(denied));
	forbid(before, denied);
}

/* With another thread's filter beside this one it is not told apart who forbade what: all stays. */
void rights_kept(const struct rights_before *before)
{
	unsigned i;

	if (!before->is_changed || !before->is_alone || !take_busy())
		return;
	if (atomic_load(&turns) == before->turn) {
		for (i = 0; i < SYS_NUMBERS / 64; i++)
			__atomic_fetch_and(&sys_denied[i], ~before->added[i], __ATOMIC_SEQ_CST);
		if (!before->was_sealed)
			seal_open();
	}
	atomic_store(&busy, 0);
}

void rights_leave_clock(void)
{
	if (is_recording())
		life_refresh_clock();
	if (clock_leave_tsc() && file_header)
		file_header->clock = XT_CLOCK_LEFT;
}
