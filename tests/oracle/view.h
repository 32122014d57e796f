/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a reader of the trace has of each stream: the stack of the last event, to which it applies
 * the pops and pushes of the next. It has to come to the stack that the recorder keeps.
 */
#ifndef XALLOC_ORACLE_VIEW_H
#define XALLOC_ORACLE_VIEW_H

#include <stdint.h>

#include "preload/unwind/unwind.h"

/* After an event; was_shown: u->shown before it. A difference is told to oracle_differ. To be
 * called between oracle_enter and oracle_leave, for every event. */
void view_follow(const struct unwind_state *u, uint32_t was_shown, struct unwind_change change);

/* After an event that a reader gets whole. */
void view_begin(const struct unwind_state *u);

#endif
