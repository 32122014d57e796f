/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of the process's allocation does not come to the recorder's hooks: an allocator before ours,
 * objects that are bound past us (RTLD_DEEPBIND), namespaces with a libc of their own (dlmopen,
 * LD_AUDIT). Each is said once in the trace, as a message, so that no report is silently short.
 */
#ifndef XALLOC_VISIBLE_H
#define XALLOC_VISIBLE_H

/* A new trace: nothing was said in it. Says what is known at the start. */
void visible_begin(void);

/* Says which namespaces are new. Takes no lock, and reads nothing that goes away. */
void visible_check(void);

/* The caller is about to give `handle` to dlclose, and so keeps its object in place until then. */
void visible_check_closing(void *handle);

/* At a clean end of a process whose only thread is the caller. */
void visible_check_all(void);

/* Were calls of the allocator that the hooks call missed? */
int visible_missed_calls(void);

#endif
