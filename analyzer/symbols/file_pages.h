/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory that a mapped file takes. */
#ifndef XALLOC_SYMBOLS_FILE_PAGES_H
#define XALLOC_SYMBOLS_FILE_PAGES_H

#include <sys/stat.h>

/*
 * Where this file is mapped as a whole, for reading only and private, its pages are given back:
 * they are the kernel's still, and there again when they are read. No contents change. Other
 * mappings, and files that have none, are left as they are.
 */
void file_pages_give(const struct stat *file);

#endif
