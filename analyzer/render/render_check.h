/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces against a budget: for people, and in the forms that CI services read. */
#ifndef XALLOC_RENDER_RENDER_CHECK_H
#define XALLOC_RENDER_RENDER_CHECK_H

#include <stdio.h>

#include "analyzer/render/render.h"
#include "analyzer/report/check.h"

struct check_view {
	const struct limits *limits;
	const struct check *check;
	size_t checks;
	enum check_verdict verdict; /* of all of them */
	const char *root;           /* the directory of the sources: check_place.h */
	const char *budget;         /* an absolute path */
};

void render_check_text(FILE *out, const struct check_view *view, const struct render_style *style);
void render_check_json(FILE *out, const struct check_view *view);
void render_check_junit(FILE *out, const struct check_view *view);
void render_check_sarif(FILE *out, const struct check_view *view);
void render_check_markdown(FILE *out, const struct check_view *view);
/* Workflow commands of GitHub Actions. */
void render_check_github(FILE *out, const struct check_view *view);

#endif
