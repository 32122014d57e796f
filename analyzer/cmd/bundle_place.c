/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/bundle_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/cmd/temporary.h"
#include "analyzer/symbols/symbol_file.h"

int bundle_check_place(const char *path, struct err *err)
{
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct symbol_file *file;
	char *why = NULL;

	if (fd < 0)
		return errno == ENOENT ? 0 : err_set(err, "%s: %s", path, strerror(errno));
	file = symbol_file_read(fd, SYMBOL_BUNDLE_MAX, &why);
	close(fd);
	symbol_file_free(file);
	if (!why)
		return 0;
	err_set(err, "-o would replace %s, which is no bundle: %s", path, why);
	free(why);
	return -1;
}

int bundle_write(const struct symbol_bundle *bundle, const char *path, const char *name,
		 struct err *err)
{
	FILE *out;
	int ret;

	temporary_set(path);
	out = fopen(path, "wxe");
	if (!out) {
		temporary_set(NULL);
		return err_set(err, "%s: cannot be written: %s", name, strerror(errno));
	}
	errno = 0;
	ret = symbol_file_write(out, bundle->table, bundle->tables, SYMBOL_BUNDLE_MAX);
	if ((fclose(out) | ret) || rename(path, name))
		return err_set(err, "%s: cannot be written: %s", name,
			       strerror(errno ? errno : EIO));
	temporary_set(NULL);
	return 0;
}
