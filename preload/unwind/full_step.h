/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One step from a frame to its caller by the whole of its call frame information: all registers,
 * all rules, expressions too. What the rows (row.h) leave out, for the walk of full.h. Takes no
 * lock, allocates nothing, keeps no state; needs up to 5 KB of stack.
 */
#ifndef XALLOC_UNWIND_FULL_STEP_H
#define XALLOC_UNWIND_FULL_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/unwind/expression.h"

struct dl_find_object;
struct eh_section;

#define FULL_RBP 6u
#define FULL_RSP 7u

struct full_frame {
	struct expression_world world;
	bool exact; /* the pc is that of an instruction, not a return address: cfi.h */
};

enum full_result {
	FULL_STEPPED,
	FULL_END,    /* the return address is declared undefined */
	FULL_NO_CFI, /* nothing covers the address */
	FULL_STUCK   /* malformed, or what a rule needs is not known or cannot be read */
};

/*
 * object is _dl_find_object's answer for the frame's pc, as cfi_row (cfi.h) takes it. On
 * FULL_STEPPED the frame is its caller's; else it is as it was.
 *
 * What has no rule stays as it is in rbx, rbp, r12 to r15, is the CFA in rsp, and is not known in
 * the registers that a call may change. *cfa_from_rsp: the CFA comes from rsp, so it has to lie
 * above it; from elsewhere it may be another stack's.
 */
enum full_result full_step(struct full_frame *frame, const struct dl_find_object *object,
			   bool *cfa_from_rsp);

/* The same for code without a module. */
enum full_result full_step_in(struct full_frame *frame, const struct eh_section *section,
			      bool *cfa_from_rsp);

#endif
