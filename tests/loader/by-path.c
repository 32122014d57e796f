/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A plugin that opens libpath-need.so, which only its own DT_RPATH leads to: the loader looks there
 * because the call of dlopen comes from here.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int plugin_work(void);

int plugin_work(void)
{
	void *need = dlopen("libpath-need.so", RTLD_NOW);
	int (*work)(void) = need ? (int (*)(void))dlsym(need, "plugin_work") : NULL;

	if (!work) {
		fprintf(stderr, "%s\n", dlerror());
		exit(3);
	}
	return work();
}
