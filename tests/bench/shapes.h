/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stacks to be unwound, by functions compiled without frame pointers that keep values in
 * callee-saved registers, rbp among them. An event is a call that stands where a hook would.
 */
#ifndef TESTS_BENCH_SHAPES_H
#define TESTS_BENCH_SHAPES_H

#include <stdint.h>

enum shape {
	SHAPE_SAME,     /* one call in a loop: nothing changes from event to event */
	SHAPE_SIBLINGS, /* eight functions called in turn: two frames change */
	SHAPE_TREE,     /* a parser going down and up a tree: some frames change */
	SHAPES
};

/* At least so many events at a depth of that many frames (SHAPE_TREE: the deepest about that many,
 * and at least 16); returns how many. Nothing else is done in between. */
uint64_t shape_run(enum shape shape, unsigned depth, uint64_t events, void (*event)(void));

#endif
