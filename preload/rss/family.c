/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/rss/family.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/launch/message.h"
#include "preload/launch/procfs.h"
#include "preload/sys/text.h"

#define LIVING_MAX 200 /* each is a descriptor */
#define MEMBERS_MAX 1000
#define BREAKDOWNS_MAX 16 /* of ended ones; the greatest keep theirs */
#define CHILDREN_BYTES 4096

static void append(struct family *f, const struct watched *w)
{
	if (f->count == f->room) {
		f->room = f->room ? 2 * f->room : 16;
		f->member = realloc(f->member, f->room * sizeof(*f->member));
		if (!f->member)
			refuse(EXIT_REFUSED, "out of memory");
	}
	f->member[f->count] = memory_new(1, sizeof(*w));
	*f->member[f->count++] = *w;
	f->living++;
	if (f->living > f->greatest_processes)
		f->greatest_processes = f->living;
}

bool family_init(struct family *f, pid_t program, int64_t now)
{
	struct watched w;

	memset(f, 0, sizeof(*f));
	f->load = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
	if (!watched_open(&w, program, getpid(), now))
		return false;
	append(f, &w);
	return true;
}

static void release(struct watched *w)
{
	watched_close(w);
	free(w->exe);
	free(w->best.exe);
	breakdown_release(&w->best.breakdown);
	free(w);
}

/* Of children that ended only the greatest keep their breakdown, and at last their place. */
static void forget_least(struct family *f)
{
	size_t ended = 0, with_rows = 0, least = 0, least_rows = 0;

	for (size_t i = 1; i < f->count; i++) {
		const struct watched *w = f->member[i];

		if (w->statm >= 0)
			continue;
		ended++;
		if (!least || watched_peak(w) < watched_peak(f->member[least]))
			least = i;
		if (!w->best.is_taken)
			continue;
		with_rows++;
		if (!least_rows || watched_peak(w) < watched_peak(f->member[least_rows]))
			least_rows = i;
	}
	if (with_rows > BREAKDOWNS_MAX) {
		breakdown_release(&f->member[least_rows]->best.breakdown);
		f->member[least_rows]->best.is_taken = false;
	}
	if (ended < MEMBERS_MAX)
		return;
	release(f->member[least]);
	f->unlisted++;
	f->count--;
	memmove(f->member + least, f->member + least + 1, (f->count - least) * sizeof(*f->member));
}

void family_sample(struct family *f, int64_t now)
{
	uint64_t sum = 0;
	bool has_ended = false;

	for (size_t i = 0; i < f->count; i++) {
		struct watched *w = f->member[i];

		if (w->statm < 0)
			continue;
		if (watched_sample(w, now)) {
			sum += w->rss_bytes;
		} else if (i) { /* of the program itself we are told */
			watched_close(w);
			f->living--;
			has_ended = true;
		}
	}
	f->is_level = sum <= f->rss_bytes + f->rss_bytes / 100 && !has_ended;
	f->rss_bytes = sum;
	if (sum > f->peak_rss_bytes) {
		f->peak_rss_bytes = sum;
		f->peak_ns = now;
		f->peak_processes = f->living;
	}
	if (has_ended)
		forget_least(f);
}

/* The latest process or thread of our pid namespace; 0: not known. */
static unsigned latest_pid(const struct family *f)
{
	char text[128];
	const ssize_t bytes = f->load >= 0 ? pread(f->load, text, sizeof(text) - 1, 0) : 0;
	const char *last;

	if (bytes <= 0)
		return 0;
	text[bytes] = 0;
	last = strrchr(text, ' ');
	return last ? (unsigned)strtoul(last, NULL, 10) : 0;
}

bool family_has_news(const struct family *f)
{
	const unsigned latest = latest_pid(f);

	return !latest || latest != f->latest;
}

static bool is_known(const struct family *f, pid_t pid)
{
	for (size_t i = 0; i < f->count; i++)
		if (f->member[i]->pid == pid && f->member[i]->statm >= 0)
			return true;
	return false;
}

