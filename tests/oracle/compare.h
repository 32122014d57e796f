/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The recorder's stacks against a full walk of the reference (reference.h), in a recorder that is
 * built for it with -DXALLOC_ORACLE (never the library that is installed). Calls before its
 * constructor are not compared.
 *
 * ORACLE_OUT=FILE: where to append differences (20 a process), and a line of counts when a process
 * ends, perhaps more than one: the last one counts.
 *
 * ORACLE_EVERY=N: one event in N on average is compared (default 100).
 *
 * ORACLE_SEED=N: of the choice (default 1).
 *
 * ORACLE_FAULT=cfa|rbp|expression|modules: put a fault into the unwinder, see wrap.c.
 *
 * ORACLE_WALK=full: the full walk instead of that by rows, see wrap.c.
 *
 * What is compared: libunwind steps from the recorder's own frame, with all the registers that a
 * call preserves, to the frame whose rsp is hook_sp, which has to have hook_ip and hook_rbp; from
 * there on each frame's pc has to be the next one, be exact (interrupted, not calling) in both,
 * belong to the module that lies there now, and both have to end together.
 *
 * What is tolerated, each counted:
 *
 * no-cfi: both end at an address without unwind information.
 *
 * short: the recorder says that it could not go on, and libunwind could: what it has must be what
 * libunwind begins with. Where it ended is printed (the first 20).
 *
 * elided: the recorder cut a deep stack, no nearer than XALLOC_DEPTH: the same.
 *
 * missed: events that were to be compared and could not be.
 */
#ifndef XALLOC_ORACLE_COMPARE_H
#define XALLOC_ORACLE_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/oracle/reference.h"

enum oracle_root { ORACLE_WHOLE, ORACLE_TRUNCATED, ORACLE_ELIDED };

struct oracle_frame {
	uint64_t pc;
	bool is_exact;
	uint32_t module; /* oracle_module() when the frame id was made */
};

struct oracle_event {
	const struct full_registers *from;   /* within the hook */
	uint64_t hook_ip, hook_sp, hook_rbp; /* of the hook's caller, as the hook will leave them */
	uint32_t count;
	const struct oracle_frame *frame; /* [0] the hook's caller, [count - 1] the outermost */
	enum oracle_root root;
};

/* Is the next event to be compared? To be asked once for each. */
bool oracle_wants(void);
bool oracle_wants_all(void);

/*
 * Between the two signals are blocked and no other thread is there, in a fork child neither. The
 * hook's guard is to be held throughout.
 */
uint64_t oracle_enter(void);
void oracle_leave(uint64_t mask);

/* Inside, on a stack with some 20 KB left. Keeps errno. */
void oracle_compare(const struct oracle_event *e);

/* Inside: a difference that is found elsewhere. */
void oracle_differ(const char *what, uint64_t got, uint64_t expected);
void oracle_miss(void);

/* What tells the module at pc from others, of other times too; 0: none is there. */
uint32_t oracle_module(uint64_t pc, bool is_exact);

/* Says the counts, which go on. */
void oracle_say(void);

#endif
