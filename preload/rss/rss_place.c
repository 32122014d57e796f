/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/rss/rss_place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/launch/message.h"

#define SCHEMA "\"xalloc-rss/" /* within the first bytes of a result */
#define HEAD_BYTES 64

/* Why the file that is there is not to be replaced; NULL: nothing is, or a result. */
static const char *in_the_way(const char *path)
{
	char head[HEAD_BYTES + 1] = "";
	struct stat st;
	int fd;

	if (stat(path, &st) < 0)
		return errno != ENOENT         ? strerror(errno)
		       : lstat(path, &st) == 0 ? "a symbolic link to nowhere is there"
					       : NULL;
	if (S_ISDIR(st.st_mode))
		return strerror(EISDIR);
	fd = S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd >= 0 && pread(fd, head, HEAD_BYTES, 0) < 0)
		head[0] = 0;
	if (fd >= 0)
		close(fd);
	return strstr(head, SCHEMA) ? NULL
				    : "a file that is no result of xalloc rss is there; it is not "
				      "overwritten";
}

char *rss_place(const char *out)
{
	char directory[PATH_MAX] = "", *path, *above;
	const char *what;

	if (!*out)
		refuse(EXIT_REFUSED, "bad -o: empty");
	if (*out != '/' && !getcwd(directory, sizeof(directory)))
		refuse(EXIT_REFUSED, "the working directory: %s", strerror(errno));
	path = *out == '/' ? text_new("%s", out) : text_new("%s/%s", directory, out);
	above = text_new("%.*s", (int)(strrchr(path, '/') - path), path);
	if (eaccess(*above ? above : "/", W_OK | X_OK) < 0)
		refuse(EXIT_REFUSED, "%s: %s: the result cannot be written there",
		       *above ? above : "/", strerror(errno));
	free(above);
	what = in_the_way(path);
	if (what)
		refuse(EXIT_REFUSED, "%s: %s", path, what);
	return path;
}

int rss_save(const struct rss_result *result, const char *path)
{
	char *name = text_new("%s.%d.tmp", path, (int)getpid());
	const int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	FILE *to = fd >= 0 ? fdopen(fd, "w") : NULL;
	int error = to ? 0 : errno;

	if (to) {
		errno = 0;
		rss_write_json(result, to);
		if (fflush(to) != 0 || ferror(to))
			error = errno ? errno : EIO;
		if (fclose(to) != 0 && !error)
			error = errno;
	}
	if (!error && rename(name, path) < 0)
		error = errno;
	if (error) {
		if (fd >= 0)
			unlink(name);
		message("%s: %s", path, strerror(error));
	}
	free(name);
	return error ? -1 : 0;
}
