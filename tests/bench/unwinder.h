/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is measured: one of unwinder_ours.c and unwinder_libunwind.c.
 */
#ifndef TESTS_BENCH_UNWINDER_H
#define TESTS_BENCH_UNWINDER_H

#include <stdint.h>

void unwinder_init(void);

/* Stands where a hook would, and walks the stack from its caller outwards. */
void unwinder_event(void);

/* Frames of all events so far, from unwinder_event's caller outwards. */
uint64_t unwinder_frames(void);

#endif
