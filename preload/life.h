/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life cycle: boot -> recording -> draining -> off, and what begins a trace: at the first hook
 * or in our constructor, whichever is first, and again in a fork child at its first event.
 */
#ifndef XALLOC_LIFE_H
#define XALLOC_LIFE_H

#include <stdint.h>

#include "preload/sys/hidden.h"

/*
 * The word that a hook looks at. It lies in a page that reads 0 in a fork child (MADV_WIPEONFORK):
 * the child is noticed whatever created it. NULL before boot.
 */
#define LIFE_BOOT 0u
#define LIFE_RECORDING 1u
#define LIFE_STOPPED 2u /* there is a trace, which can take no more: calls are counted as lost */
#define LIFE_OFF 3u     /* there is none */
#define LIFE_PAUSED 4u  /* recording, but allocations do not count: without their stacks */
extern HIDDEN volatile uint32_t *life_word;

static inline int life_is_recording(void)
{
	return life_word && (*life_word == LIFE_RECORDING || *life_word == LIFE_PAUSED);
}

/* From now on allocations count (0), or do not (1); returns 0 when they did, or did not, already.
 */
int life_pause(int begins);

/* Not recording: begins a trace when one is due. 1: recording now. 0: pass the call through. */
int life_begin(void);

/* The process whose memory this is (its vfork children see the same number). */
int32_t life_pid(void);

/* Is the caller such a child? */
int life_is_vforked(void);

/* Is its memory the caller's alone, as it is not a vfork child's? */
static inline int life_has_own_memory(void)
{
	return life_word && (*life_word == LIFE_BOOT || !life_is_vforked());
}

/* No more space: hooks pass through from now on. */
void life_stop(void);

/* A new pair of clock readings in the header; due when a stamp is past life_next_pair. */
void life_refresh_clock(void);
extern HIDDEN uint64_t life_next_pair;

/* quick_exit was called; its handlers run first. */
void life_quick_exit(int status);

/*
 * Around a fork by the hook at fp. Before: is it in a handler, which may have interrupted one of
 * our hooks? That goes on in the child, where the trace's pages are not; so after it, in the child,
 * private ones take their place.
 */
int life_fork_begins(const uint64_t *fp);
void life_forked(int in_handler);

/* An exec begins, or (0) failed: whether the trace ends so. */
void life_exec(int begins);

/* XALLOC_FOLLOW=0, and what is started now, in place of this process or (spawns) beside it, is none
 * of the programs that are recorded all the same, those of the session's first process. */
int life_leaves_alone(int spawns);

/* The program moves the end of the heap itself. */
void life_moves_heap(void);

/* The process is about to end with that status. Later events are still recorded. */
void life_finish(int status);

#endif
