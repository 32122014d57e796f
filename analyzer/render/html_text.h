/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text and data of others inside of a page: nothing in them can end what they stand in. */
#ifndef XALLOC_RENDER_HTML_TEXT_H
#define XALLOC_RENDER_HTML_TEXT_H

#include <jansson.h>
#include <stdio.h>

/* As text or as an attribute's value in quotation marks. Bytes that are not UTF-8, and control
 * characters but for line breaks, become U+FFFD. */
void html_text_put(FILE *out, const char *text);

/* A value inside of <script type="application/json">. */
void html_text_put_json(FILE *out, const json_t *value);

#endif
