/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks of our own. A hook uses under 1 KB of the target's stack, which may be a coroutine's of 4
 * KB; what needs more runs here, with all signals blocked: a handler must not run on such a stack,
 * and a collector that stops threads by signals and scans their stacks must find the thread on its
 * own.
 */
#ifndef XALLOC_SYS_STACK_H
#define XALLOC_SYS_STACK_H

#define STACK_BYTES (64u << 10)

/*
 * Runs fn(arg, 1) on a private stack; when none is free or there is no memory, fn(arg, 0) on the
 * current one: then fn must do with little. Signals are blocked meanwhile and restored afterwards.
 * fn may do so itself, once: the inner fn gets a stack of its own.
 */
void stack_run(void (*fn)(void *arg, int is_private), void *arg);

/* In a fork child: the stacks that were in use belonged to threads that are not here. */
void stack_forget_users(void);

#endif
