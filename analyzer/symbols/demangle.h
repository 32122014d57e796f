/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Readable names for the symbols of C++, Rust and D.
 */
#ifndef XALLOC_SYMBOLS_DEMANGLE_H
#define XALLOC_SYMBOLS_DEMANGLE_H

#include <stdbool.h>

/*
 * The name to show for an ELF symbol: without its version (@GLIBC_2.2.5; @plt stays) and, when
 * `demangle`, as its source language writes it. A name that is not mangled comes back as it is.
 * Owned by the caller, never NULL.
 */
char *demangle_symbol(const char *symbol, bool demangle);

#endif
