/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The name of the trace, by which alone it can be made larger or cut: the file may be moved while
 * its process runs, and its folder too. Called under the file's lock.
 */
#ifndef XALLOC_STORE_FILE_NAME_H
#define XALLOC_STORE_FILE_NAME_H

#include <stdint.h>
#include <sys/types.h>

/* Which file it is, whatever its name, and where its first page was mapped by one (NULL: nowhere).
 */
struct file_identity {
	dev_t dev;
	ino_t ino;
	const void *mapping;
};

/* The file got the name `path`: one page is mapped by it. What was mapped before had none, and the
 * kernel follows names, not files. */
void file_name_note(const char *path, struct file_identity *file);

/*
 * Is `path` still that file's name? If not, and the kernel knows another (/proc/self/map_files),
 * that becomes path, which has room for `room` bytes. 0, or -ENOENT: it has none that can be
 * reached.
 */
int file_name_check(char *path, uint64_t room, const struct file_identity *file);

#endif
