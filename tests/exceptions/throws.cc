/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * throws THROWS: so many exceptions through 30 frames, half of which have something to destroy;
 * says how many microseconds of CPU all of them took. With -DLIBRARY what a C program calls instead
 * of main.
 */
#include <cstdio>
#include <cstdlib>
#include <ctime>

#define APART __attribute__((noinline, noclone))

static volatile int destroyed;

struct Destroyed {
	~Destroyed()
	{
		destroyed = destroyed + 1;
	}
};

static APART int dive(int n)
{
	if (n == 0)
		throw 42;
	if (n % 2)
		return dive(n - 1) + 1;
	Destroyed here;
	return dive(n - 1) + 2;
}

static APART int caught(int n)
{
	try {
		return dive(n);
	} catch (int number) {
		return number;
	}
}

extern "C" int throws(int count)
{
	struct timespec from, to;

	caught(30);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	for (int i = 0; i < count; i++)
		if (caught(30) != 42)
			return 1;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	printf("microseconds %ld\n",
	       (to.tv_sec - from.tv_sec) * 1000000 + (to.tv_nsec - from.tv_nsec) / 1000);
	return 0;
}

#ifndef LIBRARY
int main(int argc, char **argv)
{
	return argc == 2 ? throws(atoi(argv[1])) : 2;
}
#endif
