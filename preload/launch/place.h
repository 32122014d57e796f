/* SPDX-License-Identifier: Apache-2.0 */
/* Where the trace is to be: XALLOC_OUT's pattern, made absolute, and looked at before the start. */
#ifndef XALLOC_LAUNCH_PLACE_H
#define XALLOC_LAUNCH_PLACE_H

#include <sys/types.h>

/* The pattern, absolute; what the working directory's name has of % is doubled. NULL stands for
 * XALLOC_OUT's, or the library's default: a bad one is one line, and the default is used. Ends with
 * EXIT_REFUSED when the given one is none. */
char *place_pattern(const char *given);

/* Ends with EXIT_REFUSED when no trace can be made there: the directory is not there or may not be
 * written to, or what is no trace has the name. Of a name with %p only the length is looked at.
 * `path` is the program's, for %e. */
void place_check(const char *pattern, const char *path);

/* The pattern with %p, %e and %% put in; pid 0 leaves NULL where %p stands. */
char *place_expand(const char *pattern, const char *path, pid_t pid);

/* What the names of all images begin with: the pattern's last component up to the first %p or %e,
 * or up to its suffix .zst. */
char *place_prefix(const char *pattern);

#endif
