/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a budget notices extra work. */
#ifndef XALLOC_RENDER_RENDER_SENSITIVITY_H
#define XALLOC_RENDER_RENDER_SENSITIVITY_H

#include <stdio.h>

#include "analyzer/report/sensitivity.h"

/* Of these two checks. */
void render_sensitivity_text(FILE *out, const struct sensitivity *sensitivity,
			     const struct check *base, const struct check *more);
void render_sensitivity_json(FILE *out, const struct sensitivity *sensitivity,
			     const struct check *base, const struct check *more);

#endif
