/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libA, if PICKS: a function that is chosen by one that allocates (ifunc), 10 blocks of 20 bytes,
 * all kept. Else libB, which is bound to it at once (-z now), by a call and by its address. Else,
 * if MAIN, the program. */
#include <stdio.h>
#include <stdlib.h>

int picked(void);
int use_picked(void);
void *kept_by_picker(int i);

#if defined(PICKS)
static void *kept[10];

static int implementation(void)
{
	return 7;
}

__attribute__((noinline)) static void picker(void)
{
	int i;

	for (i = 0; i < 10; i++)
		kept[i] = realloc(malloc(10), 20);
}

__attribute__((used)) static int (*pick(void))(void)
{
	picker();
	return implementation;
}

int picked(void) __attribute__((ifunc("pick")));

void *kept_by_picker(int i)
{
	return kept[i];
}
#elif defined(MAIN)
int main(void)
{
	int i;

	if (use_picked() != 14)
		return 2;
	for (i = 0; i < 9; i++)
		free(kept_by_picker(i));
	puts("picked");
	return 0;
}
#else
static int (*const volatile by_address)(void) = picked;

int use_picked(void)
{
	return picked() + by_address();
}
#endif
