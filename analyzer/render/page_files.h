/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of page/, which are part of the program. */
#ifndef XALLOC_RENDER_PAGE_FILES_H
#define XALLOC_RENDER_PAGE_FILES_H

extern const char page_css[], page_js[]; /* texts */

#endif
