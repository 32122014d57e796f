/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one list of what libxalloc.so interposes. Resolution of the real functions (real.c), the
 * export list (libxalloc.map, compared by tests/exports.test) and the tests expand it.
 *
 * X(name, result, parameters)
 */
#ifndef XALLOC_HOOK_LIST_H
#define XALLOC_HOOK_LIST_H

#include <stdint.h>

/* clang-format off: it takes the versions apart */
#define XALLOC_HOOKS(X)                                                          \
	X(malloc, void *, (size_t))                                              \
	X(calloc, void *, (size_t, size_t))                                      \
	X(realloc, void *, (void *, size_t))                                     \
	X(reallocarray, void *, (void *, size_t, size_t))                        \
	X(free, void, (void *))                                                  \
	X(posix_memalign, int, (void **, size_t, size_t))                        \
	X(aligned_alloc, void *, (size_t, size_t))                               \
	X(memalign, void *, (size_t, size_t))                                    \
	X(valloc, void *, (size_t))                                              \
	X(pvalloc, void *, (size_t))                                             \
	X(malloc_usable_size, size_t, (void *))                                  \
	X(dlclose, int, (void *))                                                \
	X(mmap, void *, (void *, size_t, int, int, int, long))                   \
	X(mmap64, void *, (void *, size_t, int, int, int, long))                 \
	X(munmap, int, (void *, size_t))                                         \
	X(mremap, void *, (void *, size_t, size_t, int, ...))                    \
	X(madvise, int, (void *, size_t, int))                                   \
	X(sbrk, void *, (intptr_t))                                              \
	X(brk, int, (void *))                                                    \
	X(_exit, void, (int))                                                    \
	X(_Exit, void, (int))                                                    \
	X(quick_exit, void, (int))                                               \
	X(daemon, int, (int, int))                                               \
	X(fork, int, (void))                                                     \
	X(_Fork, int, (void))                                                    \
	X(execve, int, (const char *, char *const *, char *const *))             \
	X(execv, int, (const char *, char *const *))                             \
	X(execvp, int, (const char *, char *const *))                            \
	X(execvpe, int, (const char *, char *const *, char *const *))            \
	X(fexecve, int, (int, char *const *, char *const *))                     \
	X(execveat, int, (int, const char *, char *const *, char *const *, int)) \
	X(execl, int, (const char *, const char *, ...))                         \
	X(execlp, int, (const char *, const char *, ...))                        \
	X(execle, int, (const char *, const char *, ...))                        \
	X(posix_spawn, int,                                                      \
	  (int *, const char *, const void *, const void *, char *const *, char *const *)) \
	X(posix_spawnp, int,                                                     \
	  (int *, const char *, const void *, const void *, char *const *, char *const *)) \
	XALLOC_RIGHTS_HOOKS(X)

/*
 * By which a program gives up rights that recording needs. There is no function `seccomp` in libc:
 * that call is made by prctl or syscall.
 */
#define XALLOC_RIGHTS_HOOKS(X)                                     \
	X(chroot, int, (const char *))                             \
	X(unshare, int, (int))                                     \
	X(setns, int, (int, int))                                  \
	X(setrlimit, int, (int, const void *))                     \
	X(setrlimit64, int, (int, const void *))                   \
	X(prlimit, int, (int, int, const void *, void *))          \
	X(prlimit64, int, (int, int, const void *, void *))        \
	X(setuid, int, (unsigned))                                 \
	X(seteuid, int, (unsigned))                                \
	X(setreuid, int, (unsigned, unsigned))                     \
	X(setresuid, int, (unsigned, unsigned, unsigned))          \
	X(setfsuid, int, (unsigned))                               \
	X(setgid, int, (unsigned))                                 \
	X(setegid, int, (unsigned))                                \
	X(setregid, int, (unsigned, unsigned))                     \
	X(setresgid, int, (unsigned, unsigned, unsigned))          \
	X(setfsgid, int, (unsigned))                               \
	X(setgroups, int, (size_t, const unsigned *))              \
	X(capset, int, (void *, void *))                           \
	X(prctl, int, (int, ...))                                  \
	X(syscall, long, (long, ...))

/*
 * Names that exist only where an allocator defines them: ifuncs that resolve to nothing otherwise,
 * so that `if (free_sized)` and dlsym say what they say without us. Without a definition they free.
 */
#define XALLOC_OPTIONAL_HOOKS(X)                   \
	X(free_sized, (void *p, size_t a), (p, a)) \
	X(free_aligned_sized, (void *p, size_t a, size_t b), (p, a, b))

