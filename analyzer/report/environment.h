/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a trace says of what may change how its process allocates: the allocator, the system, and
 * variables. */
#ifndef XALLOC_REPORT_ENVIRONMENT_H
#define XALLOC_REPORT_ENVIRONMENT_H

#include "analyzer/base/strlist.h"

/* The value of a name ("kernel", "cpu", "libc", "allocator", "thp", "cgroup_memory_max"), part of
 * the list; NULL: the trace does not tell. */
const char *environment_value(const struct strlist *environment, const char *name);

/* "MALLOC_ARENA_MAX=1" of an entry of the list that is a variable of the process, else NULL. */
const char *environment_variable(const char *entry);
/* Such an entry, owned by the caller. */
char *environment_make(const char *name, const char *value);

#endif
