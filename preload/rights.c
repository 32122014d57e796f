/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/rights.h"

#include <stddef.h>

#include "preload/config.h"
#include "preload/life.h"
#include "preload/store/file.h"
#include "preload/sys/stack.h"
#include "preload/sys/syscall.h"

static void extend(void *arg, int is_private)
{
	(void)arg;
	(void)is_private;
	file_extend(config.reserve);
}

/* Is it this process that records? Its vfork child gives up rights of its own. */
static int is_recording(void)
{
	return life_word && *life_word == LIFE_RECORDING && sys_call0(SYS_getpid) == life_pid();
}

void rights_reserve_if_begun(void)
{
	if (is_recording())
		stack_run(extend, NULL);
}

void rights_reserve(void)
{
	if (life_word && *life_word == LIFE_BOOT)
		life_begin();
	rights_reserve_if_begun();
}
