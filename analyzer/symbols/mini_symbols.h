/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The symbol table that some distributions leave in stripped files: an ELF file compressed by xz in
 * section .gnu_debugdata, with the functions that .dynsym has not.
 */
#ifndef XALLOC_SYMBOLS_MINI_SYMBOLS_H
#define XALLOC_SYMBOLS_MINI_SYMBOLS_H

#include <libelf.h>

struct mini_symbols {
	Elf *elf; /* NULL: the file has none, or one that is damaged or too large */
	void *image;
};

#define MINI_SYMBOLS_MAX (64u << 20) /* bytes: a few may be packed that are any number */

void mini_symbols_open(struct mini_symbols *mini, Elf *elf);
void mini_symbols_close(struct mini_symbols *mini);

#endif
