/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that loads libraries and says what it finds of libgcc's registration: by a weak
 * reference, by dlsym and dlvsym, and which library's function a loaded one is bound to. Arguments:
 * global=FILE, local=FILE (and its `use` is called), close (the last one).
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "tests/jit/owner.h"

extern void __register_frame(void *) __attribute__((weak));
extern void __register_frame_info(const void *, void *) __attribute__((weak));

int main(int argc, char **argv)
{
	void *last = NULL;

	for (int i = 1; i < argc; i++) {
		const char *file = strchr(argv[i], '=');
		const char *(*use)(void);

		if (!file) {
			printf("closed %d\n", dlclose(last));
			continue;
		}
		last = dlopen(file + 1, RTLD_NOW | (argv[i][0] == 'g' ? RTLD_GLOBAL : RTLD_LOCAL));
		if (!last) {
			printf("%s\n", dlerror());
			return 2;
		}
		use = (const char *(*)(void))dlsym(last, "use");
		printf("use: %s\n", use ? use() : "none");
		printf("of the library: %s\n", owner(dlsym(last, "__register_frame")));
		printf("weak: %s %s\n", owner((void *)__register_frame),
		       owner((void *)__register_frame_info));
		printf("dlsym: %s\n", owner(dlsym(RTLD_DEFAULT, "__register_frame")));
		printf("dlvsym: %d\n",
		       dlvsym(RTLD_DEFAULT, "__deregister_frame", "GCC_3.0") != NULL);
	}
	return 0;
}
