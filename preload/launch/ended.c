/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/ended.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "preload/launch/count.h"
#include "preload/launch/late_names.h"
#include "preload/launch/message.h"
#include "preload/store/file.h"
#include "preload/trace/format.h"

#define LOCK_TRIES 50 /* the kernel gives up a dead process's mappings, at times a bit later */
#define LOCK_PAUSE_NS 2000000L

struct head {
	uint32_t magic, size;
	struct xt_header header;
};

struct ended_process ended_process_of(pid_t pid, uint64_t since_ns)
{
	struct ended_process process = { .pid = pid, .since_ns = since_ns };
	char name[32], text[1024] = "";
	const char *at;
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/stat", (int)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return process; /* no /proc: the library reads a 0, too */
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	close(fd);
	at = strrchr(text, ')'); /* the name may hold anything; field 3 begins behind it */
	for (int field = 2; at && field < 22; field++) {
		at = strchr(at, ' ');
		at += at != NULL;
	}
	process.start_time = at ? strtoull(at, NULL, 10) : 0;
	return process;
}

static const char *boot_id(void)
{
	static char id[sizeof(((struct xt_header *)0)->boot_id)];
	int fd;

	if (id[0])
		return id;
	strcpy(id, "unknown"); /* the library's word */
	fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return id;
	if (read(fd, id, sizeof(id) - 1) > 0)
		id[strcspn(id, "\n")] = 0;
	close(fd);
	return id;
}

static bool read_any(int fd, struct head *head)
{
	return pread(fd, head, sizeof(*head), 0) == sizeof(*head) &&
	       head->magic == XT_FRAME_HEADER &&
	       memcmp(head->header.magic, XT_MAGIC, sizeof(head->header.magic)) == 0 &&
	       strncmp(head->header.boot_id, boot_id(), sizeof(head->header.boot_id)) == 0;
}

/* Numbers of processes come again. */
static bool is_of_now(const struct xt_header *header, const struct ended_process *process)
{
	return process->start_time || header->realtime_ns >= process->since_ns;
}

static bool is_of(const struct xt_header *header, const struct ended_process *process)
{
	return header->pid == (uint32_t)process->pid && header->start_time == process->start_time &&
	       is_of_now(header, process);
}

/* Is it of the session that the process began? */
static bool is_of_session(const struct xt_header *header, const struct ended_process *process)
{
	return header->session_pid == (uint32_t)process->pid &&
	       header->session_start_time == process->start_time && is_of_now(header, process);
}

static bool read_head(int fd, struct head *head, const struct ended_process *process)
{
	return read_any(fd, head) && is_of(&head->header, process);
}

/* Into the list of the session's, which it belongs to from now on. */
static void keep(struct ended_trace *found, char *path)
{
	if (found->traces + 1 >= found->room) {
		const unsigned room = 2 * found->room + 16;
		char **more = memory_new(room, sizeof(*more));

		if (found->traces)
			memcpy(more, found->session, found->traces * sizeof(*more));
		free(found->session);
		found->session = more;
		found->room = room;
	}
	found->session[found->traces++] = path;
	found->session[found->traces] = NULL;
}

/* Another trace of the process: it is the one that counts when its image is later. */
static void add_image(struct ended_trace *found, uint32_t image, int fd, const char *path)
{
	struct stat st;

	if (found->images++ && image <= found->image)
		return;
	found->image = image;
	found->path = path;
	found->events = count_events(fd);
	found->disk_bytes = 0;
	if (fstat(fd, &st) == 0) {
		found->disk_bytes = (uint64_t)st.st_blocks * 512;
		if (!found->disk_bytes || found->disk_bytes > (uint64_t)st.st_size)
			found->disk_bytes = (uint64_t)st.st_size;
	}
}

char *ended_elsewhere(const char *link)
{
	const size_t prefix = strlen(FILE_ELSEWHERE_PREFIX);
	char target[PATH_MAX];
	const char *slash;
	struct stat st;
	ssize_t bytes;

	if (lstat(link, &st) < 0 || !S_ISLNK(st.st_mode) || st.st_uid != geteuid())
		return NULL;
	bytes = readlink(link, target, sizeof(target) - 1);
	target[bytes > 0 ? bytes : 0] = 0;
	slash = strrchr(target, '/');
	if (*target != '/' || strncmp(slash + 1, FILE_ELSEWHERE_PREFIX, prefix) != 0)
		return NULL;
	return text_new("%s", target);
}

