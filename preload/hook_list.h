/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one list of what libxalloc.so interposes. Resolution of the real functions (real.c), the
 * export list (libxalloc.map, compared by tests/exports.test) and the tests expand it.
 *
 * X(name, result, parameters)
 */
#ifndef XALLOC_HOOK_LIST_H
#define XALLOC_HOOK_LIST_H

#define XALLOC_HOOKS(X)                                   \
	X(malloc, void *, (size_t))                       \
	X(calloc, void *, (size_t, size_t))               \
	X(realloc, void *, (void *, size_t))              \
	X(reallocarray, void *, (void *, size_t, size_t)) \
	X(free, void, (void *))                           \
	X(posix_memalign, int, (void **, size_t, size_t)) \
	X(aligned_alloc, void *, (size_t, size_t))        \
	X(memalign, void *, (size_t, size_t))             \
	X(valloc, void *, (size_t))                       \
	X(pvalloc, void *, (size_t))                      \
	X(malloc_usable_size, size_t, (void *))           \
	X(dlclose, int, (void *))                         \
	X(_exit, void, (int))                             \
	X(_Exit, void, (int))                             \
	X(quick_exit, void, (int))

#endif
