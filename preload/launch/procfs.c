/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/sys/text.h"

#define TEXT_BYTES 8192
#define EXITING 0x4u /* PF_EXITING, of the flags in stat: the same in all kernels */

/* size resident shared ...: in pages; shared is of files and shared memory */
int64_t procfs_resident(int statm, uint64_t *anonymous)
{
	const int64_t page_bytes = sysconf(_SC_PAGESIZE);
	char text[128];
	const ssize_t bytes = pread(statm, text, sizeof(text) - 1, 0);
	uint64_t resident, shared;
	char *at = text;

	if (bytes <= 0)
		return -1;
	text[bytes] = 0;
	strtoull(at, &at, 10);
	resident = strtoull(at, &at, 10);
	shared = strtoull(at, NULL, 10);
	if (anonymous)
		*anonymous = resident > shared ? (resident - shared) * (uint64_t)page_bytes : 0;
	return (int64_t)resident * page_bytes;
}

static int read_text(const char *of, const char *name, char text[TEXT_BYTES])
{
	char path[PROCFS_PATH_BYTES];
	long bytes;

	snprintf(path, sizeof(path), "%s/%s", of, name);
	bytes = text_read_file(path, text, TEXT_BYTES);
	return bytes < 0 ? (int)bytes : bytes ? 0 : -ESRCH;
}

/* The number in the line that begins so; 0 when there is none. */
static uint64_t number_in(const char *text, const char *line, int base)
{
	const char *at = strstr(text, line);

	return at ? strtoull(at + strlen(line), NULL, base) : 0;
}

int procfs_status(struct procfs_status *status, const char *of)
{
	char text[TEXT_BYTES];
	const int error = read_text(of, "status", text);

	memset(status, 0, sizeof(*status));
	if (error)
		return error;
	status->peak_bytes = number_in(text, "\nVmHWM:", 10) * 1024;
	status->page_table_bytes = number_in(text, "\nVmPTE:", 10) * 1024;
	status->swap_bytes = number_in(text, "\nVmSwap:", 10) * 1024;
	status->hugetlb_bytes = number_in(text, "\nHugetlbPages:", 10) * 1024;
	status->threads = number_in(text, "\nThreads:", 10);
	status->is_killed = number_in(text, "\nSigPnd:", 16) >> (SIGKILL - 1) & 1;
	return 0;
}

static int64_t ticks_ns(unsigned long ticks)
{
	return (int64_t)ticks * (1000000000 / sysconf(_SC_CLK_TCK));
}

int procfs_stat(struct procfs_stat *stat, const char *of)
{
	char text[TEXT_BYTES];
	const char *name_end;
	unsigned long minor, child_minor, major, child_major, user, system;
	long child_user, child_system;
	unsigned flags;
	const int error = read_text(of, "stat", text);

	memset(stat, 0, sizeof(*stat));
	if (error)
		return error;
	name_end = strrchr(text, ')'); /* the name may have brackets of its own */
	if (!name_end ||
	    sscanf(name_end + 1, " %c %d %*d %*d %*d %*d %u %lu %lu %lu %lu %lu %lu %ld %ld",
		   &stat->state, &stat->parent, &flags, &minor, &child_minor, &major, &child_major,
		   &user, &system, &child_user, &child_system) != 11)
		return -EIO;
	stat->is_exiting = flags & EXITING;
	stat->minor_faults = minor;
	stat->major_faults = major;
	stat->child_minor_faults = child_minor;
	stat->child_major_faults = child_major;
	stat->user_ns = ticks_ns(user);
	stat->system_ns = ticks_ns(system);
	stat->child_user_ns = ticks_ns((unsigned long)child_user);
	stat->child_system_ns = ticks_ns((unsigned long)child_system);
	return 0;
}

static bool lives(pid_t pid, pid_t tid)
{
	char of[PROCFS_PATH_BYTES];
	struct procfs_stat stat;
	struct procfs_status status;

	snprintf(of, sizeof(of), "/proc/%d/task/%d", (int)pid, (int)tid);
	return procfs_stat(&stat, of) == 0 && stat.state != 'Z' && stat.state != 'X' &&
	       !stat.is_exiting && procfs_status(&status, of) == 0 && !status.is_killed;
}

pid_t procfs_living_thread(pid_t pid, pid_t but, unsigned *count)
{
	char path[PROCFS_PATH_BYTES];
	struct dirent *entry;
	unsigned found = 0;
	pid_t first = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks))) {
		const pid_t tid = atoi(entry->d_name);

		if (tid <= 0 || tid == but || !lives(pid, tid))
			continue;
		if (!first)
			first = tid;
		found++;
		if (!count)
			break;
	}
	if (tasks)
		closedir(tasks);
	if (count)
		*count = found;
	return first;
}
