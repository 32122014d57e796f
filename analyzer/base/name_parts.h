/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A demangled function name of C++, Rust or D, taken apart.
 *
 *   void ns::Table<int>::insert<char>(char, int) const [clone .cold]
 *     name            ns::Table::insert
 *     specialization  ns::Table<int>::insert<char>
 *     arguments       <int><char>
 *     parameters      (char, int) const
 *
 * What a compiler or demangler put to it belongs to none of them: return types, "[abi:cxx11]",
 * "[clone .cold]", suffixes like .isra.0 and .constprop.0, Rust's hash.
 * Functions that others lie in keep their names alone: f(int)::{lambda(char)#1}::operator()() is
 * f::{lambda(char)#1}::operator(). What stands in braces stays as it is; "(anonymous namespace)",
 * too. <T<u8> as Trait<X>>::f of Rust is <T as Trait>::f, <T<u8>>::f is T::f.
 * A name with nothing of all that is its own.
 */
#ifndef XALLOC_BASE_NAME_PARTS_H
#define XALLOC_BASE_NAME_PARTS_H

struct name_parts {
	char *name;           /* scopes and function, without template arguments */
	char *specialization; /* the same with them */
	char *arguments;      /* the lists of them, in their order; "": none */
	char *parameters;     /* with what qualifies the function; "": none are known */
};

/* Takes time in proportion to the name. Release after use. */
void name_parts_split(struct name_parts *parts, const char *function);
void name_parts_release(struct name_parts *parts);

#endif
