/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a reference binds to without us. The loader looks in the global scope (what the program was
 * started with, what was opened with RTLD_GLOBAL), then in the scopes of those libraries opened
 * later that brought the referring object with them. Both follow from the loaded objects' dynamic
 * sections, but for RTLD_GLOBAL, which nothing public tells: such an object is looked in only when
 * no scope of the caller's defines the name. No lock is taken, no memory allocated.
 */
#ifndef XALLOC_SCOPE_H
#define XALLOC_SCOPE_H

#include <stddef.h>
#include <stdint.h>

struct scope_target {
	void *function; /* NULL: nobody defines the name */
	int is_plain;   /* it is a C++ run-time library's, which calls malloc and free */
};

/* A name, and its definition in the global scope of the start, which is every reference's. */
struct scope_name {
	const char *name;
	void *function; /* NULL: it was not looked for, or there is none */
	int is_plain;
};

struct scope_target scope_look(struct scope_name *n, const void *caller);

/* What the name means to the code at `caller`. Our own relocation must be done. */
static inline struct scope_target scope_target(struct scope_name *n, const void *caller)
{
	void *function = __atomic_load_n(&n->function, __ATOMIC_ACQUIRE);

	if (__builtin_expect(function != NULL, 1))
		return (struct scope_target){ function, n->is_plain };
	return scope_look(n, caller);
}

#endif
