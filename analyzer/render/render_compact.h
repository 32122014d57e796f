/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `compact` says of what it wrote. */
#ifndef XALLOC_RENDER_RENDER_COMPACT_H
#define XALLOC_RENDER_RENDER_COMPACT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct compact_facts {
	const char *from, *to;
	uint64_t bytes_before, bytes_after; /* of the files */
	bool has_addresses, has_stamps;     /* of what was written */
};

void render_compact_text(FILE *out, const struct compact_facts *facts);
void render_compact_json(FILE *out, const struct compact_facts *facts);

#endif
