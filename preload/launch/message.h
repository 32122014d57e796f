/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the launcher says: one line on standard error, "xalloc: " before it, with ? for control
 * characters. Of a line over 1,000 bytes the middle is left out.
 */
#ifndef XALLOC_LAUNCH_MESSAGE_H
#define XALLOC_LAUNCH_MESSAGE_H

#define EXIT_USAGE 2 /* of xalloc; `record` has the next one for that, too */
/* Exit statuses of `record` as of env(1), nice(1) and timeout(1). */
#define EXIT_REFUSED 125 /* the launcher will not, or cannot, record */
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127

__attribute__((format(printf, 1, 2))) void message(const char *format, ...);

/* Says it and ends with the status: nothing was started yet. */
__attribute__((format(printf, 2, 3), noreturn)) void refuse(int status, const char *format, ...);

/* The text to standard output: 0, or EXIT_USAGE after a line that says why it did not get there. */
int print_out(const char *text);

/* refuse() when there is no memory. */
__attribute__((format(printf, 1, 2))) char *text_new(const char *format, ...);
void *memory_new(unsigned long count, unsigned long bytes);

#endif
