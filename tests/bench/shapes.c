/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/bench/shapes.h"

#define APART __attribute__((noinline, noclone, noipa))
#define SIBLINGS 8
#define TREE_LEVELS 7

struct job {
	void (*event)(void);
	uint64_t (*leaf)(struct job *job);
	uint64_t wanted, done;
};

static APART uint64_t leaf_same(struct job *job)
{
	while (job->done < job->wanted) {
		job->event();
		job->done++;
	}
	return job->done;
}

/* Values that live across the call are in callee-saved registers. */
#define SIBLING(n)                                                    \
	static APART uint64_t sibling##n(struct job *job, uint64_t a) \
	{                                                             \
		uint64_t b = a * (2 * n + 3), c = a ^ (n + 1);        \
                                                                      \
		job->event();                                         \
		job->done++;                                          \
		return b + c + a;                                     \
	}
SIBLING(0)
SIBLING(1)
SIBLING(2)
SIBLING(3)
SIBLING(4)
SIBLING(5)
SIBLING(6)
SIBLING(7)

static APART uint64_t leaf_siblings(struct job *job)
{
	uint64_t x = 1;

	while (job->done < job->wanted) {
		x = sibling0(job, x);
		x = sibling1(job, x);
		x = sibling2(job, x);
		x = sibling3(job, x);
		x = sibling4(job, x);
		x = sibling5(job, x);
		x = sibling6(job, x);
		x = sibling7(job, x);
	}
	return x;
}

static APART uint64_t tree_value(struct job *job, unsigned level, uint64_t a);

static APART uint64_t tree_object(struct job *job, unsigned level, uint64_t a)
{
	uint64_t b = a + level;

	job->event();
	job->done++;
	b += tree_value(job, level - 1, b);
	b ^= tree_value(job, level - 1, a);
	return a + b;
}

static APART uint64_t tree_array(struct job *job, unsigned level, uint64_t a)
{
	volatile uint64_t room[6];
	unsigned i;

	for (i = 0; i < 3; i++)
		room[i] = tree_value(job, level - 1, a + i);
	return a ^ room[0] ^ room[1] ^ room[2];
}

static APART uint64_t tree_value(struct job *job, unsigned level, uint64_t a)
{
	uint64_t b = a * 5;

	if (level)
		b += level & 1 ? tree_array(job, level, b) : tree_object(job, level, b);
	job->event();
	job->done++;
	return a + b;
}

static APART uint64_t leaf_tree(struct job *job)
{
	uint64_t x = 1;

	while (job->done < job->wanted)
		x += tree_value(job, TREE_LEVELS, x);
	return x;
}

static APART uint64_t chain(struct job *job, unsigned depth, uint64_t a);

static APART uint64_t chain_wide(struct job *job, unsigned depth, uint64_t a)
{
	uint64_t b = a ^ depth, c = a * 7, d = a + 9, e = a * 11;

	b += depth ? chain(job, depth - 1, c) : job->leaf(job);
	return a + b + c + d + e;
}

static APART uint64_t chain_large(struct job *job, unsigned depth, uint64_t a)
{
	volatile uint64_t room[20];

	room[a % 20] = a;
	a += depth ? chain_wide(job, depth - 1, a) : job->leaf(job);
	return a + room[3];
}

static APART uint64_t chain(struct job *job, unsigned depth, uint64_t a)
{
	uint64_t b = a + depth;

	b ^= depth ? chain_large(job, depth - 1, b) : job->leaf(job);
	return b + a;
}

uint64_t shape_run(enum shape shape, unsigned depth, uint64_t events, void (*event)(void))
{
	static uint64_t (*const leaves[SHAPES])(struct job *) = { leaf_same, leaf_siblings,
								  leaf_tree };
	/* frames from the leaf function to the one that calls event */
	static const unsigned inner[SHAPES] = { 1, 2, 2 + 2 * TREE_LEVELS };
	struct job job = { event, leaves[shape], events, 0 };
	volatile uint64_t result;

	result = depth > inner[shape] ? chain(&job, depth - inner[shape] - 1, depth)
				      : job.leaf(&job);
	(void)result;
	return job.done;
}
