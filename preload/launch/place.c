/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "preload/launch/message.h"
#include "preload/trace/format.h"

#define PID_GREATEST 4194304
#define DEFAULT_PATTERN "xalloc.%e.%p.zst" /* as of the library */

static bool is_pattern(const char *text)
{
	for (; *text; text++)
		if (*text == '%' && *++text != 'p' && *text != 'e' && *text != '%')
			return false;
	return true;
}

/* Every % doubled. */
static char *escape(const char *text)
{
	char *escaped = memory_new(2 * strlen(text) + 1, 1), *to = escaped;

	for (; *text; text++) {
		*to++ = *text;
		if (*text == '%')
			*to++ = '%';
	}
	return escaped;
}

/* NULL: it is a pattern. */
static const char *pattern_wrong(const char *text)
{
	if (!*text)
		return "empty";
	return is_pattern(text) ? NULL : "only %p, %e and %% may stand behind a %";
}

/* As the library does it. */
static const char *pattern_from_environment(void)
{
	const char *text = getenv("XALLOC_OUT"), *wrong = text ? pattern_wrong(text) : NULL;

	if (wrong)
		message("bad XALLOC_OUT=%s: %s; the default is used", text, wrong);
	return text && !wrong ? text : DEFAULT_PATTERN;
}

char *place_pattern(const char *given)
{
	char directory[PATH_MAX];
	const char *wrong = given ? pattern_wrong(given) : NULL;

	if (wrong)
		refuse(EXIT_REFUSED, "bad -o%s%s: %s", *given ? " " : "", given, wrong);
	if (!given)
		given = pattern_from_environment();
	if (*given == '/')
		return text_new("%s", given);
	if (!getcwd(directory, sizeof(directory)))
		refuse(EXIT_REFUSED, "the working directory: %s", strerror(errno));
	return text_new("%s/%s", directory[1] ? escape(directory) : "", given);
}

char *place_expand(const char *pattern, const char *path, pid_t pid)
{
	const char *slash = strrchr(path, '/');
	char *text = NULL;
	size_t bytes = 0;
	FILE *to = open_memstream(&text, &bytes);

	if (!to)
		refuse(EXIT_REFUSED, "out of memory");
	for (; *pattern; pattern++) {
		if (*pattern != '%') {
			fputc(*pattern, to);
		} else if (*++pattern == 'e') {
			fputs(slash ? slash + 1 : path, to);
		} else if (*pattern == 'p' && !pid) {
			fclose(to);
			free(text);
			return NULL;
		} else if (*pattern == 'p') {
			fprintf(to, "%d", (int)pid);
		} else {
			fputc('%', to);
		}
	}
	if (fclose(to) != 0)
		refuse(EXIT_REFUSED, "out of memory");
	return text;
}

char *place_prefix(const char *pattern)
{
	char *prefix = text_new("%s", strrchr(pattern, '/') + 1), *to = prefix;
	const char *from = prefix;

	for (; *from && (*from != '%' || from[1] == '%'); from++) {
		from += *from == '%';
		*to++ = *from;
	}
	*to = 0;
	/* the library puts .PID and .execN before the suffix */
	if (to - prefix >= 4 && strcmp(to - 4, ".zst") == 0)
		to[-4] = 0;
	return prefix;
}

/*
 * File systems in which who may write to a directory can make a file there. Others are tried: but
 * ext4 looks at every inode that was freed a moment ago before it gives the next one to the trace.
 */
static bool is_ordinary(const char *directory)
{
	static const unsigned long known[] = { EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC,
					       TMPFS_MAGIC, OVERLAYFS_SUPER_MAGIC };
	struct statfs fs;

	if (statfs(directory, &fs) < 0)
		return false;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if ((unsigned long)fs.f_type == known[i])
			return true;
	return false;
}

/* As the library does it: a file without a name, if there is such a thing; or one for a moment. */
static int try_directory(const char *directory)
{
	char *name;
	int fd;

	if (is_ordinary(directory))
		return eaccess(directory, W_OK | X_OK);
	fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return close(fd);
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
		return -1;
	name = text_new("%s/.xalloc.%d.tmp", directory, (int)getpid());
	fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	close(fd);
	return unlink(name);
}

/* What the library will not replace; NULL: nothing, or a trace. */
static const char *in_the_way(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	const char *what = "a file that is no trace is there; it is not overwritten";
	struct stat st;
	struct {
		uint32_t magic, size;
		struct xt_header header;
	} head;

	if (fd < 0 && errno == ENOENT)
		return lstat(path, &st) < 0 ? NULL : "a symbolic link to nowhere is there";
	if (fd < 0)
		return strerror(errno);
	if (fstat(fd, &st) < 0)
		st.st_mode = 0;
	if (S_ISDIR(st.st_mode))
		what = strerror(EISDIR);
	else if (S_ISREG(st.st_mode) && st.st_size == 0)
		what = "an empty file is there, which is no trace; it is not overwritten";
	else if (S_ISREG(st.st_mode) && pread(fd, &head, sizeof(head), 0) == sizeof(head) &&
		 head.magic == XT_FRAME_HEADER &&
		 memcmp(head.header.magic, XT_MAGIC, sizeof(head.header.magic)) == 0)
		what = NULL;
	close(fd);
	return what;
}

void place_check(const char *pattern, const char *path)
{
	const char *slash = strrchr(pattern, '/'), *what;
	char *upper = text_new("%.*s", (int)(slash - pattern), pattern);
	char *directory = place_expand(upper, path, 0), *name = place_expand(pattern, path, 0);

	if (directory && try_directory(*directory ? directory : "/") < 0)
		refuse(EXIT_REFUSED, "%s: %s: the trace cannot be written there",
		       *directory ? directory : "/", strerror(errno));
	if (directory && !slash[1])
		refuse(EXIT_REFUSED, "%s: no name for the trace", pattern);
	/* nothing can be in the way of a name that is not known yet, but it may be too long */
	if (directory && !name)
		name = place_expand(pattern, path, PID_GREATEST);
	what = name ? in_the_way(name) : NULL;
	if (what)
		refuse(EXIT_REFUSED, "%s: %s", name, what);
	free(upper);
	free(directory);
	free(name);
}
