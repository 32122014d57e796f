/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/clock.h"

#include <cpuid.h>
#include <time.h>

#include "preload/real.h"
#include "preload/sys/syscall.h"
#include "preload/sys/text.h"
#include "preload/trace/sealed.h"

int clock_is_tsc;
_Atomic uint64_t clock_counter;

/* The vDSO's: libc's name may be somebody else's, who is not ready. */
static int (*vdso_gettime)(clockid_t, struct timespec *);

void clock_choose(void)
{
	unsigned a, b, c, d;
	char source[32];

	vdso_gettime =
		(int (*)(clockid_t, struct timespec *))real_find_vdso("__vdso_clock_gettime");
	clock_is_tsc = 0;
	if (__get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8)))
		clock_is_tsc = 1;
	/* A hypervisor may hide the bit; the kernel, which knows better, then still uses the clock.
	 */
	if (text_read_file("/sys/devices/system/clocksource/clocksource0/current_clocksource",
			   source, sizeof(source)) > 0)
		clock_is_tsc = text_starts(source, "tsc\n") ||
			       (clock_is_tsc && text_starts(source, "kvm-clock"));
}

#define LEAVE_STAMPS (1u << 10) /* some 5 us: what other threads stamp meanwhile is before it */

int clock_leave_tsc(void)
{
	const int was_tsc = clock_is_tsc;

	if (was_tsc)
		atomic_store(&clock_counter, clock_stamp() + LEAVE_STAMPS);
	clock_is_tsc = 0;
	vdso_gettime = NULL; /* it reads the TSC */
	return was_tsc;
}

int clock_can_tell(void)
{
	/* the vDSO's own function calls the kernel where the clock is not the TSC's */
	return !sys_is_denied(SYS_clock_gettime);
}

static uint64_t now_ns(clockid_t id)
{
	struct timespec t;

	if (!vdso_gettime || vdso_gettime(id, &t) != 0)
		sys_call2(SYS_clock_gettime, id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t clock_realtime_ns(void)
{
	return now_ns(CLOCK_REALTIME);
}

uint64_t clock_ns(void)
{
	return now_ns(CLOCK_MONOTONIC);
}

struct xt_clock_pair clock_pair(void)
{
	uint64_t before = now_ns(CLOCK_MONOTONIC);
	uint64_t stamp = clock_stamp();
	uint64_t after = now_ns(CLOCK_MONOTONIC);

	uint64_t error = (after - before + 1) / 2;
	struct xt_clock_pair pair = { stamp, before + (after - before) / 2,
				      error < UINT32_MAX ? (uint32_t)error : UINT32_MAX, 0 };

	pair.check = xt_pair_check(&pair);
	return pair;
}
