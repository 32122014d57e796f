/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A second thread that does jobs ahead of their time, one after the other, in the order in which
 * they were posted, also when a later one is waited for: so what they do in that order, as numbers
 * that they give out, is the same each time. All of them are the same function's, which nobody else
 * calls meanwhile: what only it uses needs no lock. Without a second processor there is no thread,
 * and a job is done when it is waited for.
 */
#ifndef XALLOC_BASE_HELPER_H
#define XALLOC_BASE_HELPER_H

#include <stdbool.h>

enum helper_state { HELPER_IDLE, HELPER_POSTED, HELPER_AT_WORK, HELPER_DONE };

/* Part of what the job is about; all 0 at first. */
struct helper_job {
	struct helper_job *next;
	enum helper_state state; /* the helper's own */
};

struct helper;

/* with_thread: false: never a thread. */
struct helper *helper_new(void (*work)(struct helper_job *job), bool with_thread);
bool helper_has_thread(const struct helper *helper);
/* Jobs that were posted and not begun are not done. NULL is fine. */
void helper_free(struct helper *helper);

/* The job is idle. */
void helper_post(struct helper *helper, struct helper_job *job);
/* Returns when the job, which was posted, is done; it is idle then. */
void helper_wait(struct helper *helper, struct helper_job *job);

#endif
