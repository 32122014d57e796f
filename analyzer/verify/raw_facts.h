/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What verify needs of a trace's chunks of records and of frame ids. */
#ifndef XALLOC_VERIFY_RAW_FACTS_H
#define XALLOC_VERIFY_RAW_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/verify/raw_trace.h"

/* The ids of one chunk that are ready, as bits. */
struct id_block {
	uint64_t base;
	uint64_t bits[XT_SLOT_BYTES / sizeof(struct xt_id) / 64];
};

struct raw_facts {
	struct id_block *block; /* by base */
	size_t blocks;
	/* Address ranges of modules, sorted and apart from each other. */
	struct xt_range *module;
	size_t modules;
	bool has_heap;
	struct xt_heap heap;
	char *libc, *tunables; /* values of the environment records; NULL: none */
};

/* Damaged chunks fail the check of checksums. */
void raw_facts_read(struct raw_facts *facts, const struct raw_trace *trace,
		    struct verify_report *report);
void raw_facts_release(struct raw_facts *facts);

/* The address lies in a module: it is no heap's. */
bool raw_facts_is_static(const struct raw_facts *facts, uint64_t addr);
bool raw_facts_has_id(const struct raw_facts *facts, uint64_t id);

#endif
