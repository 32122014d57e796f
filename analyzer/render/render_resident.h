/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resident memory at a snapshot: of blocks by stack, and of kinds of mappings. */
#ifndef XALLOC_RENDER_RENDER_RESIDENT_H
#define XALLOC_RENDER_RENDER_RESIDENT_H

#include <stdint.h>
#include <stdio.h>

#include "analyzer/render/render.h"
#include "analyzer/report/resident.h"
#include "analyzer/report/summary.h"

void render_resident_text(FILE *out, const struct summary *s, const struct resident *report,
			  uint64_t top, const struct render_style *style);
void render_resident_json(FILE *out, const struct summary *s, const struct resident *report,
			  uint64_t top);

#endif
