/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A temporary folder below TMPDIR in which evidence is put together: `in` for originals, `root`,
 * which stays empty, `out`. It goes with the program, however that ends (temporary.h). */
#ifndef XALLOC_CMD_WORKSHOP_H
#define XALLOC_CMD_WORKSHOP_H

#include "analyzer/base/err.h"

struct workshop {
	char *path, *in, *out, *root; /* absolute */
	int back;                     /* the working directory; -1: it was not left */
};

/* -1 with a line in err. Close either way. */
int workshop_open(struct workshop *workshop, struct err *err);
/* Makes `in` the working directory, until it is closed. */
int workshop_enter(struct workshop *workshop, struct err *err);
void workshop_close(struct workshop *workshop);

/* A copy of a file, its holes too. */
int workshop_copy(const char *from, const char *to, struct err *err);

#endif
