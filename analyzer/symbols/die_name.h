/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What DWARF calls a function.
 */
#ifndef XALLOC_SYMBOLS_DIE_NAME_H
#define XALLOC_SYMBOLS_DIE_NAME_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/*
 * The name of a function or inlined call: its linkage name, demangled if asked; else the name in
 * the source, in C++, D and Rust behind those of its namespaces and classes. Owned by the caller;
 * NULL: it has none.
 */
char *die_name_build(Dwarf_Die *die, bool demangle);

/* The same for all inlined calls of one function, so that its name is built once. */
const void *die_name_key(const Dwarf_Die *die);

#endif
