/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program is about to start by exec or posix_spawn, and the environment that it should get.
 * A program of another architecture, or of another libc than glibc, cannot load us: its loader
 * would print an error, or end it; AddressSanitizer ends a program that has a library before its
 * own. Such a program is started without our entry in LD_PRELOAD. So is any child with
 * XALLOC_FOLLOW=0, and what is started under a seccomp filter of the program's that would kill us.
 * What cannot be told (a file that may not be read, or is found nowhere) is started as ever.
 *
 * Runs in signal handlers and in vfork children: no memory but the caller's, nothing static is
 * written, and the one descriptor is closed again.
 */
#ifndef XALLOC_STARTED_H
#define XALLOC_STARTED_H

#include <stddef.h>

struct started {
	int directory; /* what a relative name starts from; AT_FDCWD */
	const char *name;
	int is_in_path; /* a name without a slash is looked for in PATH */
	int is_fd;      /* directory is the program itself, name does not count */
	int is_spawned; /* else it takes the place of this process */
};

/* Bytes that started_without needs for env without our entry; 0: env is right as it is, or so
 * large (some 4,000 variables) that the caller's stack may have no room for another. */
size_t started_room(char *const *env, const struct started *what);

/* env without our entry, in so many bytes at room; the strings that stay are env's own. */
char *const *started_without(void *room, char *const *env);

#endif
