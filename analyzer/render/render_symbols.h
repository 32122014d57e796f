/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the commands about symbols print. */
#ifndef XALLOC_RENDER_RENDER_SYMBOLS_H
#define XALLOC_RENDER_RENDER_SYMBOLS_H

#include <stdint.h>
#include <stdio.h>

#include "analyzer/report/symbol_list.h"

void render_symbols_text(FILE *out, const struct symbol_list *list);
void render_symbols_json(FILE *out, const struct symbol_list *list);

/* What bundle-symbols has done. */
struct bundle_facts {
	const char *from, *to; /* as they were named */
	uint64_t modules, addresses, bytes;
};
void render_bundle_text(FILE *out, const struct bundle_facts *facts);
void render_bundle_json(FILE *out, const struct bundle_facts *facts);

#endif
