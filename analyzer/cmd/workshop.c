/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/workshop.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/mem.h"
#include "analyzer/cmd/temporary.h"

#define COPY_BYTES (1u << 18)

static int make(const char *path, struct err *err)
{
	return mkdir(path, 0700) ? err_set(err, "%s: cannot be made: %s", path, strerror(errno))
				 : 0;
}

int workshop_open(struct workshop *workshop, struct err *err)
{
	const char *place = getenv("TMPDIR");
	int ret;

	*workshop = (struct workshop){ .back = -1 };
	workshop->path =
		xasprintf("%s/xalloc-evidence.XXXXXX", place && *place == '/' ? place : "/tmp");
	if (temporary_make_folder(TEMPORARY_SCRATCH, workshop->path)) {
		ret = err_set(err, "%s: cannot be made: %s", workshop->path, strerror(errno));
		free(workshop->path);
		workshop->path = NULL;
		return ret;
	}
	workshop->in = xasprintf("%s/in", workshop->path);
	workshop->out = xasprintf("%s/out", workshop->path);
	workshop->root = xasprintf("%s/root", workshop->path);
	return make(workshop->in, err) || make(workshop->out, err) || make(workshop->root, err) ? -1
												: 0;
}

int workshop_enter(struct workshop *workshop, struct err *err)
{
	workshop->back = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (workshop->back < 0 || chdir(workshop->in))
		return err_set(err, "%s: %s", workshop->in, strerror(errno));
	return 0;
}

void workshop_close(struct workshop *workshop)
{
	if (workshop->back >= 0) {
		if (fchdir(workshop->back))
			chdir("/"); /* nobody needs it any more */
		close(workshop->back);
	}
	if (workshop->path)
		temporary_remove_folder(TEMPORARY_SCRATCH);
	free(workshop->path);
	free(workshop->in);
	free(workshop->out);
	free(workshop->root);
}

static int copy_all(int in, int out, uint8_t *bytes)
{
	static const uint8_t zeros[COPY_BYTES];
	off_t at = 0;
	ssize_t size;

	while ((size = read(in, bytes, COPY_BYTES)) > 0 || (size < 0 && errno == EINTR)) {
		ssize_t done = 0;

		if (size > 0 && !memcmp(bytes, zeros, (size_t)size))
			done = size;
		while (done < size) {
			const ssize_t part =
				pwrite(out, bytes + done, (size_t)(size - done), at + done);

			if (part <= 0)
				return -1;
			done += part;
		}
		at += size > 0 ? size : 0;
	}
	return size < 0 ? -1 : ftruncate(out, at);
}

int workshop_copy(const char *from, const char *to, struct err *err)
{
	const int in = open(from, O_RDONLY | O_CLOEXEC);
	int out, ret = 0;
	uint8_t *bytes;

	if (in < 0)
		return err_set(err, "%s: %s", from, strerror(errno));
	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bytes = xmalloc(COPY_BYTES);
	if (out < 0 || copy_all(in, out, bytes))
		ret = err_set(err, "%s: cannot be copied to %s: %s", from, to, strerror(errno));
	free(bytes);
	close(in);
	if (out >= 0)
		close(out);
	return ret;
}
