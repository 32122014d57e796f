/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file and folders that are being written: they do not stay when the program ends before they are
 * done, by a signal, too. */
#ifndef XALLOC_CMD_TEMPORARY_H
#define XALLOC_CMD_TEMPORARY_H

/* From here on the file at path is one; NULL: it is not any more. path must stay as it is. */
void temporary_set(const char *path);

/* The same for a folder with all that is in it. There may be as many at once. */
enum temporary_folder { TEMPORARY_RESULT, TEMPORARY_SCRATCH, TEMPORARY_FOLDERS };
/* Makes it; where path ends in XXXXXX, of a new name. path must stay as it is then. -1: errno says
 * why. */
int temporary_make_folder(enum temporary_folder which, char *path);
void temporary_keep_folder(enum temporary_folder which);

void temporary_remove_folder(enum temporary_folder which);

/* Removes what there is, and forgets it. */
void temporary_remove(void);

#endif
