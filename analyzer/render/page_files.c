/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/page_files.h"

/* The Makefile knows that this file depends on them. */
#define FILE_TEXT(name, path)                                                 \
	__asm__(".pushsection .rodata\n"                                      \
		".globl " #name "\n"                                          \
		".type " #name ", @object\n" #name ": .incbin \"" path "\"\n" \
		".byte 0\n"                                                   \
		".popsection\n")

FILE_TEXT(page_css, "analyzer/render/page/page.css");
FILE_TEXT(page_js, "analyzer/render/page/page.js");
