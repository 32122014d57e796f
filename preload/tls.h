/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All thread-local storage of ours: initial-exec, a few words; the rest is in mappings (stream.h).
 *
 * guard is 0 outside of hooks, else the frame address of the innermost hook that is at work, with
 * GUARD_WRITING set once the real function has returned and the event is being written, and
 * GUARD_OUT while foreign code runs for us, whose allocations are ours, GUARD_FORKED when the hook
 * goes on in a fork child: what it has not published it writes again. A boolean
 * would stick after siglongjmp; an address tells a hook that was left behind (the new frame lies
 * above it) from one that is interrupted.
 */
#ifndef XALLOC_TLS_H
#define XALLOC_TLS_H

#include <stdint.h>

#define GUARD_WRITING 1ul
#define GUARD_OUT 2ul
#define GUARD_FORKED 4ul

struct stream;

struct tls {
	struct stream *stream;
	uintptr_t guard;
	uint32_t level; /* hooks interrupted by handlers that are in a hook now */
};

extern __thread struct tls tls __attribute__((tls_model("initial-exec")));

/* Before our own relocation neither tls nor any function of another object can be used. */
static inline int tls_is_ready(void)
{
	uintptr_t offset;

	__asm__("movq tls@GOTTPOFF(%%rip), %0" : "=r"(offset));
	return offset != 0;
}

#endif
