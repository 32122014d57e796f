/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * loop ROUNDS FOLDER: loads and unloads two libraries in turn, which come to lie at the same address. Says at how many
 * addresses they were, and the process's peak of resident memory in KiB.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static const char *const name[] = { "one", "two" };
	void *last = NULL;
	char text[4096];
	struct rusage usage;
	int length, moves = 0;

	if (argc != 3)
		return 2;
	for (int i = 0; i < 2 * atoi(argv[1]); i++) {
		void *library, *(*allocate)(void);

		snprintf(text, sizeof(text), "%s/lib%s.so", argv[2], name[i % 2]);
		library = dlopen(text, RTLD_NOW);
		if (!library)
			return 3;
		allocate = (void *(*)(void))dlsym(library, name[i % 2]);
		moves += (void *)allocate != last;
		last = (void *)allocate;
		free(allocate());
		dlclose(library);
	}
	getrusage(RUSAGE_SELF, &usage);
	length = snprintf(text, sizeof(text), "moves %d\nresident %ld\n", moves, usage.ru_maxrss);
	return write(STDOUT_FILENO, text, (size_t)length) != length;
}
