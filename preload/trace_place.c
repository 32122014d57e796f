/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/trace_place.h"

#include <errno.h>
#include <linux/magic.h>
#include <stddef.h>
#include <sys/statfs.h>

#include "preload/store/file.h"
#include "preload/store/helper.h"
#include "preload/sys/proc.h"
#include "preload/sys/reason.h"
#include "preload/sys/say.h"
#include "preload/sys/syscall.h"
#include "preload/sys/text.h"

#define TMPDIR "TMPDIR="
#define BCACHEFS_MAGIC 0xca451a4eul
#define UNSTEADY (-EXDEV)
#define ELSEWHERE_BYTES_MIN (256ull << 20) /* free, where the name itself is on a disk */

static char tmpdir[1024]; /* "": none that is of use */
static const char *const directories[] = { tmpdir, "/tmp", "/var/tmp", "/dev/shm" };

void trace_place_init(char *const *env)
{
	struct text t = text_init(tmpdir, sizeof(tmpdir));

	for (; env && *env; env++)
		if (text_starts(*env, TMPDIR "/") && !tmpdir[0])
			text_add(&t, *env + sizeof(TMPDIR) - 1);
	if (t.cut)
		tmpdir[0] = 0;
}

/*
 * On a file system that never writes over what it has, each page that was written back needs room
 * again when it is next stored to: populated or not, a full disk or a quota makes that a SIGBUS.
 */
static int is_unsteady(const struct statfs *fs)
{
	return (unsigned long)fs->f_type == BTRFS_SUPER_MAGIC ||
	       (unsigned long)fs->f_type == BCACHEFS_MAGIC;
}

/* needs: what must be free there, of a file system that is steady; 0: any will do. */
static int open_at(struct trace_place *place, const char *path, uint64_t max_bytes, uint64_t needs)
{
	struct statfs fs;
	int result;

	place->fd = naming_open(path, place->temporary, sizeof(place->temporary));
	if (sys_is_error(place->fd))
		return (int)place->fd;
	if (needs && sys_call2(SYS_fstatfs, place->fd, &fs) == 0 &&
	    (is_unsteady(&fs) || (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize < needs))
		result = UNSTEADY;
	else
		result = file_create((int)place->fd, max_bytes);
	if (result < 0) {
		file_forget(1);
		sys_call1(SYS_close, place->fd);
		if (*place->temporary)
			sys_call1(SYS_unlink, place->temporary);
	}
	return result;
}

/* The session and the name tell traces apart that are wanted in different directories. */
static int name_elsewhere(struct trace_place *place, const char *directory,
			  const struct naming_process *process)
{
	struct text t = text_init(place->elsewhere, sizeof(place->elsewhere));

	text_add(&t, directory);
	text_add(&t, "/" FILE_ELSEWHERE_PREFIX);
	text_add_number(&t, process->session_pid);
	text_add(&t, ".");
	text_add_number(&t, process->session_start_time);
	text_add(&t, ".");
	text_add(&t, text_last(place->path, '/') + 1);
	return t.cut ? -ENAMETOOLONG : 0;
}

int trace_place_open(struct trace_place *place, const struct naming_process *process,
		     uint64_t max_bytes)
{
	const int first = open_at(place, place->path, max_bytes, 1);
	size_t i;

	place->elsewhere[0] = 0;
	if (first != FILE_CREATE_UNMAPPED && first != UNSTEADY)
		return first;
	place->why =
		first == UNSTEADY ? "may have no room for what it has" : "has no shared mappings";
	for (i = 0; i < sizeof(directories) / sizeof(*directories); i++)
		if (*directories[i] && name_elsewhere(place, directories[i], process) == 0 &&
		    open_at(place, place->elsewhere, max_bytes,
			    first == UNSTEADY ? ELSEWHERE_BYTES_MIN : 0) == 0)
			return 0;
	place->elsewhere[0] = 0;
	return first == UNSTEADY ? open_at(place, place->path, max_bytes, 0) : first;
}

/* Children are spared the line: they have their names beside. So is who has somebody that brings it
 * home. */
static void say_elsewhere(struct trace_place *place, const struct naming_process *process)
{
	const int result =
		naming_point(place->elsewhere, place->path, sizeof(place->path), process);

	if (result < 0)
		say(place->path, ": ",
		    result == -EEXIST ? "a file that is no trace is there" : reason_text(result),
		    ": the trace is ", place->elsewhere, NULL);
	else if (process->session_pid == process->pid && !process->image && !helper_is_near())
		say(place->path, ": the file system ", place->why, ": a link to the trace, ",
		    place->elsewhere, NULL);
}

int trace_place_take(struct trace_place *place, const struct naming_process *process)
{
	char *path = *place->elsewhere ? place->elsewhere : place->path;
	const int result =
		naming_take(place->fd, path, TRACE_PLACE_PATH_MAX, place->temporary, process);

	if (result == 0)
		file_named(path);
	else
		file_forget(1);
	sys_call1(SYS_close, place->fd);
	if (result == 0 && *place->elsewhere)
		say_elsewhere(place, process);
	return result;
}

void trace_place_refused(const struct trace_place *place, int error)
{
	const int is_filtered = error == -EPERM && proc_has_filter();

	say(place->path, ": ",
	    error == -EEXIST ? "a file that is no trace is there; it is not overwritten"
			     : reason_text(error),
	    ": not recording",
	    is_filtered ? ", a seccomp filter that was there before may forbid it" : "", NULL);
}
