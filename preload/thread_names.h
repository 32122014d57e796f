/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What threads are called, without a hook on what calls them so: a thread asks for its own name
 * when it gets a stream, now and then while its first chunk fills, and at each chunk's end; at the
 * end of the process those that are alive are asked for. A name that is not the last one known
 * becomes a record.
 */
#ifndef XALLOC_THREAD_NAMES_H
#define XALLOC_THREAD_NAMES_H

#include "preload/stream.h"

/* s has become another thread's: readers know no name of it, but that of another of its streams. */
void thread_names_begin(struct stream *s, const struct stream *other);

/* Looks at the name; on a private stack. Nothing when s is not the calling thread's. */
void thread_names_look(struct stream *s);

/* The same from a hook, at s->name_until, which moves on: twice as far from one time to the next.
 */
void thread_names_look_again(struct stream *s);

/* At a clean end: what threads are called that are alive. */
void thread_names_finish(void);

#endif
