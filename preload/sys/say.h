/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line to the user, "xalloc: ...", on standard error, as long as descriptor 2 is still the file
 * that it was when the process started: a file that the target opened there later is never written
 * to.
 */
#ifndef XALLOC_SYS_SAY_H
#define XALLOC_SYS_SAY_H

/* Remember what descriptor 2 is. Called once, before say. */
void say_init(void);

/* The pieces up to a NULL, joined: one line, with ? for control characters. Of a piece longer than
 * 460 bytes the middle is left out; at most two may be that long. */
void say(const char *piece, ...) __attribute__((sentinel));

#endif
