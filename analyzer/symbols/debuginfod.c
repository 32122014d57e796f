/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/mem.h"

#define LIBRARY "libdebuginfod.so.1"

/* As <elfutils/debuginfod.h> has them, which need not be there to build. */
struct client;
typedef int find_function(struct client *client, const unsigned char *id, int bytes, char **path);

struct library {
	struct client *(*begin)(void);
	void (*end)(struct client *client);
	find_function *find;
};

/* It stays open: what it brings along does not like to go. */
static int open_library(struct library *library, enum debuginfod_kind kind, char **why)
{
	void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	if (!handle) {
		*why = xasprintf("%s cannot be opened: %s", LIBRARY, dlerror());
		return -1;
	}
	*(void **)&library->begin = dlsym(handle, "debuginfod_begin");
	*(void **)&library->end = dlsym(handle, "debuginfod_end");
	*(void **)&library->find =
		dlsym(handle, kind == DEBUGINFOD_EXECUTABLE ? "debuginfod_find_executable"
							    : "debuginfod_find_debuginfo");
	if (library->begin && library->end && library->find)
		return 0;
	*why = xasprintf("%s lacks functions that are needed", LIBRARY);
	return -1;
}

char *debuginfod_find(const uint8_t *id, size_t bytes, enum debuginfod_kind kind, char **why)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct library library;
	struct client *client;
	char *path = NULL;
	int fd;

	if (!urls || !*urls) {
		*why = xstrdup("DEBUGINFOD_URLS is not set, so no server is asked");
		return NULL;
	}
	if (open_library(&library, kind, why))
		return NULL;
	client = library.begin();
	if (!client) {
		*why = xasprintf("%s does not start", LIBRARY);
		return NULL;
	}
	fd = library.find(client, id, (int)bytes, &path);
	library.end(client);
	if (fd < 0) {
		if (fd != -ENOENT)
			*why = xasprintf("a server could not be asked: %s", strerror(-fd));
		return NULL;
	}
	close(fd);
	return path;
}
