/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of `verify`, in the two forms that it has. */
#ifndef XALLOC_RENDER_RENDER_VERIFY_H
#define XALLOC_RENDER_RENDER_VERIFY_H

#include <stdio.h>

#include "analyzer/verify/verify.h"

void render_verify_text(FILE *out, const char *path, const struct verify_report *report);
void render_verify_json(FILE *out, const char *path, const struct verify_report *report);

#endif
