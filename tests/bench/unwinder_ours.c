/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The recorder's unwinder without the recorder: the very objects of preload/unwind, in a library,
 * so that the program's frames are not taken for our own. What they need of the recorder's store
 * stands here. With UNWINDER_FULL each event is a full walk, by libunwind's steps where the
 * environment has UNWINDER_REFERENCE.
 */
#include "tests/bench/unwinder.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

#include "preload/jit_names.h"
#include "preload/modules.h"
#include "preload/store/ids.h"
#include "preload/sys/sysmem.h"
#include "preload/unwind/full.h"
#include "preload/unwind/by_libunwind.h"
#include "preload/unwind/unwind.h"

#define DEPTH_MAX 1024

extern char **environ;

static struct unwind_state state;
static uint32_t next_id = XT_ID_FIRST;
static uint64_t frames;

static void calls_out(int begins)
{
	(void)begins;
}

static void *find(const char *name)
{
	return dlsym(RTLD_DEFAULT, name);
}

uint32_t ids_add(uint64_t pc, uint32_t epoch, uint32_t flags)
{
	(void)pc;
	(void)epoch;
	(void)flags;
	return next_id++;
}

void modules_note(const struct dl_find_object *object)
{
	(void)object;
}

int modules_is_lasting(const struct link_map *map)
{
	(void)map;
	return 0;
}

uint32_t modules_epoch(void)
{
	return 0;
}

void modules_check(void)
{
}

int modules_are_there(void)
{
	return 1;
}

void modules_new_epoch(void)
{
}

void jit_names_note(uint64_t address, uint32_t id)
{
	(void)address;
	(void)id;
}

void unwinder_init(void)
{
	/* all frames of main's callers lie below the environment */
	unwind_init(DEPTH_MAX, (uint64_t)(uintptr_t)environ);
	unwind_state_init(&state, sysmem_new(unwind_kept_bytes()));
	if (!getenv("UNWINDER_REFERENCE"))
		return;
	by_libunwind_open(find, calls_out);
	if (!by_libunwind_is_on)
		exit(1);
}

#ifdef UNWINDER_FULL

void unwinder_event(void)
{
	static uint32_t ids[DEPTH_MAX];
	struct full_registers here;

	full_registers_here(&here);
	frames += full_walk(&state, &here, ids, DEPTH_MAX);
}

#else

void unwinder_event(void)
{
	unwind_stack(&state, __builtin_frame_address(0));
	frames += state.shown;
}

#endif

uint64_t unwinder_frames(void)
{
	return frames;
}
