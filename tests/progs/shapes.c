/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ends with a heap of an odd shape; the argument says which. */
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *volatile block;

static void aligned(void)
{
	for (size_t i = 0; i < 60; i++)
		block = memalign(64u << (i % 10), 100 * i);
}

static void moved(void)
{
	block = memalign(1 << 20, 300000);
	block = realloc(block, 600000);
	block = memalign(8192, 200000);
	block = realloc(block, 1000000);
	block = realloc(block, 150000);
}

static void mapped(void)
{
	block = malloc(200000);
	block = realloc(block, 1000000);
	block = memalign(1 << 20, 300000);
}

static void break_of_its_own(void)
{
	for (int i = 0; i < 5; i++) {
		sbrk(4096);
		block = malloc(100000);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*make)(void);
	} shapes[] = { { "aligned", aligned },
		       { "moved", moved },
		       { "mapped", mapped },
		       { "break", break_of_its_own } };

	for (size_t i = 0; argc > 1 && i < sizeof(shapes) / sizeof(*shapes); i++)
		if (strcmp(argv[1], shapes[i].name) == 0) {
			shapes[i].make();
			return 0;
		}
	return 2;
}
