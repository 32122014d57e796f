/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/naming.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "preload/sys/proc.h"
#include "preload/sys/syscall.h"
#include "preload/sys/text.h"
#include "preload/trace/format.h"

#define COLLISIONS_MAX 10000u
#define TRACE_MODE 0600 /* arguments, paths and environment are nobody else's */

/* boot.pid.start.image, as naming_session_text wrote it. */
static int parse_session(const char *text, char boot[40], uint64_t number[3])
{
	size_t n = 0;
	int i;

	for (; *text && *text != '.' && n < 39; text++)
		boot[n++] = *text;
	boot[n] = 0;
	for (i = 0; i < 3; i++) {
		if (*text++ != '.' || *text < '0' || *text > '9')
			return 0;
		for (number[i] = 0; *text >= '0' && *text <= '9'; text++)
			number[i] = number[i] * 10 + (uint64_t)(*text - '0');
	}
	return *text == 0;
}

void naming_process_get(struct naming_process *p, uint32_t pid, const char *session)
{
	char boot[40];
	uint64_t found[3];
	struct proc_stat stat;
	long size =
		text_read_file("/proc/sys/kernel/random/boot_id", p->boot_id, sizeof(p->boot_id));

	if (size <= 0)
		memcpy(p->boot_id, "unknown", 8);
	else if (p->boot_id[size - 1] == '\n')
		p->boot_id[size - 1] = 0;
	p->pid = pid;
	if (pid == (uint32_t)sys_call0(SYS_getpid)) {
		proc_stat(0, &stat);
		p->parent = (uint32_t)sys_call0(SYS_getppid);
	} else {
		proc_stat(pid, &stat);
		p->parent = (uint32_t)stat.parent;
	}
	p->start_time = stat.start_time;
	p->image = 0;
	p->is_root = 1;
	if (session && parse_session(session, boot, found) && text_equal(boot, p->boot_id)) {
		p->is_root = found[0] == p->pid && found[1] == p->start_time;
		p->session_pid = (uint32_t)found[0];
		p->session_start_time = found[1];
		p->session_image = (uint32_t)found[2];
		if (p->is_root)
			p->session_image = p->image = (uint32_t)found[2] + 1;
		return;
	}
	p->session_pid = p->pid;
	p->session_start_time = p->start_time;
	p->session_image = 0;
}

void naming_session_text(const struct naming_process *p, char *text, size_t room)
{
	struct text t = text_init(text, room);

	text_add(&t, "XALLOC_SESSION=");
	text_add(&t, p->boot_id);
	text_add(&t, ".");
	text_add_number(&t, p->session_pid);
	text_add(&t, ".");
	text_add_number(&t, p->session_start_time);
	text_add(&t, ".");
	text_add_number(&t, p->session_image);
}

int naming_expand(char *path, size_t room, const char *pattern, const char *directory,
		  const char *name, uint32_t pid)
{
	struct text t = text_init(path, room);

	if (*pattern != '/') {
		text_add(&t, directory);
		text_add(&t, "/");
	}
	for (; *pattern; pattern++) {
		if (*pattern == '%' && pattern[1] == 'p')
			text_add_number(&t, pid);
		else if (*pattern == '%' && pattern[1] == 'e')
			text_add(&t, name);
		else if (*pattern == '%' && pattern[1] == '%')
			text_add(&t, "%");
		else {
			text_add_bytes(&t, pattern, 1);
			continue;
		}
		pattern++;
	}
	return t.cut ? -1 : 0;
}

/* NAME.MIDDLE.zst from NAME.zst; a name without that suffix is added to. */
static int with_middle(char *path, size_t room, const char *name, const char *word, uint64_t number,
		       uint64_t second)
{
	struct text t = text_init(path, room);
	size_t size = text_length(name);
	const char *suffix = size > 4 && text_equal(name + size - 4, ".zst") ? ".zst" : "";

	text_add_bytes(&t, name, size - text_length(suffix));
	text_add(&t, ".");
	text_add(&t, word);
	text_add_number(&t, number);
	if (second) {
		text_add(&t, ".");
		text_add_number(&t, second);
	}
	text_add(&t, suffix);
	return t.cut ? -1 : 0;
}

long naming_open(const char *path, char *temporary, size_t room)
{
	const char *slash = text_last(path, '/');
	struct text t = text_init(temporary, room);
	struct stat st;
	long fd;

	text_add_bytes(&t, path, (size_t)(slash - path) + 1);
	/* A file without a name is given one through /proc. */
	fd = sys_call2(SYS_access, "/proc/self/fd", 0) == 0
		     ? sys_call4(SYS_openat, AT_FDCWD, temporary, O_TMPFILE | O_RDWR | O_CLOEXEC,
				 TRACE_MODE)
		     : -EOPNOTSUPP;
	if (!sys_is_error(fd)) {
		temporary[0] = 0;
	} else if (fd == -EOPNOTSUPP || fd == -EISDIR || fd == -EINVAL) {
		text_add(&t, ".");
		text_add(&t, slash + 1);
		text_add(&t, ".");
		text_add_number(&t, (uint64_t)sys_call0(SYS_getpid));
		text_add(&t, ".tmp");
		if (t.cut)
			return -ENAMETOOLONG;
		sys_call1(SYS_unlink, temporary);
		fd = sys_call4(SYS_openat, AT_FDCWD, temporary,
			       O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, TRACE_MODE);
	}
	if (sys_is_error(fd))
		return fd;
	/* under umask 0777 it could not be grown by its name */
	if (sys_call2(SYS_fstat, fd, &st) == 0 && (st.st_mode & 07777) != TRACE_MODE)
		sys_call2(SYS_fchmod, fd, TRACE_MODE);
	sys_call2(SYS_flock, fd, LOCK_EX | LOCK_NB);
	return fd;
}

