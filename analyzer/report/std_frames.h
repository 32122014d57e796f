/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which frames are only the way of a language's library to the allocator: operator new, the
 * allocators of C++ and Rust, and the functions of containers that do nothing but call them. By
 * name, without arguments (name_parts.h); std_frames.c has the list.
 */
#ifndef XALLOC_REPORT_STD_FRAMES_H
#define XALLOC_REPORT_STD_FRAMES_H

#include <stdbool.h>

#include "analyzer/symbols/symbolizer.h"

struct std_frames;

struct std_frames *std_frames_new(void);
void std_frames_free(struct std_frames *frames); /* NULL is fine */

/* A name is looked at once. */
bool std_frames_has(struct std_frames *frames, const struct frame_name *frame);

#endif
