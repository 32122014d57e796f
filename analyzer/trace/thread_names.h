/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the trace says that threads are called: of each the last name that it had. */
#ifndef XALLOC_TRACE_THREAD_NAMES_H
#define XALLOC_TRACE_THREAD_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/page_table.h"

struct thread_names {
	struct page_table name; /* struct thread_name, by number of the thread */
	uint32_t end;           /* numbers with a name are below */
};

void thread_names_init(struct thread_names *names);
void thread_names_release(struct thread_names *names);

/* A payload of XT_RECORD_THREAD_NAME; false: it is damaged. A number that no thread gets is
 * ignored. */
bool thread_names_add(struct thread_names *names, const uint8_t *payload, size_t size);

/* NULL: it has none, or an empty one. */
const char *thread_names_find(const struct thread_names *names, uint32_t thread);

/* Whether the thread is called so; without a name: whether it is that number. */
bool thread_names_fits(const struct thread_names *names, uint32_t thread, uint32_t number,
		       const char *name);

/* Whether some thread is called so. */
bool thread_names_has(const struct thread_names *names, const char *name);

#endif
