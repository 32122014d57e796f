/* SPDX-License-Identifier: Apache-2.0 */
/* Which glibc a loader would load. */
#ifndef XALLOC_LAUNCH_GLIBC_H
#define XALLOC_LAUNCH_GLIBC_H

#include <stdbool.h>

#define GLIBC_MAJOR_MIN 2 /* the oldest that libxalloc.so works with */
#define GLIBC_MINOR_MIN 35

struct glibc_version {
	int major, minor; /* major 0: not known */
};

/* The loader is a PT_INTERP. Ours: the version we run with; another: what the libc.so.6 beside it
 * says of itself. LD_LIBRARY_PATH and a program's run path are not followed. */
struct glibc_version glibc_version_of(const char *loader);
bool glibc_is_new_enough(struct glibc_version version);

/* The launcher's own loader; "": not known. */
const char *glibc_loader(void);

#endif
