/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows from the call frame information (.eh_frame) of a loaded module.
 *
 * Runs inside the target, from any hook: it takes no lock, allocates nothing, calls nothing, keeps
 * no state but the indexes of eh_index.h, uses about 500 bytes of stack, and reads only the
 * module's own memory: the readable
 * segment that holds .eh_frame_hdr or .eh_frame, found by the ELF header; where that cannot be
 * found (program headers beyond the first page) any place from dlfo_map_start to dlfo_map_end. The
 * module must stay mapped meanwhile. Malformed information gives ROW_OUTSIDE in bounded time.
 */
#ifndef XALLOC_UNWIND_CFI_H
#define XALLOC_UNWIND_CFI_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/unwind/row.h"

struct dl_find_object;
struct eh_section;

/*
 * The row for pc in *out. pc is a return address unless exact: the call stands before it, so the
 * row of pc - 1 is meant. exact: pc is an instruction that was interrupted, or is just running.
 *
 * object is _dl_find_object's answer for pc; its flags and link map are not used. dlfo_eh_frame is
 * the module's .eh_frame_hdr or NULL.
 *
 * What decides, in this order:
 * ROW_NO_CFI	nothing covers the address, with two exceptions:
 *		A return address that is the first of a function, with nothing before it: no call
 *		stands there, the frame was made by hand (makecontext). ROW_SIGNAL if the function
 *		has such a row, else ROW_END.
 *		The 256 bytes from the module's ELF entry point are ROW_END: the loader's start
 *		code, which calls constructors, has no CFI and no caller.
 * ROW_END	the return address is declared undefined (_start, clone).
 * ROW_SIGNAL	a frame marked as a signal frame ('S') whose rules are those of the kernel's
 *		ucontext. Other frames so marked are ROW_OUTSIDE, since their callers' pc would have
 *		to be looked up as exact.
 * ROW_STEP	a row of the classes.
 * ROW_OUTSIDE	all else: the CFA by another register or expression; the return address not at
 *		CFA - 8; a rule for rsp other than the CFA itself; rbp in another register,
 *		computed, or undefined. An undefined rbp is not treated as unchanged: a frame
 *		rootward may compute its CFA from it, and would give a wrong stack and not a short
 *		one. Rules of other registers do not matter to any row.
 */
void cfi_row(uint64_t pc, bool exact, const struct dl_find_object *object, struct row *out);

/* The same for code without a module; none of the two exceptions is made. */
void cfi_row_in(uint64_t pc, bool exact, const struct eh_section *section, struct row *out);

#endif
