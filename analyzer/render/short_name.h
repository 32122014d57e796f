/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of C++ functions may be thousands of characters long: what they look like in a report for
 * people. */
#ifndef XALLOC_RENDER_SHORT_NAME_H
#define XALLOC_RENDER_SHORT_NAME_H

/* A longer name is shortened. */
#define SHORT_NAME_BYTES 80

/*
 * The name with the template arguments and parameters in it, where they are longer than a word,
 * as an ellipsis: "std::vector<…>::_M_realloc_insert<…>(…)". A name of at most SHORT_NAME_BYTES
 * stays as it is; so does one in which there is nothing of the kind. Owned by the caller.
 */
char *short_name_build(const char *name);

#endif
