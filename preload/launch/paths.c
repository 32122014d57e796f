/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/paths.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "preload/launch/message.h"

#define LIBRARY "libxalloc.so"
#define REPORT "xalloc-report"

char *paths_own(void)
{
	char path[PATH_MAX];
	const ssize_t bytes = readlink("/proc/self/exe", path, sizeof(path) - 1);
	/* as we were started: the working directory has not changed since */
	const char *started = (const char *)getauxval(AT_EXECFN);

	if (bytes > 0)
		path[bytes] = 0;
	else if (!started || !realpath(started, path))
		refuse(EXIT_REFUSED, "without /proc it is not known where " LIBRARY " is");
	return text_new("%s", path);
}

/* The directory that the executable lies in. */
static char *own_directory(void)
{
	char *path = paths_own();

	*strrchr(path, '/') = 0;
	return path;
}

char *paths_library(void)
{
	char *own = own_directory();
	const char *slash = strrchr(own, '/');
	const int above = slash ? (int)(slash - own) : 0;
	char *place[] = { text_new("%s/" LIBRARY, own), text_new("%.*s/lib/" LIBRARY, above, own),
			  text_new("%s/" LIBRARY, XALLOC_LIBDIR) };
	char *found = NULL;

	for (size_t i = 0; !found && i < sizeof(place) / sizeof(*place); i++)
		if (access(place[i], R_OK) == 0)
			found = place[i];
	if (!found)
		refuse(EXIT_REFUSED, LIBRARY " was not found: looked for %s, %s, %s", place[0],
		       place[1], place[2]);
	if (strpbrk(found, " :"))
		refuse(EXIT_REFUSED,
		       "%s: LD_PRELOAD takes no path with a blank or a colon: install it elsewhere",
		       found);
	return found;
}

char *paths_report(void)
{
	char *path = text_new("%s/" REPORT, own_directory());

	if (access(path, X_OK) < 0)
		refuse(EXIT_REFUSED, "%s is not there: --report needs it", path);
	return path;
}
