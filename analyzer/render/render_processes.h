/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tree of processes that several traces are of, in the two forms that it has. */
#ifndef XALLOC_RENDER_RENDER_PROCESSES_H
#define XALLOC_RENDER_RENDER_PROCESSES_H

#include <stdio.h>

#include "analyzer/render/render.h"
#include "analyzer/report/process_tree.h"

void render_processes_text(FILE *out, const struct process_tree *tree,
			   const struct render_style *style);
void render_processes_json(FILE *out, const struct process_tree *tree);

#endif
