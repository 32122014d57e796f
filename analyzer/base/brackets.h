/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The brackets of names of C++, Rust and D, in which '<' and '>' are also other signs. */
#ifndef XALLOC_BASE_BRACKETS_H
#define XALLOC_BASE_BRACKETS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * For each byte of the name that opens a bracket, (, <, [ or {, where the one stands that closes
 * it; 0: it opens none. A '<' or '>' may be a sign of less or greater: then it has no partner
 * inside the brackets around it. Takes time in proportion to the name. Owned by the caller.
 */
size_t *brackets_match(const char *name, size_t length);

/* The bytes of an operator at name[at] with its sign, `operator<<` and the like, but none of a
 * conversion, `operator int`, for which it is the word alone; 0: there is no operator. */
size_t brackets_operator_bytes(const char *name, size_t at);

bool brackets_is_identifier(char c);

#endif
