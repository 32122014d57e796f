/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory that is always there: each function returns what its C namesake does, or ends the program
 * with one line on standard error and status 2. Free with free().
 */
#ifndef XALLOC_BASE_MEM_H
#define XALLOC_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *xrealloc(void *old, size_t size) __attribute__((returns_nonnull));
void *xreallocarray(void *old, size_t count, size_t size) __attribute__((returns_nonnull));
/* The same for an array that may become large and is used all over: in huge pages where the kernel
 * has them. */
void *xrealloclarge(void *old, size_t count, size_t size) __attribute__((returns_nonnull));
/* Zeroed memory of its own that begins at a multiple of its page size, in huge pages where the kernel
 * has them and it is large, if wanted. Give it back with mem_unmap and the same size. */
void *mem_map(size_t bytes, bool is_huge) __attribute__((returns_nonnull));
void mem_unmap(void *memory, size_t bytes);
char *xstrdup(const char *text) __attribute__((returns_nonnull));
/* At most size bytes of text, which needs no NUL then. */
char *xstrndup(const char *text, size_t size) __attribute__((returns_nonnull));
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2), returns_nonnull));

/* From here on the process may have so many bytes of memory of its own, whoever takes them: our
 * tables, the libraries, the program's variables. 0: no limit. */
void mem_limit(uint64_t bytes);

/* How the above end the program, for libraries that fail in their own way. */
_Noreturn void out_of_memory(size_t size);

/* Something that our own code makes impossible has happened: one line with the place, then
 * abort(). */
#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
_Noreturn void bug_at(const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
