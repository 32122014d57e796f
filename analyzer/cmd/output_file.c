/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/output_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/mem.h"
#include "analyzer/cmd/temporary.h"

static int set_error(struct err *err, const char *path)
{
	return err_set(err, "%s: %s", path, strerror(errno ? errno : EIO));
}

static int fill(FILE *out, const char *text, const char *path)
{
	struct stat old;

	if (!stat(path, &old) && S_ISREG(old.st_mode) && fchmod(fileno(out), old.st_mode & 07777))
		return -1;
	if (fprintf(out, "%s\n", text) < 0 || fflush(out) || fsync(fileno(out)))
		return -1;
	return 0;
}

/* /dev/stdout, a pipe with a name: there is nothing to be kept. */
static int write_device(const char *text, const char *path, struct err *err)
{
	FILE *out = fopen(path, "we");
	int ret = !out || fprintf(out, "%s\n", text) < 0 ? -1 : 0;

	ret = out && fclose(out) ? -1 : ret;
	return ret ? set_error(err, path) : 0;
}

int output_file_write(const char *text, const char *path, struct err *err)
{
	struct stat status;
	char *name;
	FILE *out;
	int ret = -1;

	if (!path) {
		puts(text);
		return 0;
	}
	if (!stat(path, &status) && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
		return write_device(text, path, err);
	name = xasprintf("%s.new.%ld", path, (long)getpid());
	errno = 0;
	out = fopen(name, "wxe");
	if (out) {
		temporary_set(name);
		ret = fill(out, text, path);
		ret = fclose(out) || ret ? -1 : 0;
		ret = ret || rename(name, path) ? -1 : 0;
	}
	if (ret)
		set_error(err, path);
	if (out && ret)
		temporary_remove();
	temporary_set(NULL);
	free(name);
	return ret;
}
