/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libgcc's registration of unwind information for code that the program made. Each hook calls
 * libgcc's function and tells jit.h of it: a registration after the real one, a deregistration
 * before it, since the memory may be freed behind it.
 *
 * They are there only in a process that was started with libgcc_s (real.c): any reference that a
 * later library makes would go to that one too, since it is in the global scope, and it stays. In
 * other processes libgcc_s may come with a library in a scope of its own, or another unwinder may
 * come before it: whose function a reference means only the loader knows then. So the names are
 * withdrawn, and such code is code without unwind information.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/hooks.h"
#include "preload/life.h"
#include "preload/real.h"
#include "preload/symver.h"
#include "preload/unwind/jit.h"

static bool is_in(const struct dl_find_object *object, uintptr_t address)
{
	return address >= (uintptr_t)object->dlfo_map_start &&
	       address < (uintptr_t)object->dlfo_map_end;
}

/*
 * Is the call to be noted? Not libgcc's own: its functions call one another, or end in a jump to
 * one another, through us. In a fork child what was registered before counts as well, so only what
 * is never recorded is left out.
 */
static bool is_wanted(const void *caller)
{
	struct dl_find_object object;

	if (!real.ready)
		real_resolve();
	if (life_word && (*life_word == LIFE_OFF || *life_word == LIFE_STOPPED))
		return false;
	return _dl_find_object((void *)(uintptr_t)caller, &object) != 0 ||
	       (!is_in(&object, (uintptr_t)real.__register_frame) &&
		!is_in(&object, (uintptr_t)is_wanted));
}

/* Withdrawn too late, or in vain: somebody was bound to us. */
static __attribute__((noinline)) void *late(const char *name)
{
	return real_find(name);
}

#define CALLER __builtin_return_address(0)
#define REAL(name) (real.name ? real.name : (__typeof__(real.name))late(#name))

/* The formatter takes the version apart. */
/* clang-format off */
#define HEAD(name, result, parameters)       \
	HOOK result xalloc##name parameters; \
	SYMVER(xalloc##name, name, GCC_3.0); \
	result xalloc##name parameters
/* clang-format on */

#define REGISTRATION(name, parameters, arguments, is_table) \
	HEAD(name, void, parameters)                        \
	{                                                   \
		const bool wanted = is_wanted(CALLER);      \
                                                            \
		REAL(name) arguments;                       \
		if (wanted)                                 \
			jit_register(a, is_table);          \
	}

REGISTRATION(__register_frame, (void *a), (a), false)
REGISTRATION(__register_frame_info, (const void *a, void *b), (a, b), false)
REGISTRATION(__register_frame_info_bases, (const void *a, void *b, void *c, void *d), (a, b, c, d),
	     false)
REGISTRATION(__register_frame_table, (void *a), (a), true)
REGISTRATION(__register_frame_info_table, (void *a, void *b), (a, b), true)
REGISTRATION(__register_frame_info_table_bases, (void *a, void *b, void *c, void *d), (a, b, c, d),
	     true)

HEAD(__deregister_frame, void, (void *a))
{
	if (is_wanted(CALLER))
		jit_deregister(a);
	REAL(__deregister_frame)(a);
}

HEAD(__deregister_frame_info, void *, (const void *a))
{
	if (is_wanted(CALLER))
		jit_deregister(a);
	return REAL(__deregister_frame_info)(a);
}

HEAD(__deregister_frame_info_bases, void *, (const void *a))
{
	if (is_wanted(CALLER))
		jit_deregister(a);
	return REAL(__deregister_frame_info_bases)(a);
}
