/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operator new and delete, and other names of some allocators. Most implementations call malloc and
 * free, whose hooks record the call; what an allocator does without them is recorded here. The
 * guard is not held during the real call: an exception may leave it, and takes no guard with it.
 */
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/clock.h"
#include "preload/hook_list.h"
#include "preload/hooks.h"
#include "preload/sys/text.h"
#include "preload/tls.h"

/* The function behind a hook, once it was looked for. */
struct target {
	void *function;
	int is_plain; /* it is a C++ run-time library's, which calls malloc and free */
};

static __attribute__((noinline)) void *find(struct target *t, const char *name)
{
	struct dl_find_object object;
	void *function = real_find(name);
	const char *path = "", *slash;

	if (function && _dl_find_object(function, &object) == 0)
		path = object.dlfo_link_map->l_name;
	slash = text_last(path, '/');
	path = slash ? slash + 1 : path;
	t->is_plain = text_starts(path, "libstdc++.so") || text_starts(path, "libc++.so") ||
		      text_starts(path, "libc++abi.so") || text_starts(path, "libsupc++.so");
	t->function = function;
	return function;
}

static uint64_t events(void)
{
	return tls.stream ? stream_events(tls.stream) : 0;
}

/* Was the call that ends now recorded by a hook that the real function called, with p as the last?
 */
static int is_written(uint64_t events_before, const void *p)
{
	return events() != events_before && (!p || tls.stream->last_addr == (uint64_t)(uintptr_t)p);
}

static void was_new(const uint64_t *fp, size_t size, void *p, uint64_t events_before)
{
	struct guard g;

	if (!is_written(events_before, p) && guard_enter(&g, fp) == GUARD_RECORD)
		hooks_wrote(&g, fp, XT_OP_NEW, XT_FN_NEW, size, p);
}

static void was_freed(const uint64_t *fp, void *p, uint64_t events_before, uint64_t stamp)
{
	struct guard g;

	if (p && !is_written(events_before, p) && guard_enter(&g, fp) == GUARD_RECORD)
		hooks_freed(&g, p, stamp);
}

static int is_recording(void)
{
	return life_word && *life_word == LIFE_RECORDING;
}

/* clang-format off: it takes the versions apart */
#define STRING(x) #x
#define SYMVER(function, name, version) \
	__asm__(".symver " #function "," #name "@" STRING(version) ", remove")

#define NEW_HOOK(name, parameters, arguments)                                             \
	HOOK void *xalloc##name parameters;                                               \
	SYMVER(xalloc##name, name, GLIBCXX_3.4);                                         \
	void *xalloc##name parameters                                                     \
	{                                                                                 \
		static struct target t;                                                   \
		void *(*const target)parameters =                                         \
			(void *(*)parameters)(t.function ? t.function : find(&t, #name)); \
		uint64_t before;                                                          \
		void *block;                                                              \
                                                                                          \
		if (t.is_plain || !is_recording())                                        \
			return target arguments;                                          \
		before = events();                                                        \
		block = target arguments;                                                 \
		was_new(HOOK_FRAME, a, block, before);                                    \
		return block;                                                             \
	}
#define FREE_HOOK_BODY(name, parameters, arguments)                                      \
	{                                                                                \
		static struct target t;                                                  \
		void(*const target) parameters =                                         \
			(void(*) parameters)(t.function ? t.function : find(&t, #name)); \
		uint64_t before, stamp;                                                  \
                                                                                         \
		if (t.is_plain || !is_recording()) {                                     \
			target arguments;                                                \
			return;                                                          \
		}                                                                        \
		before = events();                                                       \
		stamp = clock_stamp();                                                   \
		target arguments;                                                        \
		was_freed(HOOK_FRAME, p, before, stamp);                                 \
	}
#define DELETE_HOOK(name, parameters, arguments)  \
	HOOK void xalloc##name parameters;        \
	SYMVER(xalloc##name, name, GLIBCXX_3.4); \
	void xalloc##name parameters FREE_HOOK_BODY(name, parameters, arguments)

#define SECOND_VERSION(name, version)                                          \
	extern __typeof__(xalloc##name) xalloc2##name                          \
		__attribute__((alias("xalloc" #name), visibility("default"))); \
	SYMVER(xalloc2##name, name, version);
#define NEW_HOOK_TWICE(name, parameters, arguments, version) \
	NEW_HOOK(name, parameters, arguments) SECOND_VERSION(name, version)
#define DELETE_HOOK_TWICE(name, parameters, arguments, version) \
	DELETE_HOOK(name, parameters, arguments) SECOND_VERSION(name, version)

XALLOC_NEW_HOOKS(NEW_HOOK, NEW_HOOK_TWICE)
XALLOC_DELETE_HOOKS(DELETE_HOOK, DELETE_HOOK_TWICE)

/* An ifunc's resolver runs whenever somebody refers to the name; before our relocation it cannot
 * look. */
#define OPTIONAL(hook, name, parameters, arguments)                                             \
	static void xalloc_##name parameters FREE_HOOK_BODY(name, parameters, arguments) static \
		__attribute__((used)) __typeof__(xalloc_##name) *resolve_##name(void)           \
	{                                                                                       \
		return tls_is_ready() && real_find(#name) ? xalloc_##name : NULL;               \
	}                                                                                       \
	HOOK void hook parameters __attribute__((ifunc("resolve_" #name)));
#define OPTIONAL_HOOK(name, parameters, arguments) OPTIONAL(name, name, parameters, arguments)
#define OLD_HOOK(name, parameters, arguments, version)      \
	OPTIONAL(xalloc##name, name, parameters, arguments) \
	OPTIONAL_AGAIN(xalloc2##name, name, parameters)     \
	SYMVER(xalloc##name, name, GLIBCXX_3.4);           \
	SYMVER(xalloc2##name, name, version);
#define OPTIONAL_AGAIN(hook, name, parameters) \
	HOOK void hook parameters __attribute__((ifunc("resolve_" #name)));

XALLOC_OPTIONAL_HOOKS(OPTIONAL_HOOK)
XALLOC_OLD_HOOKS(OLD_HOOK)
