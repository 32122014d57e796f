/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose file is it: the session, the trace's name, and taking that name without ever replacing a
 * live trace, a trace of our own session, or a file that is no trace (interface.md, "Whose file is
 * it").
 */
#ifndef XALLOC_NAMING_H
#define XALLOC_NAMING_H

#include <stddef.h>
#include <stdint.h>

struct naming_process {
	char boot_id[40];
	uint32_t pid, parent, image;
	uint64_t start_time;
	/* who began the session, and with which image */
	uint32_t session_pid, session_image;
	uint64_t session_start_time;
	int is_root; /* the session is ours: the variable is to be set, or counted up */
};

/* Of process pid: the calling one, or the one whose memory this vfork child is in; session is XALLOC_SESSION as found, or NULL. */
void naming_process_get(struct naming_process *p, uint32_t pid, const char *session);

/* XALLOC_SESSION=... for this process's environment. */
void naming_session_text(const struct naming_process *p, char *text, size_t room);

/* The pattern with %p, %e and %% put in, made absolute by `directory`. -1: too long. */
int naming_expand(char *path, size_t room, const char *pattern, const char *directory,
		  const char *name, uint32_t pid);

/*
 * An open, empty, locked file without its final name, in the directory of `path`. Returns the
 * descriptor or a negative errno; temporary is its name, or "" when it has none.
 */
long naming_open(const char *path, char *temporary, size_t room);

/*
 * Gives the file in fd its name, by the rules; `path` becomes what it was. 0, or a negative errno:
 * -EEXIST and `path` names a file that is no trace. The temporary name is gone in either case.
 */
int naming_take(long fd, char *path, size_t room, const char *temporary,
		const struct naming_process *p);

/* The same for a symbolic link to `target`, where the trace is. */
int naming_point(const char *target, char *path, size_t room, const struct naming_process *p);

#endif
