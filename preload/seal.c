/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/seal.h"

#include <time.h>

#include "preload/config.h"
#include "preload/store/file.h"
#include "preload/store/helper.h"
#include "preload/store/ids.h"
#include "preload/store/slot.h"
#include "preload/stream.h"
#include "preload/sys/syscall.h"

#define SLOTS_PART 64u
#define HELPER_NAPS 400 /* of half a millisecond */

static const struct timespec nap = { 0, 500000 };

void seal_close(void)
{
	int naps;

	if (helper_ask())
		for (naps = 0; naps < HELPER_NAPS && !helper_works(); naps++)
			sys_call2(SYS_nanosleep, &nap, 0);
	file_shared->is_sealed = 1;
	if (helper_works()) {
		slots_fix(config.reserve / SLOTS_PART / 4); /* it gives them back */
	} else {
		slots_fix(config.reserve / SLOTS_PART);
		file_ready_end();
	}
	streams_keep_ahead(STREAMS_AHEAD_MAX);
}

void seal_open(void)
{
	if (file_shared)
		file_shared->is_sealed = 0;
	slots_loosen();
}

int seal_is_closed(void)
{
	return slots_are_fixed();
}

int seal_drain(void)
{
	const int helped = helper_works();

	file_shared->ids = ids_bound();
	helper_finish();
	return helped;
}
