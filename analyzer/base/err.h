/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Failures that come from outside (files, arguments): a function returns -1 and fills a struct err
 * with one line that says what is wrong. Who called decides; only cmd/ prints and exits.
 */
#ifndef XALLOC_BASE_ERR_H
#define XALLOC_BASE_ERR_H

struct err {
	char text[512]; /* one line, no line break at its end */
};

/* Fills err, which may be NULL, and returns -1. */
int err_set(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
