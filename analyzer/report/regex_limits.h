/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What an extended regular expression may ask of regcomp(3). glibc's recurses into parentheses
 * until the stack is at its end, copies what is repeated ({m,n}; once for +), so that repetitions
 * of repetitions fill any memory, and tries back-references, which POSIX has in basic expressions
 * only, one after the other.
 */
#ifndef XALLOC_REPORT_REGEX_LIMITS_H
#define XALLOC_REPORT_REGEX_LIMITS_H

#include "analyzer/base/err.h"

#define REGEX_DEPTH_MAX 64
#define REGEX_SIZE_MAX 10000 /* characters, with repetitions written out */

/* -1: it asks for more; err says what. Whether it is an expression at all is regcomp's to say. */
int regex_limits_check(const char *regex, struct err *err);

#endif
