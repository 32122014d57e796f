/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program's own mappings as JSON: the member "mappings" of a summary. */
#ifndef XALLOC_RENDER_JSON_MAPPINGS_H
#define XALLOC_RENDER_JSON_MAPPINGS_H

#include <stdio.h>

#include "analyzer/report/summary.h"

/* With a comma and a line break behind it. */
void json_mappings_put(FILE *out, const struct summary *s);

#endif
