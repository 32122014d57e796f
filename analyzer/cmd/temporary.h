/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file that must not be left behind, however the program ends, but by SIGKILL. */
#ifndef XALLOC_CMD_TEMPORARY_H
#define XALLOC_CMD_TEMPORARY_H

/* From here on the file at path goes when the program ends; NULL: no file any more. There is one at
 * most. path is the caller's and must stay. */
void temporary_set(const char *path);
/* It goes now. */
void temporary_remove(void);

#endif
