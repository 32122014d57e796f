/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files below a folder, and their SHA-256: what SHA256SUMS in a folder of evidence says. */
#ifndef XALLOC_EVIDENCE_FILE_TREE_H
#define XALLOC_EVIDENCE_FILE_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/err.h"
#include "analyzer/base/sha256.h"
#include "analyzer/base/warnings.h"

#define FILE_TREE_SUMS "SHA256SUMS"

struct tree_file {
	char *path; /* from the folder on */
	uint64_t bytes;
	struct sha256_hex sha256;
};

/* By path, in the order of their bytes. */
struct file_tree {
	struct tree_file *file;
	size_t count;
	uint64_t bytes;
};

/* Reads all files below a folder but SHA256SUMS. Links, devices and empty folders, which do not
 * belong there, are said in wrong, a line each. -1: the folder, or something in it, cannot be read.
 * Release either way. */
int file_tree_read(struct file_tree *tree, const char *folder, struct warnings *wrong,
		   struct err *err);
void file_tree_release(struct file_tree *tree);

/* The text of SHA256SUMS, as `sha256sum -c` takes it. Owned by the caller. */
char *file_tree_sums(const struct file_tree *tree);

/* How `tree` differs from what `sums`, the text of a SHA256SUMS, says: a line for each file. */
void file_tree_check(const struct file_tree *tree, const char *sums, struct warnings *wrong);

/* How a tree that was found differs from the one that it should be: a line for each file. */
void file_tree_compare(const struct file_tree *found, const struct file_tree *right,
		       struct warnings *wrong);

#endif
