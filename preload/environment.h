/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process as the kernel started it: arguments and environment from the initial stack, which are
 * there before libc has set `environ`; and the two changes that we make to the environment of what
 * it starts.
 */
#ifndef XALLOC_ENVIRONMENT_H
#define XALLOC_ENVIRONMENT_H

#include <stddef.h>
#include <stdint.h>

char *const *environment_argv(void);
char *const *environment_env(void);

/* The main thread's stack ends below. */
uint64_t environment_stack_top(void);

/*
 * Puts `session` (NAME=VALUE, copied; NULL: nothing) at the end of the environment, replacing an
 * entry of its name, and makes a relative path to this library in LD_PRELOAD absolute. The
 * variables stay where they are otherwise.
 */
void environment_amend(const char *session, const char *directory);

/* Is it an LD_PRELOAD=... with this library in it? */
int environment_preloads_us(const char *entry);

/* Such an entry without this library, in so many bytes as it has itself. Returns the bytes of the
 * new one with its NUL; 0: nothing else is in it. */
size_t environment_without_us(char *to, const char *entry);

#endif
