/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `anonymize` has done. */
#ifndef XALLOC_RENDER_RENDER_ANONYMIZE_H
#define XALLOC_RENDER_RENDER_ANONYMIZE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct anonymize_facts {
	const char *from, *to, *symbols; /* the two traces, as they were named; the names */
	uint64_t addresses;              /* that have names there */
	bool is_complete; /* the trace */
};

void render_anonymize_text(FILE *out, const struct anonymize_facts *facts);
void render_anonymize_json(FILE *out, const struct anonymize_facts *facts);

#endif
