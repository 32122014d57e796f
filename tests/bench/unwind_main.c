/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Without arguments: one round, a line "SHAPE DEPTH NS FRAMES" for each shape and depth; NS is CPU
 * nanoseconds an event, what the same calls cost without the unwinder subtracted; FRAMES is the
 * mean. With SHAPE DEPTH EVENTS: that many events and nothing else, for a counter of instructions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/bench/shapes.h"
#include "tests/bench/unwinder.h"

#define EVENT_FRAMES 2000000u /* of a measurement */

static const unsigned depths[] = { 5, 20, 60, 200 };

static __attribute__((noinline)) void no_event(void)
{
	__asm__ volatile("");
}

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double ns_per_event(enum shape shape, unsigned depth, uint64_t events, void (*event)(void))
{
	double start = cpu_ns();
	uint64_t done = shape_run(shape, depth, events, event);

	return (cpu_ns() - start) / (double)done;
}

static void measure(enum shape shape, unsigned depth)
{
	uint64_t events = EVENT_FRAMES / (depth + 15), done, frames;
	double with, without;

	/* the first events compute rows */
	frames = unwinder_frames();
	done = shape_run(shape, depth, events / 10, unwinder_event);
	frames = unwinder_frames() - frames;
	without = ns_per_event(shape, depth, events, no_event);
	with = ns_per_event(shape, depth, events, unwinder_event);
	printf("%d %u %.3f %.3f\n", shape, depth, with - without, (double)frames / (double)done);
}

int main(int argc, char **argv)
{
	unsigned i;
	int shape;

	unwinder_init();
	if (argc == 4) {
		shape_run(atoi(argv[1]) % SHAPES, (unsigned)atoi(argv[2]),
			  strtoull(argv[3], NULL, 10), unwinder_event);
		return 0;
	}
	for (shape = 0; shape < SHAPES; shape++)
		for (i = 0; i < sizeof(depths) / sizeof(*depths); i++)
			measure(shape, depths[i]);
	return 0;
}
