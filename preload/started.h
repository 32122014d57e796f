/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program is about to start by exec or posix_spawn, and the environment that it should get.
 * A program of another architecture, or of another libc than glibc, cannot load us: its loader
 * would print an error, or end it; AddressSanitizer ends a program that has a library before its
 * own. Such a program is started without our entry in LD_PRELOAD. So is any child with
 * XALLOC_FOLLOW=0, and what is started under a seccomp filter of the program's that would kill us.
 * What cannot be told (a file that may not be read, or is found nowhere) is started as ever.
 *
 * Runs in signal handlers and in vfork children: nothing static is written, and the one or two
 * descriptors are closed again. What the kernel would answer by EFAULT is not read.
 */
#ifndef XALLOC_STARTED_H
#define XALLOC_STARTED_H

#include <spawn.h>
#include <stddef.h>

struct started {
	int directory; /* what a relative name starts from; AT_FDCWD */
	const char *name;
	int is_in_path; /* a name without a slash is looked for in PATH */
	int is_fd;      /* directory is the program itself, name does not count */
	int is_spawned; /* else it takes the place of this process */
	const posix_spawn_file_actions_t *actions; /* spawned: what is done before; NULL: nothing */
};

/* Where an environment without our entry goes. */
struct started_copy {
	size_t bytes; /* 0: none is needed */
	void *memory; /* a mapping; NULL: the caller's stack has to do */
};

/*
 * What `what` needs in place of env, which stays as it is where that is right, and where the stack
 * would have to do and may have no room (for some 4,000 variables). That is a vfork child's case:
 * a mapping would be left to its parent.
 */
struct started_copy started_need(char *const *env, const struct started *what);

/* Is that name, which may be nowhere, the empty one? */
int started_is_empty(const char *name);

/* After a call that returned. */
void started_release(struct started_copy *copy);

/* env without our entry, in copy.bytes at `room`; the strings that stay are env's own. */
char *const *started_without(void *room, char *const *env);

#endif
