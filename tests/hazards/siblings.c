/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * void f(void) { g(); g(); }: the second call writes the same words to the stack as the first one,
 * but for one return address above the leaf's caller. An unwinder that takes the callers of an
 * unchanged leaf for unchanged is wrong here.
 */
#include "tests/hazards/hazard.h"

static SITE void h(void)
{
	take(10);
	NOT_LAST;
}

static SITE void g(void)
{
	h();
	NOT_LAST;
}

static SITE void f(void)
{
	g();
	g();
	NOT_LAST;
}

/* The same, with the return address that changes so many frames away. */
static SITE void far(int frames)
{
	if (frames) {
		far(frames - 1);
		NOT_LAST;
		return;
	}
	f();
	g();
	f();
	NOT_LAST;
}

static SITE void tree(int n)
{
	take((size_t)n + 1);
	if (n > 0)
		tree(n - 1);
	if (n > 1)
		tree(n - 2);
	take((size_t)n + 1);
	NOT_LAST;
}

int main(void)
{
	int i;

	for (i = 0; i < 20; i++) {
		f();
		far(i);
		far(i);
		h();
		g();
	}
	tree(9);
	return hazard_end();
}
