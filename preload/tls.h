/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All thread-local storage of ours: initial-exec, a few words; the rest is in mappings (stream.h).
 */
#ifndef XALLOC_TLS_H
#define XALLOC_TLS_H

#include <stdint.h>

struct stream;

struct tls {
	/* The one of this thread's streams that its next hook tries first; NULL: it has none, or
	 * they are put aside. */
	struct stream *stream;
	struct stream *aside;
	/* Foreign code runs for us, whose allocations are ours: the streams are put aside. */
	uint32_t is_out;
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