/* What is to have the name: an open file, or a link to where it is. */
struct named {
	long fd;
	const char *temporary, *target; /* target: NULL, there is no link */
};

static long give_name(const struct named *n, const char *path)
{
	char proc[40];
	struct text t = text_init(proc, sizeof(proc));

	if (n->target)
		return sys_call2(SYS_symlink, n->target, path);
	if (*n->temporary)
		return sys_call2(SYS_link, n->temporary, path);
	text_add(&t, "/proc/self/fd/");
	text_add_number(&t, (uint64_t)n->fd);
	return sys_call5(SYS_linkat, AT_FDCWD, proc, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

enum present {
	PRESENT_NOTHING,
	PRESENT_OLD_TRACE,
	PRESENT_KEPT_TRACE,
	PRESENT_DIRECTORY,
	PRESENT_OTHER
};

/* Does the open file still stand at path? */
static int is_at(long fd, const char *path)
{
	struct stat here, there;

	return sys_call2(SYS_fstat, fd, &here) == 0 && sys_call2(SYS_stat, path, &there) == 0 &&
	       here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

/* A symbolic link that another user put there. */
static int is_planted(const char *path)
{
	struct stat st;

	return sys_call2(SYS_lstat, path, &st) == 0 && S_ISLNK(st.st_mode) &&
	       st.st_uid != (uid_t)sys_call0(SYS_geteuid);
}

/*
 * What stands at path, and may it be replaced? An old trace is left open and locked in *old, so
 * that of two processes that want to replace it the second finds a live one.
 */
static enum present look(const char *path, const struct naming_process *p, long *old)
{
	struct {
		uint32_t magic, size;
		struct xt_header header;
	} head;
	enum present present = PRESENT_OTHER;
	struct stat st;
	long fd;

	if (is_planted(path))
		return PRESENT_OTHER;
	fd = sys_call4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
	if (sys_is_error(fd)) {
		/* a link to nowhere stays in the way */
		const int is_link = sys_call2(SYS_lstat, path, &st) == 0 && S_ISLNK(st.st_mode);

		return fd == -ENOENT && !is_link ? PRESENT_NOTHING : PRESENT_OTHER;
	}
	if (sys_call2(SYS_fstat, fd, &st) != 0)
		st.st_mode = 0;
	if (S_ISDIR(st.st_mode))
		present = PRESENT_DIRECTORY;
	if (S_ISREG(st.st_mode) &&
	    sys_call4(SYS_pread64, fd, &head, sizeof(head), 0) == sizeof(head) &&
	    head.magic == XT_FRAME_HEADER &&
	    memcmp(head.header.magic, XT_MAGIC, sizeof(head.header.magic)) == 0) {
		if (head.header.session_pid == p->session_pid &&
		    head.header.session_start_time == p->session_start_time &&
		    memcmp(head.header.boot_id, p->boot_id, text_length(p->boot_id) + 1) == 0)
			present = PRESENT_KEPT_TRACE;
		else if (sys_call2(SYS_flock, fd, LOCK_EX | LOCK_NB) != 0)
			present = PRESENT_KEPT_TRACE;
		else if (is_at(fd, path))
			present = PRESENT_OLD_TRACE;
		else
			present = PRESENT_NOTHING; /* somebody replaced it: look again */
	}
	if (present == PRESENT_OLD_TRACE)
		*old = fd;
	else
		sys_call1(SYS_close, fd);
	return present;
}

/* Replaces an earlier session's trace in one step: a reader sees the old one or the new one. */
static long replace(const struct named *n, const char *path)
{
	char beside[4096 + 32];
	struct text t = text_init(beside, sizeof(beside));
	long result;

	text_add(&t, path);
	text_add(&t, ".");
	text_add_number(&t, (uint64_t)sys_call0(SYS_getpid));
	text_add(&t, ".new");
	sys_call1(SYS_unlink, beside);
	result = give_name(n, beside);
	if (result == 0)
		result = sys_call2(SYS_rename, beside, path);
	if (result < 0)
		sys_call1(SYS_unlink, beside);
	return result;
}

static int take(const struct named *n, char *path, size_t room, const struct naming_process *p)
{
	char name[4096];
	struct text t = text_init(name, sizeof(name));
	uint64_t collision = 0;
	long result = -EEXIST;
	int i;

	text_add(&t, path);
	if (p->image && with_middle(path, room, name, "exec", p->image, 0) < 0)
		result = -ENAMETOOLONG;
	for (i = 0; result == -EEXIST && i < 2 * (int)COLLISIONS_MAX; i++) {
		enum present present;
		long old;

		result = give_name(n, path);
		if (result != -EEXIST)
			break;
		present = look(path, p, &old);
		if (present == PRESENT_DIRECTORY)
			result = -EISDIR;
		if (present == PRESENT_OTHER || present == PRESENT_DIRECTORY)
			break;
		if (present == PRESENT_OLD_TRACE) {
			result = replace(n, path);
			sys_call1(SYS_close, old);
		}
		if (present != PRESENT_KEPT_TRACE)
			continue;
		if (++collision > COLLISIONS_MAX ||
		    with_middle(path, room, name, "", p->pid, collision > 1 ? collision : 0) < 0)
			result = -ENAMETOOLONG;
	}
	return (int)result;
}

int naming_take(long fd, char *path, size_t room, const char *temporary,
		const struct naming_process *p)
{
	const struct named file = { fd, temporary, NULL };
	const int result = take(&file, path, room, p);

	if (*temporary)
		sys_call1(SYS_unlink, temporary);
	return result;
}

int naming_point(const char *target, char *path, size_t room, const struct naming_process *p)
{
	const struct named link = { -1, "", target };

	return take(&link, path, room, p);
}
