/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operator new and delete, and other names of some allocators. Most implementations call malloc and
 * free, whose hooks record the call; what an allocator does without them is recorded here. The
 * guard is not held during the real call: an exception may leave it, and takes no guard with it.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "preload/clock.h"
#include "preload/early.h"
#include "preload/hook_list.h"
#include "preload/hooks.h"
#include "preload/scope.h"
#include "preload/symver.h"
#include "preload/tls.h"

/* More than the object asked for: what an operator new puts around it in a block of malloc. */
#define AROUND_MAX 128u

/* Changes with each event of the thread, in whichever of its streams. */
static uint64_t events(void)
{
	return tls.stream ? (uint64_t)tls.stream->number << 48 ^ stream_events(tls.stream) : 0;
}

/*
 * Was the call that ends now recorded by a hook that the real function called? The block that malloc
 * handed out, or that free got, is p, or begins some bytes before it: a header. A much larger block
 * is a pool that p was carved from, and the call is one of its own.
 */
static int is_new_written(uint64_t events_before, const void *p, size_t size, size_t align)
{
	const uint64_t from = tls.stream ? tls.stream->last_addr : 0;
	const uint64_t before = (uint64_t)(uintptr_t)p - from;

	if (events() == events_before)
		return 0;
	return !p || !before ||
	       (before <= AROUND_MAX + 2 * align && before + size <= tls.stream->last_size &&
		tls.stream->last_size - size <= AROUND_MAX + 2 * align);
}

static int is_free_written(uint64_t events_before, const void *p, size_t align)
{
	return events() != events_before &&
	       (uint64_t)(uintptr_t)p - tls.stream->last_addr <= AROUND_MAX + 2 * align;
}

static void was_new(const uint64_t *fp, size_t size, size_t align, void *p, uint64_t events_before)
{
	struct guard g;

	if (!is_new_written(events_before, p, size, align) && guard_enter(&g, fp) == GUARD_RECORD)
		hooks_wrote(&g, fp, XT_OP_NEW, XT_FN_NEW, size, p);
}

static void was_freed(const uint64_t *fp, void *p, size_t align, uint64_t events_before,
		      uint64_t stamp)
{
	struct guard g;

	if (p && !is_free_written(events_before, p, align) && guard_enter(&g, fp) == GUARD_RECORD)
		hooks_freed(&g, p, stamp);
}

static int is_recording(void)
{
	return life_is_recording();
}

/* clang-format off: it takes the versions apart */
#define NEW_BODY(name, parameters, arguments, align)                                       \
	{                                                                                  \
		static struct scope_name n = { #name, NULL, 0 };                            \
		struct scope_target target;                                                \
		uint64_t before;                                                           \
		void *block;                                                               \
                                                                                           \
		if (!tls_is_ready())                                                       \
			return early_alloc(XT_OP_MALLOC, XT_FN_MALLOC, a, align, HOOK_FRAME); \
		target = scope_target(&n, __builtin_return_address(0));                    \
		if (target.is_plain || !is_recording())                                    \
			return ((void *(*)parameters)target.function)arguments;            \
		before = events();                                                         \
		block = ((void *(*)parameters)target.function)arguments;                   \
		was_new(HOOK_FRAME, a, align, block, before);                              \
		return block;                                                              \
	}
#define FREE_BODY(name, parameters, arguments, align)                               \
	{                                                                           \
		static struct scope_name n = { #name, NULL, 0 };                     \
		struct scope_target target;                                         \
		uint64_t before, stamp;                                             \
                                                                                    \
		if (!tls_is_ready()) {                                              \
			early_free(p);                                              \
			return;                                                     \
		}                                                                   \
		target = scope_target(&n, __builtin_return_address(0));             \
		if (!target.function)                                               \
			target.function = (void *)(uintptr_t)free;                  \
		if (target.is_plain || !is_recording()) {                           \
			((void(*) parameters)target.function)arguments;             \
			return;                                                     \
		}                                                                   \
		before = events();                                                  \
		stamp = clock_stamp();                                              \
		((void(*) parameters)target.function)arguments;                     \
		was_freed(HOOK_FRAME, p, align, before, stamp);                     \
	}

#define FIRST_VERSION(type, name, parameters) \
	HOOK type xalloc##name parameters;    \
	SYMVER(xalloc##name, name, GLIBCXX_3.4);
#define SECOND_VERSION(name, version)                                          \
	extern __typeof__(xalloc##name) xalloc2##name                          \
		__attribute__((alias("xalloc" #name), visibility("default"))); \
	SYMVER(xalloc2##name, name, version);

#define NEW_HOOK(name, parameters, arguments)  \
	FIRST_VERSION(void *, name, parameters) \
	void *xalloc##name parameters NEW_BODY(name, parameters, arguments, 16)
#define NEW_HOOK_TWICE(name, parameters, arguments, align, version) \
	FIRST_VERSION(void *, name, parameters)                      \
	void *xalloc##name parameters NEW_BODY(name, parameters, arguments, align) \
	SECOND_VERSION(name, version)
#define DELETE_HOOK(name, parameters, arguments) \
	FIRST_VERSION(void, name, parameters)    \
	void xalloc##name parameters FREE_BODY(name, parameters, arguments, 16)
#define DELETE_HOOK_TWICE(name, parameters, arguments, align, version) \
	FIRST_VERSION(void, name, parameters)                           \
	void xalloc##name parameters FREE_BODY(name, parameters, arguments, align) \
	SECOND_VERSION(name, version)

XALLOC_NEW_HOOKS(NEW_HOOK, NEW_HOOK_TWICE)
XALLOC_DELETE_HOOKS(DELETE_HOOK, DELETE_HOOK_TWICE)

/*
 * An ifunc's resolver runs whenever somebody refers to the name. Before our relocation it cannot
 * look, and says that the name is there: the library that refers to it may well define it.
 */
#define OPTIONAL_HOOK(name, parameters, arguments)                                           \
	static void xalloc_##name parameters FREE_BODY(name, parameters, arguments, 16)      \
	static __attribute__((used)) __typeof__(xalloc_##name) *resolve_##name(void)         \
	{                                                                                    \
		return tls_is_ready() && !real_find(#name) ? NULL : xalloc_##name;           \
	}                                                                                    \
	HOOK void name parameters __attribute__((ifunc("resolve_" #name)));
#define OLD_HOOK(name, parameters, arguments, version)                  \
	HOOK void xalloc##name parameters;                              \
	SYMVER(xalloc##name, name, version);                           \
	void xalloc##name parameters FREE_BODY(name, parameters, arguments, 16)

XALLOC_OPTIONAL_HOOKS(OPTIONAL_HOOK)
XALLOC_OLD_HOOKS(OLD_HOOK)
