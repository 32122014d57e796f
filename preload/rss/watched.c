/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/rss/watched.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "preload/launch/message.h"
#include "preload/launch/procfs.h"
#include "preload/rss/smaps.h"
#include "preload/sys/text.h"

#define ROLLUP_BYTES 4096
#define EXE_SAMPLES 2 /* and each power of two */

static void path_of(const struct watched *w, const char *name, char path[PROCFS_PATH_BYTES])
{
	snprintf(path, PROCFS_PATH_BYTES, "/proc/%d/task/%d%s", (int)w->pid, (int)w->thread, name);
}

static char *read_exe(const struct watched *w)
{
	char path[PROCFS_PATH_BYTES], exe[PATH_MAX];
	ssize_t bytes;

	path_of(w, "/exe", path);
	bytes = readlink(path, exe, sizeof(exe) - 1);
	return text_new("%.*s", bytes > 0 ? (int)bytes : 0, exe);
}

static int open_statm(const struct watched *w)
{
	char path[PROCFS_PATH_BYTES];

	path_of(w, "/statm", path);
	return open(path, O_RDONLY | O_CLOEXEC);
}

bool watched_open(struct watched *w, pid_t pid, pid_t parent, int64_t now)
{
	memset(w, 0, sizeof(*w));
	w->pid = w->thread = pid;
	w->parent = parent;
	w->first_ns = w->last_ns = now;
	w->statm = open_statm(w);
	if (w->statm < 0)
		return false;
	w->exe = read_exe(w);
	return true;
}

/* The leader has let its memory go: another thread may have it still. */
static bool find_thread(struct watched *w)
{
	const pid_t thread = procfs_living_thread(w->pid, w->thread, NULL);

	if (!thread)
		return false;
	close(w->statm);
	w->thread = thread;
	w->statm = open_statm(w);
	return w->statm >= 0;
}

/* It may have executed another program meanwhile: now and then, more and more seldom. */
static void look_at_exe(struct watched *w)
{
	char *exe = read_exe(w);

	if (*exe) {
		free(w->exe);
		w->exe = exe;
	} else {
		free(exe);
	}
}

bool watched_sample(struct watched *w, int64_t now)
{
	uint64_t anonymous;
	int64_t rss;

	if (w->statm < 0)
		return false;
	rss = procfs_resident(w->statm, &anonymous);
	if (rss <= 0 && find_thread(w))
		rss = procfs_resident(w->statm, &anonymous);
	if (rss <= 0) {
		w->rss_bytes = 0;
		return false;
	}
	w->samples++;
	if (w->samples >= EXE_SAMPLES && (w->samples & (w->samples - 1)) == 0)
		look_at_exe(w);
	w->last_ns = now;
	w->is_level = w->rss_bytes && (uint64_t)rss <= w->rss_bytes + w->rss_bytes / 100;
	w->rss_bytes = (uint64_t)rss;
	if (w->rss_bytes > w->statm_bytes) {
		w->statm_bytes = w->rss_bytes;
		w->statm_anonymous_bytes = anonymous;
		w->statm_ns = now;
	}
	return true;
}

/* pthread_create's default. */
static uint64_t stack_bytes(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_STACK, &limit) == 0 ? limit.rlim_cur : 0;
}

int watched_snapshot(struct watched *w, int64_t now, struct snapshot *scratch)
{
	struct breakdown *rows = &scratch->breakdown;
	char path[PROCFS_PATH_BYTES];
	struct procfs_status status;
	uint64_t mappings;
	int error;

	path_of(w, "/smaps", path);
	scratch->is_taken = false;
	error = smaps_read(rows, path, stack_bytes(), &mappings);
	if (error)
		return error;
	watched_sample(w, now);
	scratch->statm_bytes = w->rss_bytes;
	path_of(w, "", path);
	procfs_status(&status, path);
	if (status.peak_bytes > w->hwm_bytes)
		w->hwm_bytes = status.peak_bytes;
	free(scratch->exe);
	scratch->exe = read_exe(w);
	scratch->is_taken = true;
	scratch->time_ns = now;
	scratch->rss_bytes = breakdown_sum(rows, FIELD_RSS);
	scratch->page_table_bytes = status.page_table_bytes;
	scratch->swap_bytes = status.swap_bytes;
	scratch->hugetlb_bytes = status.hugetlb_bytes;
	scratch->mappings = mappings;
	scratch->threads = status.threads;
	scratch->is_exit = false;
	scratch->exit_thread = 0;
	scratch->lived_on = 0;
	return 0;
}

void watched_keep(struct snapshot *to, const struct snapshot *scratch)
{
	struct breakdown rows = to->breakdown;

	free(to->exe);
	breakdown_copy(&rows, &scratch->breakdown);
	*to = *scratch;
	to->breakdown = rows;
	to->exe = text_new("%s", scratch->exe);
}

void watched_read_peak(struct watched *w)
{
	char path[PROCFS_PATH_BYTES];
	struct procfs_status status;

	path_of(w, "", path);
	if (procfs_status(&status, path) == 0 && status.peak_bytes > w->hwm_bytes)
		w->hwm_bytes = status.peak_bytes;
}

uint64_t watched_pss(const struct watched *w)
{
	char path[PROCFS_PATH_BYTES], text[ROLLUP_BYTES];
	const char *at;

	path_of(w, "/smaps_rollup", path);
	if (text_read_file(path, text, sizeof(text)) <= 0)
		return 0;
	at = strstr(text, "\nPss:");
	return at ? strtoull(at + strlen("\nPss:"), NULL, 10) * 1024 : 0;
}

uint64_t watched_peak(const struct watched *w)
{
	uint64_t peak = w->statm_bytes > w->hwm_bytes ? w->statm_bytes : w->hwm_bytes;

	return w->best.is_taken && w->best.rss_bytes > peak ? w->best.rss_bytes : peak;
}

void watched_close(struct watched *w)
{
	if (w->statm >= 0)
		close(w->statm);
	w->statm = -1;
	w->rss_bytes = 0;
}