static void consider(struct ended_trace *found, const char *directory, const char *name,
		     const struct ended_process *process)
{
	char *own = text_new("%s/%s", directory, name), *target = ended_elsewhere(own);
	char *path = target ? target : own;
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct head head;
	bool is_process;

	if (target)
		free(own);
	if (fd < 0 || !read_any(fd, &head)) {
		free(path);
	} else {
		is_process = is_of(&head.header, process);
		if (is_process)
			add_image(found, head.header.image, fd, path);
		if (is_process || is_of_session(&head.header, process))
			keep(found, path);
		else
			free(path);
	}
	if (fd >= 0)
		close(fd);
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct ended_trace ended_find(const struct ended_process *process, const char *directory,
			      const char *prefix)
{
	struct ended_trace found = { .path = NULL };
	DIR *entries = opendir(*directory ? directory : "/");
	const struct dirent *entry;

	while (entries && (entry = readdir(entries)) != NULL)
		if ((entry->d_type == DT_REG || entry->d_type == DT_LNK ||
		     entry->d_type == DT_UNKNOWN) &&
		    strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
			consider(&found, directory, entry->d_name, process);
	if (entries)
		closedir(entries);
	if (found.session)
		qsort(found.session, found.traces, sizeof(*found.session), compare_paths);
	return found;
}

bool ended_is_of_session(int fd, const struct ended_process *process)
{
	struct head head;

	return read_any(fd, &head) && is_of_session(&head.header, process);
}

bool ended_lock(int fd)
{
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };

	for (int i = 0; i < LOCK_TRIES; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return true;
		if (errno != EWOULDBLOCK)
			return false;
		nanosleep(&pause, NULL);
	}
	return false;
}

/* The three fields of the header that say how the process ended, in their order. */
struct end {
	uint32_t state, kind, status;
};

_Static_assert(offsetof(struct xt_header, exit_kind) == offsetof(struct xt_header, state) + 4 &&
		       offsetof(struct xt_header, exit_status) ==
			       offsetof(struct xt_header, state) + 8,
	       "the three are written at once");

/* What is to stand there after that wait status. A clean end stays one: it has written its totals.
 */
static struct end end_of(const struct xt_header *header, int status)
{
	const bool is_clean =
		header->state == XT_STATE_ENDED && header->exit_kind == XT_EXIT_STATUS;

	if (WIFSIGNALED(status))
		return (struct end){ XT_STATE_ENDED, XT_EXIT_SIGNAL,
				     (uint32_t)WTERMSIG(status) * XT_SURE };
	return (struct end){ XT_STATE_ENDED, is_clean ? XT_EXIT_STATUS : XT_EXIT_UNSEEN,
			     (uint32_t)WEXITSTATUS(status) * XT_SURE };
}

/* Is there something to write? The header is read anew. */
static bool is_due(int fd, struct head *head, const struct ended_process *process, int status)
{
	struct end end;

	if (!read_head(fd, head, process) || head->header.exit_kind == XT_EXIT_EXEC ||
	    head->header.version != XT_VERSION)
		return false;
	end = end_of(&head->header, status);
	return memcmp(&end, &head->header.state, sizeof(end)) != 0;
}

void ended_mark(const struct ended_process *process, const char *path, int status)
{
	const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct head head;
	struct end end;

	if (fd < 0)
		return;
	if (is_due(fd, &head, process, status) && ended_lock(fd) &&
	    is_due(fd, &head, process, status)) {
		end = end_of(&head.header, status);
		if (end.kind != XT_EXIT_STATUS)
			late_names_write(fd, (uint32_t)process->pid);
		if (pwrite(fd, &end, sizeof(end),
			   (off_t)(offsetof(struct head, header) +
				   offsetof(struct xt_header, state))) < 0)
			message("%s: how the process ended cannot be written: %s", path,
				strerror(errno));
	}
	close(fd);
}