/* A child of vfork or posix_spawn has its parent's memory until it executes a program. */
static bool has_memory_of(pid_t child, pid_t parent)
{
	return syscall(SYS_kcmp, (long)child, (long)parent, KCMP_VM, 0, 0) == 0;
}

static void meet(struct family *f, pid_t pid, pid_t parent, int64_t now)
{
	struct watched w;

	if (is_known(f, pid) || f->living >= LIVING_MAX)
		return;
	if (has_memory_of(pid, parent)) {
		f->latest = 0;
		return;
	}
	if (!watched_open(&w, pid, parent, now))
		return;
	if (watched_sample(&w, now)) {
		append(f, &w);
	} else { /* it has ended, and its parent does not know yet */
		watched_close(&w);
		free(w.exe);
	}
}

static void meet_children(struct family *f, pid_t pid, const char *thread, int64_t now)
{
	char path[2 * PROCFS_PATH_BYTES], text[CHILDREN_BYTES], *at = text, *end;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/children", (int)pid, thread);
	if (text_read_file(path, text, sizeof(text)) < 0)
		return;
	for (;; at = end) {
		const pid_t child = (pid_t)strtol(at, &end, 10);

		if (end == at)
			return;
		meet(f, child, pid, now);
	}
}

static void search_by_children(struct family *f, pid_t pid, int64_t now)
{
	char path[PROCFS_PATH_BYTES];
	struct dirent *entry;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks)))
		if (entry->d_name[0] != '.')
			meet_children(f, pid, entry->d_name, now);
	if (tasks)
		closedir(tasks);
}

static void search_all(struct family *f, int64_t now)
{
	DIR *all = opendir("/proc");
	struct dirent *entry;

	while (all && (entry = readdir(all))) {
		const pid_t pid = atoi(entry->d_name);
		char of[PROCFS_PATH_BYTES];
		struct procfs_stat stat;

		snprintf(of, sizeof(of), "/proc/%d", (int)pid);
		if (pid > 0 && procfs_stat(&stat, of) == 0 && is_known(f, stat.parent))
			meet(f, pid, stat.parent, now);
	}
	if (all)
		closedir(all);
}

void family_search(struct family *f, int64_t now)
{
	static int has_children_file = -1;

	if (has_children_file < 0)
		has_children_file = access("/proc/thread-self/children", R_OK) == 0;
	f->latest = latest_pid(f);
	if (!has_children_file) {
		search_all(f, now);
		return;
	}
	/* members that are found are looked at as well */
	for (size_t i = 0; i < f->count; i++)
		if (f->member[i]->statm >= 0)
			search_by_children(f, f->member[i]->pid, now);
}

void family_read_pss(struct family *f, int64_t now)
{
	uint64_t sum = 0, rss = 0;

	for (size_t i = 0; i < f->count; i++)
		if (f->member[i]->statm >= 0)
			sum += watched_pss(f->member[i]);
	for (size_t i = 0; i < f->count; i++) {
		const int64_t bytes =
			f->member[i]->statm >= 0 ? procfs_resident(f->member[i]->statm, NULL) : 0;

		rss += bytes > 0 ? (uint64_t)bytes : 0;
	}
	if (rss < f->rss_bytes - f->rss_bytes / 20) /* some of them ended meanwhile */
		return;
	f->pss_bytes = sum;
	f->pss_ns = now;
	f->pss_rss_bytes = f->rss_bytes;
}

void family_close(struct family *f)
{
	for (size_t i = 0; i < f->count; i++)
		watched_close(f->member[i]);
	if (f->load >= 0)
		close(f->load);
	f->load = -1;
	f->living = 0;
}

void family_release(struct family *f)
{
	family_close(f);
	for (size_t i = 0; i < f->count; i++)
		release(f->member[i]);
	free(f->member);
	memset(f, 0, sizeof(*f));
	f->load = -1;
}
