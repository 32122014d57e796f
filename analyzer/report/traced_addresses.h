/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The distinct addresses of code that a trace's frames have, module by module. */
#ifndef XALLOC_REPORT_TRACED_ADDRESSES_H
#define XALLOC_REPORT_TRACED_ADDRESSES_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/trace/trace.h"

struct traced_address {
	const struct module *module; /* NULL: none */
	uint64_t addr;               /* at link time, as it is looked up; without a module the pc */
	const struct xt_id
		*entry; /* of the trace's table; the first of those that have the address */
	uint32_t id;    /* its number */
};

struct traced_addresses {
	struct traced_address *at; /* those without a module first, then by the module's index */
	size_t count;
};

/* The trace is borrowed. */
void traced_addresses_build(struct traced_addresses *addresses, const struct trace *trace);
/* Why there may be more of them than the trace tells. */
void traced_addresses_warn(const struct trace *trace, struct warnings *warnings);
void traced_addresses_release(struct traced_addresses *addresses);

#endif
