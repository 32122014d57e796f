/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Failures that come from outside (files, arguments): a function returns -1 and fills a struct err
 * with one line that says what is wrong. Who called decides; only cmd/ prints and exits.
 */
#ifndef XALLOC_BASE_ERR_H
#define XALLOC_BASE_ERR_H

#include <stdbool.h>
#include <stdint.h>

struct err {
	int code;        /* errno of the cause, 0: none */
	bool has_offset; /* the text speaks of a place in a file */
	uint64_t offset;
	char text[512]; /* one line, no line break at its end */
};

/* Both fill err and return -1; errno's value on entry becomes the code. err may be NULL. */
int err_set(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int err_set_at(struct err *err, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
