/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which frames at the root of a stack only start a program or a thread, and so are not shown.
 *
 * Process: `_start` of the main executable, then one or more frames of libc.so.6 that have no
 * symbol or are __libc_start_main, __libc_start_main_impl or __libc_start_call_main, then a frame
 * of another module. Those frames of libc are not shown; `_start` neither, when that next frame
 * is `main`.
 *
 * Thread: frames of libc.so.6 only that have no symbol or are start_thread, clone, __clone, clone3,
 * __clone3 or thread_start, then a frame of another module. They are not shown.
 *
 * Anything else is shown whole: a stack with another function of libc among these frames (exit,
 * say), and one that ends before a frame of another module.
 */
#ifndef XALLOC_REPORT_STARTUP_H
#define XALLOC_REPORT_STARTUP_H

#include <stdbool.h>

#include "analyzer/symbols/symbolizer.h"

/* How far a stack, read from its root, is in what may turn out to be start-up frames. */
enum startup_state {
	STARTUP_ROOT, /* no frame yet */
	STARTUP_START, /* `_start` */
	STARTUP_LIBC, /* `_start` and libc's frames */
	STARTUP_THREAD, /* libc's frames of a thread */
	STARTUP_BODY /* behind all that */
};

/* What to leave out once the stack goes on with a frame. */
enum startup_drop {
	STARTUP_DROP_NOTHING,
	STARTUP_DROP_LIBC, /* all frames so far but `_start`, the first */
	STARTUP_DROP_ALL /* all frames so far */
};

/* The state after a frame; *drop says what of the frames before it is to be left out. */
enum startup_state startup_step(enum startup_state state, const struct frame_name *frame,
				enum startup_drop *drop);

/* Whether it is a name that is looked for here, or main. */
bool startup_knows(const char *function);

#endif
