/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens plugins, RTLD_LOCAL, in the order of the arguments; a "-" closes the last one. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	void *handle = NULL;
	int i;

	for (i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-") == 0) {
			dlclose(handle);
			continue;
		}
		handle = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
		if (!handle) {
			puts(dlerror());
			return 1;
		}
		((void (*)(void))dlsym(handle, "work"))();
	}
	return 0;
}
