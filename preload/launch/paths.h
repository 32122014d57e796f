/* SPDX-License-Identifier: Apache-2.0 */
/* Where xalloc's own files are: absolute paths. */
#ifndef XALLOC_LAUNCH_PATHS_H
#define XALLOC_LAUNCH_PATHS_H

/* This executable. Ends with EXIT_REFUSED when there is no telling. */
char *paths_own(void);

/* libxalloc.so: beside the executable, in ../lib from there, or in the LIBDIR of `make install`.
 * Ends with EXIT_REFUSED when it is in none, or in one that LD_PRELOAD cannot name. */
char *paths_library(void);

/* xalloc-report, beside the executable; ends with EXIT_REFUSED when it is not. */
char *paths_report(void);

#endif
