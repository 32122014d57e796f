/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The row that elfutils' reading of .eh_frame asks for: the independent half of the comparison. */
#ifndef XALLOC_ORACLE_EXPECTED_H
#define XALLOC_ORACLE_EXPECTED_H

#include <stdint.h>

#include <elfutils/libdw.h>

#include "preload/unwind/row.h"

/*
 * *row for the link-time address, and the end of the range [address, *end) that it holds for; *end
 * is address + 1 where nothing covers the address. entry is the file's entry point, 0: none. Of a
 * file without unwind information cfi is NULL.
 */
void expected_row(Dwarf_CFI *cfi, uint64_t address, uint64_t entry, struct row *row, uint64_t *end);

#endif
