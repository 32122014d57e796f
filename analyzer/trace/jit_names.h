/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names that the trace has for frames whose address no module holds. */
#ifndef XALLOC_TRACE_JIT_NAMES_H
#define XALLOC_TRACE_JIT_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/page_table.h"

struct jit_names {
	struct page_table name; /* char *, by frame id */
};

void jit_names_init(struct jit_names *names);
void jit_names_release(struct jit_names *names);

/* Of two names of one id the first counts. An id that no trace can have is ignored. */
void jit_names_add(struct jit_names *names, uint32_t id, const char *text, size_t bytes);

/* NULL: it has none. The text lives as long as the names. */
const char *jit_names_find(const struct jit_names *names, uint32_t id);

#endif
