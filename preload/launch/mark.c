/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process is not touched: it has its trace mapped, and so have we for a moment. The mark is a
 * chunk of a stream of its own, committed as the process's helper commits chunks.
 */
#include "preload/launch/mark.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "preload/launch/live_trace.h"
#include "preload/launch/message.h"
#include "preload/store/compress.h"
#include "preload/store/file.h"

#define TRIES 1000 /* of a millisecond, for the file's lock */

static const char usage[] =
	"usage: xalloc mark PID NAME\n"
	"\n"
	"Begins the phase NAME in the trace of a process that is being recorded, as "
	"xalloc_mark(NAME)\n"
	"would in the process (xalloc.h). xalloc-report phases shows what each phase did.\n"
	"\n"
	"Exit status: 0, or 2 after a line that says why not.\n";

int mark_help(void)
{
	return print_out(usage);
}

struct found {
	char *path;
	struct xt_header header;
};

/* Is the file the trace of that process? Its header is read. */
static bool is_trace_of(const char *path, uint32_t pid, struct xt_header *header)
{
	struct {
		uint32_t magic, size;
		struct xt_header header;
	} head;
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool is_one = false;

	if (fd < 0)
		return false;
	if (pread(fd, &head, sizeof(head), 0) == sizeof(head) && head.magic == XT_FRAME_HEADER &&
	    memcmp(head.header.magic, XT_MAGIC, sizeof(head.header.magic)) == 0 &&
	    head.header.pid == pid)
		is_one = true;
	close(fd);
	*header = head.header;
	return is_one;
}

/* The file of that number in the directory, if it is the trace; its name in the map is none where
 * it got its name only when it was whole. */
static bool find_in(struct found *found, const char *directory, unsigned long inode, uint32_t pid)
{
	DIR *dir = opendir(*directory ? directory : "/");
	const struct dirent *entry;

	while (dir && !found->path && (entry = readdir(dir))) {
		char *path;

		if (entry->d_ino != inode)
			continue;
		path = text_new("%s/%s", directory, entry->d_name);
		if (is_trace_of(path, pid, &found->header))
			found->path = path;
	}
	if (dir)
		closedir(dir);
	return found->path != NULL;
}

/* Of the files that the process has mapped the one that is its trace. */
static struct found find_trace(uint32_t pid)
{
	char *maps = text_new("/proc/%u/maps", pid), *line = NULL;
	FILE *file = fopen(maps, "re");
	struct found found = { .path = NULL };
	unsigned long inode, last = 0;
	size_t room = 0;

	if (!file)
		refuse(EXIT_USAGE, "mark: process %u: %s", pid,
		       errno == ENOENT ? "there is none" : strerror(errno));
	while (getline(&line, &room, file) > 0) {
		char *path = strchr(line, '/');

		if (!path || !strstr(line, " rw-s ") ||
		    sscanf(line, "%*s %*s %*s %*s %lu", &inode) != 1 || inode == last)
			continue;
		last = inode;
		*strrchr(path, '/') = '\0';
		if (find_in(&found, path, inode, pid))
			break;
	}
	free(line);
	fclose(file);
	if (!found.path)
		refuse(EXIT_USAGE, "mark: process %u is not being recorded", pid);
	return found;
}

/* The mark as the one thing in a chunk of a stream of its own. 0, or a negative errno. */
static int write_mark(const struct found *found, const char *name)
{
	static uint8_t data[XT_SLOT_BYTES];
	struct xt_slot head = { .kind = XT_KIND_EVENTS, .tid = found->header.pid };
	const struct slot slot = { .head = &head, .data = data };
	size_t bytes = strlen(name);
	struct timespec now;
	unsigned processor;

	if (bytes > XT_TEXT_MAX)
		bytes = XT_TEXT_MAX;
	data[0] = XT_OP_EXT;
	data[1] = XT_EXT_MARK;
	data[2] = (uint8_t)(bytes + 1);
	data[3] = XT_MARK_PHASE;
	memcpy(data + 4, name, bytes);
	clock_gettime(CLOCK_MONOTONIC, &now);
	head.stream = XT_STREAM_OUTSIDE |
		      (uint32_t)((uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000);
	head.first_stamp = __builtin_ia32_rdtscp(&processor) >> found->header.stamp_shift;
	head.used = (uint32_t)bytes + 4;
	slot_own(&slot)->last_stamp = head.first_stamp;
	return live_trace_commit(&slot, TRIES);
}

int mark_main(int argc, char **argv)
{
	struct found found;
	char *end;
	unsigned long pid;
	int fd, error;
	sigset_t all;

	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
		return mark_help();
	if (argc != 3 || !*argv[2])
		refuse(EXIT_USAGE, "mark takes PID and NAME (--help shows how to use it)");
	errno = 0;
	pid = strtoul(argv[1], &end, 10);
	if (*argv[1] < '1' || *argv[1] > '9' || *end || errno || pid > INT32_MAX)
		refuse(EXIT_USAGE, "mark: %s is not a process id", argv[1]);
	found = find_trace((uint32_t)pid);
	fd = live_trace_open(found.path, (uint32_t)pid, found.header.start_time);
	if (fd < 0)
		refuse(EXIT_USAGE, "mark: %s: it is not being written to, or by another version",
		       found.path);
	if (found.header.clock != XT_CLOCK_TSC)
		refuse(EXIT_USAGE, "mark: %s: its clock is not one that we can read", found.path);
	if (file_attach(fd, found.path) < 0)
		refuse(EXIT_USAGE, "mark: %s: it cannot be mapped", found.path);
	compress_init(1);
	if (file_header->state != XT_STATE_RECORDING || file_header->stop_reason ||
	    file_shared->is_sealed)
		refuse(EXIT_USAGE, "mark: %s: its process records no more", found.path);
	/* Nobody is to find the file's lock held by a process that is gone. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	error = write_mark(&found, argv[2]);
	if (error < 0)
		refuse(EXIT_USAGE, "mark: %s: %s", found.path, strerror(-error));
	return 0;
}
