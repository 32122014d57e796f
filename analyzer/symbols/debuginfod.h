/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files from debuginfod servers, through elfutils' client library, which is opened when it is first
 * needed: it brings an HTTP client along.
 */
#ifndef XALLOC_SYMBOLS_DEBUGINFOD_H
#define XALLOC_SYMBOLS_DEBUGINFOD_H

#include <stddef.h>
#include <stdint.h>

enum debuginfod_kind { DEBUGINFOD_DEBUGINFO, DEBUGINFOD_EXECUTABLE };

/*
 * The path of a file with that build ID, which the servers of DEBUGINFOD_URLS have, in the
 * library's own cache; owned by the caller. NULL: they have none, or, with *why in words, owned by
 * the caller, they could not be asked.
 */
char *debuginfod_find(const uint8_t *id, size_t bytes, enum debuginfod_kind kind, char **why);

#endif
