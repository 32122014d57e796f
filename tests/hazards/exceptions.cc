/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Exceptions through 30 frames, each with a destructor that allocates while libgcc unwinds; caught
 * and thrown again on the way; thrown and caught inside such a destructor. A throw is an allocation
 * call of libstdc++'s, and the program counts it too. Not counted: what libstdc++ sets aside at the
 * start.
 */
#include "tests/hazards/hazard.h"

static SITE void thrown(int n)
{
	__atomic_fetch_add(&hazard_calls, 1, __ATOMIC_RELAXED);
	throw n;
}

struct Allocates {
	size_t bytes;
	explicit Allocates(size_t n) : bytes(n)
	{
		take(n);
	}
	~Allocates()
	{
		take(bytes);
		if (bytes % 10 == 0) {
			try {
				thrown(1);
			} catch (int) {
				take(bytes + 1);
			}
		}
	}
};

static SITE void dive(int n)
{
	Allocates here((size_t)n + 1);

	if (n)
		dive(n - 1);
	else
		thrown(42);
	NOT_LAST;
}

static SITE void dive_and_catch(int n)
{
	Allocates here((size_t)n + 100);

	try {
		if (n == 0)
			dive(5);
		dive_and_catch(n - 1);
	} catch (int) {
		take(2);
		if (n != 20)
			throw;
	}
	NOT_LAST;
}

int main()
{
	for (int i = 0; i < 20; i++) {
		try {
			dive(30);
		} catch (int number) {
			NEED(number == 42);
			take(3);
		}
		dive_and_catch(20);
	}
	return hazard_end();
}
