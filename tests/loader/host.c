/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * host HOW PLUGIN...: opens each plugin and has it allocate, then makes 5 calls of 50 bytes itself
 * and prints the sum of what the plugins said. HOW is one of
 *   global, local, deep   dlopen with RTLD_GLOBAL, RTLD_LOCAL, RTLD_LOCAL | RTLD_DEEPBIND
 *   apart                 dlmopen: each in a namespace of its own
 * and may be followed by a dash and letters: c closes each plugin, t leaves a thread that lives on,
 * k ends the process by SIGKILL.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is(const char *how, const char *word)
{
	return !strncmp(how, word, strlen(word));
}

static void *open_plugin(const char *how, const char *name)
{
	if (is(how, "apart"))
		return dlmopen(LM_ID_NEWLM, name, RTLD_NOW | RTLD_LOCAL);
	return dlopen(name, RTLD_LAZY | (is(how, "deep")     ? RTLD_LOCAL | RTLD_DEEPBIND
					 : is(how, "global") ? RTLD_GLOBAL
							     : RTLD_LOCAL));
}

__attribute__((noinline)) void own(void);
void own(void)
{
	void *volatile p;
	int i;

	for (i = 0; i < 5; i++) {
		p = malloc(50);
		free(p);
	}
}

static void *live_on(void *unused)
{
	for (;;)
		pause();
	return unused;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "", *letters = strchr(how, '-');
	pthread_t thread;
	int i, sum = 0;

	letters = letters ? letters : "";
	for (i = 2; i < argc; i++) {
		void *plugin = open_plugin(how, argv[i]);
		int (*work)(void) = plugin ? (int (*)(void))dlsym(plugin, "plugin_work") : NULL;

		if (!work) {
			fprintf(stderr, "%s\n", dlerror());
			return 3;
		}
		sum += work();
		if (strchr(letters, 'c'))
			dlclose(plugin);
	}
	own();
	if (strchr(letters, 't') && pthread_create(&thread, NULL, live_on, NULL))
		return 3;
	printf("%d\n", sum);
	fflush(stdout);
	if (strchr(letters, 'k'))
		kill(getpid(), SIGKILL);
	return 0;
}