/*
 * Kept by glibc for old programs under this version only, and as no default one: the third version
 * of our file, or a later one, answers no reference without a version.
 */
#define XALLOC_OLD_HOOKS(X) X(cfree, (void *p), (p), GLIBC_2.2.5)

/*
 * libgcc's registration of unwind information for code that a program makes. Under libgcc's version
 * and not as a default one, so dlsym does not find ours; hooks_jit.c says when they are there at
 * all.
 */
#define XALLOC_FRAME_HOOKS(X)                                                                 \
	X(__register_frame, void, (void *a))                                                  \
	X(__register_frame_info, void, (const void *a, void *b))                              \
	X(__register_frame_info_bases, void, (const void *a, void *b, void *c, void *d))      \
	X(__register_frame_table, void, (void *a))                                            \
	X(__register_frame_info_table, void, (void *a, void *b))                              \
	X(__register_frame_info_table_bases, void, (void *a, void *b, void *c, void *d))      \
	X(__deregister_frame, void, (void *a))                                                \
	X(__deregister_frame_info, void *, (const void *a))                                   \
	X(__deregister_frame_info_bases, void *, (const void *a))

/* What preload/xalloc.h calls: no hooks, and nobody else's names. */
#define XALLOC_OWN_CALLS(X)                                                                    \
	X(xalloc_preload_mark, int, (unsigned what, const char *name))                         \
	X(xalloc_preload_pool, void,                                                           \
	  (unsigned what, const char *pool, const void *old, const void *p, size_t size))

/*
 * C++ operators, for allocators that implement them without malloc. Their versions are libstdc++'s
 * and not default ones, so dlsym does not find ours. X: GLIBCXX_3.4, the second version of our
 * file, which also answers references without a version, of programs linked to such an allocator.
 * Y(…, alignment, version): exported under that version as well.
 */
#define XALLOC_NEW_HOOKS(X, Y)                                                                \
	X(_Znwm, (size_t a), (a))                                                             \
	X(_Znam, (size_t a), (a))                                                             \
	X(_ZnwmRKSt9nothrow_t, (size_t a, const void *b), (a, b))                             \
	X(_ZnamRKSt9nothrow_t, (size_t a, const void *b), (a, b))                             \
	Y(_ZnwmSt11align_val_t, (size_t a, size_t b), (a, b), b, CXXABI_1.3.11)              \
	Y(_ZnamSt11align_val_t, (size_t a, size_t b), (a, b), b, CXXABI_1.3.11)              \
	Y(_ZnwmSt11align_val_tRKSt9nothrow_t, (size_t a, size_t b, const void *c), (a, b, c), \
	  b, CXXABI_1.3.11)                                                                     \
	Y(_ZnamSt11align_val_tRKSt9nothrow_t, (size_t a, size_t b, const void *c), (a, b, c), \
	  b, CXXABI_1.3.11)
#define XALLOC_DELETE_HOOKS(X, Y)                                                             \
	X(_ZdlPv, (void *p), (p))                                                             \
	X(_ZdaPv, (void *p), (p))                                                             \
	X(_ZdlPvRKSt9nothrow_t, (void *p, const void *a), (p, a))                             \
	X(_ZdaPvRKSt9nothrow_t, (void *p, const void *a), (p, a))                             \
	Y(_ZdlPvm, (void *p, size_t a), (p, a), 16, CXXABI_1.3.9)                            \
	Y(_ZdaPvm, (void *p, size_t a), (p, a), 16, CXXABI_1.3.9)                            \
	Y(_ZdlPvSt11align_val_t, (void *p, size_t a), (p, a), a, CXXABI_1.3.11)              \
	Y(_ZdaPvSt11align_val_t, (void *p, size_t a), (p, a), a, CXXABI_1.3.11)              \
	Y(_ZdlPvmSt11align_val_t, (void *p, size_t a, size_t b), (p, a, b), b, CXXABI_1.3.11)\
	Y(_ZdaPvmSt11align_val_t, (void *p, size_t a, size_t b), (p, a, b), b, CXXABI_1.3.11)\
	Y(_ZdlPvSt11align_val_tRKSt9nothrow_t, (void *p, size_t a, const void *b), (p, a, b), \
	  a, CXXABI_1.3.11)                                                                     \
	Y(_ZdaPvSt11align_val_tRKSt9nothrow_t, (void *p, size_t a, const void *b), (p, a, b), \
	  a, CXXABI_1.3.11)

#endif
