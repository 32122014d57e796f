/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reference: libunwind's remote interface over this very process. It caches nothing, finds
 * modules by _dl_find_object, takes no lock of the loader and, once open, allocates nothing from
 * the heap.
 */
#ifndef XALLOC_ORACLE_REFERENCE_H
#define XALLOC_ORACLE_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include <libunwind-x86_64.h>

#include "preload/unwind/full.h"

struct reference {
	struct full_registers start;
	unw_cursor_t cursor;
	bool has_no_cfi; /* the latest step met an address without unwind information */
};

/* NULL, or why there is none. Once in a process, before anything else here. */
const char *reference_open(void);

/* Stands at `start`; some 10 KB of stack are used. false: it cannot. */
bool reference_begin(struct reference *r, const struct full_registers *start);

enum reference_step {
	REFERENCE_STEPPED,
	REFERENCE_ROOT,   /* the unwind information says that there is no caller */
	REFERENCE_NO_CFI, /* there is no unwind information where it stands, and so no next frame */
	REFERENCE_ERROR
};

/* To the caller. Only after REFERENCE_STEPPED it may be asked anything more. */
enum reference_step reference_step(struct reference *r);

uint64_t reference_pc(struct reference *r);
uint64_t reference_sp(struct reference *r);
uint64_t reference_rbp(struct reference *r);

/* Does it stand in the frame that the kernel made for a handler? */
bool reference_is_signal(struct reference *r);

/*
 * Where there is no unwind information: is it known that nobody called? Its pc is the first
 * instruction of a function, put on the stack to be returned to, as makecontext does; or it lies
 * where the kernel enters a program or the loader.
 */
bool reference_is_outermost(struct reference *r);

#endif
