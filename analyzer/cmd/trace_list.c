/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/trace_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/mem.h"
#include "preload/trace/format.h"

static bool has_name_of_trace(const char *path)
{
	const size_t length = strlen(path);

	return length > 4 && !strcmp(path + length - 4, ".zst");
}

/* Or is called as one is, and cannot be read or has nothing in it: who opens it says so. */
static bool may_be_trace(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char head[XT_FRAME_HEAD_BYTES + sizeof(XT_MAGIC) - 1];
	struct stat st;
	bool begins;

	if (fd < 0)
		return has_name_of_trace(path) && errno != ENOENT;
	begins = !fstat(fd, &st) && S_ISREG(st.st_mode) &&
		 ((pread(fd, head, sizeof(head), 0) == sizeof(head) &&
		   !memcmp(head + XT_FRAME_HEAD_BYTES, XT_MAGIC, sizeof(XT_MAGIC) - 1)) ||
		  (!st.st_size && has_name_of_trace(path)));
	close(fd);
	return begins;
}

int trace_list_add(struct trace_list *list, const char *name, struct err *err)
{
	const size_t before = list->path.count;
	struct dirent **entry;
	struct stat st;
	int entries;

	if (stat(name, &st) || !S_ISDIR(st.st_mode)) {
		strlist_take(&list->path, xstrdup(name));
		return 0;
	}
	entries = scandir(name, &entry, NULL, alphasort);
	if (entries < 0)
		return err_set(err, "%s: %s", name, strerror(errno));
	for (int i = 0; i < entries; i++) {
		const char *slash = name[strlen(name) - 1] == '/' ? "" : "/";
		char *path = xasprintf("%s%s%s", name, slash, entry[i]->d_name);

		if (may_be_trace(path))
			strlist_take(&list->path, path);
		else
			free(path);
		free(entry[i]);
	}
	free(entry);
	if (list->path.count == before)
		return err_set(err, "%s: there is no trace in this folder", name);
	list->has_folder = true;
	return 0;
}

void trace_list_release(struct trace_list *list)
{
	strlist_release(&list->path);
}
