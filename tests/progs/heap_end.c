/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * heap_end BLOCKS: allocates so many blocks, frees every other one, so that the heap is full of free
 * chunks that nobody joins, prints the CPU time in ns that it has used, and ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define BYTES 24 /* the smallest chunk: as many as can be in so much memory */

int main(int argc, char **argv)
{
	const long blocks = argc > 1 ? atol(argv[1]) : 0;
	void **block = malloc((size_t)(blocks + 1) * sizeof(*block));
	struct timespec used;
	char text[32];
	int size;

	for (long i = 0; block && i < blocks; i++)
		block[i] = malloc(BYTES);
	for (long i = 0; block && i < blocks; i += 2)
		free(block[i]);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	size = snprintf(text, sizeof(text), "%lld\n", used.tv_sec * 1000000000ll + used.tv_nsec);
	return write(STDOUT_FILENO, text, (size_t)size) != size;
}
