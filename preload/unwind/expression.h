/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DWARF expressions as call frame information uses them. Malformed ones, and such that do not end,
 * give false in bounded time; no lock, no state.
 */
#ifndef XALLOC_UNWIND_EXPRESSION_H
#define XALLOC_UNWIND_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/unwind/eh_frame.h"

/* What a frame's rules are computed from: its registers and the memory they point to. */
struct expression_world {
	uint64_t reg[17]; /* by DWARF number; 16: the pc */
	uint32_t known;   /* bit n: reg[n] has the frame's value */

	/* *value becomes 1, 2, 4 or 8 bytes at addr; false: they cannot be read. */
	bool (*get)(void *arg, uint64_t addr, unsigned bytes, uint64_t *value);
	void *arg;
};

#define EXPRESSION_PC 16u
#define EXPRESSION_REGISTERS 17u

static inline bool expression_knows(const struct expression_world *w, uint64_t reg)
{
	return reg < EXPRESSION_REGISTERS && w->known >> reg & 1;
}

/* The value on top of the stack at the end, which begins with *first unless that is NULL. Needs 700
 * bytes of stack. */
bool expression_value(const struct expression_world *w, struct eh_reader code,
		      const uint64_t *first, uint64_t *value);

#endif
