/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * same_path TARGET FILE NAME [FILE NAME]...: loads each FILE under the path TARGET, calls its NAME
 * and unloads it. Says at how many addresses they were.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	void *last = NULL;
	char text[64];
	int length, moves = 0;

	for (int i = 2; i + 1 < argc; i += 2) {
		void *library, *(*allocate)(void);

		if (rename(argv[i], argv[1]))
			return 2;
		library = dlopen(argv[1], RTLD_NOW);
		if (!library)
			return 3;
		allocate = (void *(*)(void))dlsym(library, argv[i + 1]);
		moves += (void *)allocate != last;
		last = (void *)allocate;
		free(allocate());
		dlclose(library);
	}
	length = snprintf(text, sizeof(text), "moves %d\n", moves);
	return write(STDOUT_FILENO, text, (size_t)length) != length;
}
