/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A folder of evidence as its index.json tells of it (docs/evidence.md): originals, byte for byte,
 * and tables that follow from them.
 */
#ifndef XALLOC_EVIDENCE_EVIDENCE_H
#define XALLOC_EVIDENCE_EVIDENCE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/err.h"
#include "analyzer/evidence/pieces.h"

#define EVIDENCE_INDEX "index.json"
#define EVIDENCE_MAX_BYTES_MIN 4000u /* of a piece */
#define EVIDENCE_PARTS_MAX 10        /* of an original's path */

enum evidence_kind {
	EVIDENCE_TRACE,
	EVIDENCE_RSS,     /* a result of xalloc rss */
	EVIDENCE_SYMBOLS, /* a bundle of the trace that is named like it without .symbols */
	EVIDENCE_RULES,   /* of groups: the first one is read, the others are what it includes */
	EVIDENCE_KINDS
};

struct evidence_original {
	char *name; /* a file name: evidence_has_name_form; of rules a path: evidence_has_path_form
		     */
	enum evidence_kind kind;
	struct pieces pieces;
	json_t *facts; /* what it says of its making; NULL: nothing */
};

struct evidence_table {
	char *path;    /* below the folder */
	char *command; /* what prints it */
	struct pieces pieces;
};

struct evidence {
	char *version;      /* of the program that made the tables */
	uint64_t max_bytes; /* of a piece */
	uint64_t top;       /* of tables that show some stacks; 0: all */
	bool is_anonymous;
	size_t incomplete; /* traces of it that are not complete: evidence_build */
	struct evidence_original *original;
	size_t originals;
	struct evidence_table *table;
	size_t tables;
};

void evidence_init(struct evidence *evidence);
void evidence_release(struct evidence *evidence);

/* Letters, digits and ._+- only, none of .-+ first: a name that leads nowhere else. */
bool evidence_has_name_form(const char *name);
/* At most EVIDENCE_PARTS_MAX such names with a slash between them. */
bool evidence_has_path_form(const char *path);
/* The same out of any file name, `_` for other bytes. Owned by the caller. */
char *evidence_name(const char *path);
/* plain, or if an original is called so 2-plain, 3-plain, ... Owned by the caller. */
char *evidence_free_name(const struct evidence *evidence, const char *plain);

/* At the end of each list, name and path taken. */
struct evidence_original *evidence_add_original(struct evidence *evidence, char *name,
						enum evidence_kind kind);
struct evidence_table *evidence_add_table(struct evidence *evidence, char *path, char *command);
/* NULL: there is none. */
const struct evidence_original *evidence_find(const struct evidence *evidence, const char *name);
const struct evidence_original *evidence_first(const struct evidence *evidence,
					       enum evidence_kind kind);

/* Where the pieces of an original are: "originals/NAME". Owned by the caller. */
char *evidence_original_path(const char *name);

/* The folders below `folder` that the file `path` is in, as far as they are not there. */
int evidence_make_folders(const char *folder, const char *path, struct err *err);

/* Writes index.json below the folder. */
int evidence_write(const struct evidence *evidence, const char *folder, struct err *err);

/* Reads it: all but tables and facts, which follow from the originals. Every name and path in it is
 * checked. -1 with a line in err that begins with index.json. Release either way. */
int evidence_read(struct evidence *evidence, const char *folder, struct err *err);

#endif
