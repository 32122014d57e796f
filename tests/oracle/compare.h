/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The walker's stacks against a full walk of libunwind, in a recorder built with -DXALLOC_ORACLE
 * (never the library that is installed). libunwind is opened in a constructor; calls before that
 * are not compared.
 *
 * XALLOC_ORACLE_OUT=FILE	where to append: a line for each process, before it differences (20)
 * XALLOC_ORACLE_EVERY=N	one call in N on average is compared (default 100)
 * XALLOC_ORACLE_FAULT=cfa|rbp|expression	put a fault into the unwinder, see wrap.c
 * XALLOC_ORACLE_WALK=full	the full walk instead of that by rows, see wrap.c
 * XALLOC_ORACLE_MAX=N		at most so many in a process (default: no limit)
 * XALLOC_ORACLE_SEED=N		of the choice (default 1)
 *
 * What is compared: libunwind's cursor, caching off, steps from oracle_compare's own frame, through
 * the recorder's, to the frame whose rsp is hook_sp, which has to have hook_ip and hook_rbp; from
 * there on each frame's ip has to be the next of pcs, and both have to end together.
 *
 * What is tolerated, each counted:
 * truncated	the walker says that it could not go on: what it has must be what libunwind begins
 *		with. Where it ended is printed (the first 20).
 * elided	the walker cut a deep stack: the same.
 */
#ifndef XALLOC_ORACLE_COMPARE_H
#define XALLOC_ORACLE_COMPARE_H

#include <stdint.h>

enum oracle_root { ORACLE_WHOLE, ORACLE_TRUNCATED, ORACLE_ELIDED };

/*
 * pcs[0] is the return address into the hook's caller, pcs[count - 1] the outermost. hook_ip,
 * hook_sp and hook_rbp are that caller's registers as they will be when the hook has returned. To
 * be called from within the hook, on its stack, with the guard held; keeps errno; needs some 16 KB
 * of stack.
 */
void oracle_compare(const uint64_t *pcs, unsigned count, enum oracle_root root, uint64_t hook_ip,
		    uint64_t hook_sp, uint64_t hook_rbp);

#endif
