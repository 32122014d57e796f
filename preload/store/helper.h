/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process's side of a helper (store/shared.h): asking xalloc record for one, leaving it full
 * slots, waiting for it when it is slow, going on without it when it is dead. There may be none,
 * ever: then everything is committed here. Signals are blocked.
 */
#ifndef XALLOC_STORE_HELPER_H
#define XALLOC_STORE_HELPER_H

#include <stdint.h>

/*
 * How the recorder is asked: it is the parent of the session's first process, and has a pipe open
 * under this number, and under the next, so that it is known, a memfd of that name. A request is
 * written at once.
 */
#define HELPER_PIPE 233
#define HELPER_MARK 234
#define HELPER_MARK_NAME "xalloc-record"
#define HELPER_REQUEST_BYTES 4096u /* PIPE_BUF */
#define HELPER_PATH_MAX (HELPER_REQUEST_BYTES - 16u)

struct helper_request {
	uint64_t start_time;
	uint32_t pid, reserved;
	char path[HELPER_PATH_MAX]; /* of the trace */
};

/* Asks for a helper, once. 1: one was asked for, and works some time later, or never. Takes 6 KB of
 * stack. */
int helper_ask(void);

/* Has nobody asked yet? There is a trace. */
int helper_is_unasked(void);

/* Is this under xalloc record, as far as can be told? */
int helper_is_near(void);

/* 1: full slots are to be left. */
int helper_works(void);

/* A slot was left: it need not sleep. */
void helper_ring(void);

/* Waits until the helper gives a slot back after helper_freed() was `freed`, or stops working; a
 * moment at most. */
uint32_t helper_freed(void);
void helper_wait(uint32_t freed);

/* The end of the process: returns when the helper has committed what it was left and gone. */
void helper_finish(void);

/* The helper itself: it gave a slot back, or works no more. */
void helper_gave_back(void);

#endif
