/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code that the program made itself and registered with libgcc (__register_frame): its unwind
 * information, copied when it is registered, since the program may free it whenever it likes.
 *
 * A table of registrations whose readers take no lock and never wait. Copies are never unmapped,
 * only used again, so a reader that comes too late reads another one's bytes, and finds out.
 * At most 8191 registrations at once, and of 1 MiB each; what is beyond is not known, as if it
 * had not been registered.
 */
#ifndef XALLOC_UNWIND_JIT_H
#define XALLOC_UNWIND_JIT_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/unwind/eh_frame.h"

/*
 * What libgcc's functions were given: an .eh_frame section, or with is_table a list of pointers to
 * such sections, ended by NULL. Runs on a private stack.
 */
void jit_register(const void *begin, bool is_table);

/* The last registration of `begin` is void, and so is what was known of its addresses: rows, kept
 * stacks and, by a new epoch, the meaning of the addresses. */
void jit_deregister(const void *begin);

/* The registration that covers an address: its section, and a token that is never 0 or 1 and is
 * this registration's alone. 0: there is none. */
uint32_t jit_find(uint64_t address, struct eh_section *section);

/* Is there one? For a hook's own stack: what needs more runs on a private one. */
bool jit_covers(uint64_t address);

/* Is the registration of this token still there? */
bool jit_is_there(uint32_t token);

#endif
