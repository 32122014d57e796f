/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/bring_home.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/launch/copy.h"
#include "preload/launch/message.h"

static int copy(int to, int from)
{
	struct stat st;

	if (fstat(from, &st) < 0 || ftruncate(to, st.st_size) < 0)
		return -errno;
	return copy_data(to, 0, from, 0, st.st_size);
}

/* A copy of the open file takes the name's place in one step. */
static int replace(const char *name, int from)
{
	char *beside = text_new("%s.%d.new", name, (int)getpid());
	const int to = open(beside, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
	int error = to < 0 ? -errno : copy(to, from);

	if (to >= 0 && close(to) < 0 && !error)
		error = -errno;
	if (!error && rename(beside, name) < 0)
		error = -errno;
	if (error && to >= 0)
		unlink(beside);
	free(beside);
	return error;
}

static void bring(const struct ended_process *process, const char *link)
{
	char *target = ended_elsewhere(link);
	const int fd =
		target ? open(target, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
		       : -1;
	int error;

	if (fd >= 0 && ended_is_of_session(fd, process) && ended_lock(fd)) {
		error = replace(link, fd);
		if (error)
			message("%s: %s: the trace stays in %s", link, strerror(-error), target);
		else
			unlink(target);
	}
	if (fd >= 0)
		close(fd);
	free(target);
}

void bring_home(const struct ended_process *process, const char *directory, const char *prefix)
{
	DIR *entries = opendir(*directory ? directory : "/");
	const struct dirent *entry;

	while (entries && (entry = readdir(entries)) != NULL) {
		char *link;

		if ((entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN) ||
		    strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
			continue;
		link = text_new("%s/%s", directory, entry->d_name);
		bring(process, link);
		free(link);
	}
	if (entries)
		closedir(entries);
}
