/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace file: one mapping, no descriptor kept. Space is taken from free regions by the protocol
 * of docs/trace-format.md ("Commit", "Growth"). Everything here that takes the try-lock must be
 * called with all signals blocked. Functions return 0 or a negative errno: -EAGAIN the lock is
 * busy, -ENOSPC or -EFBIG no more space, for good (header->stop_reason says why).
 */
#ifndef XALLOC_STORE_FILE_H
#define XALLOC_STORE_FILE_H

#include <errno.h>
#include <stdint.h>

#include "preload/store/shared.h"
#include "preload/trace/format.h"

#define FILE_PATH_MAX 4096
#define FILE_WINDOW0_SLOTS \
	3 /* events, frame ids, records: a program with one thread needs no more */

/* Space that was taken: room for `bytes` after the frame head, not yet visible to a reader. */
struct file_space {
	uint8_t *at;    /* first byte after the frame head */
	uint32_t *size; /* the frame head's size field */
	unsigned mapping;
};

/* The header, mapped; NULL while there is no trace. Counters in it are changed by atomic operations
 * only. */
extern struct xt_header *file_header;

/* The writers' part of its page; NULL while there is no trace. */
extern struct shared *file_shared;

/* The first window's frame, mapped at its start. */
extern uint8_t *file_window0;

/*
 * Lays out a new file in the open descriptor fd (empty, locked) and maps it; the header page holds
 * a frame head and zeros, window 0 is empty. max_bytes bounds the file for ever. The caller fills
 * the header, names the file, calls file_named and closes fd.
 */
int file_create(int fd, uint64_t max_bytes);

#define FILE_ELSEWHERE_PREFIX \
	"xalloc." /* of a trace that is not where it is wanted: PREFIX PID.START.NAME */
#define FILE_CREATE_UNMAPPED (-ENODEV) /* of file_create: fd cannot be mapped shared */

/*
 * The helper's way in: maps the file that another process created and writes to. Space is reserved
 * and published as by that one; windows are that one's to add, and recording is its to stop.
 */
int file_attach(int fd, const char *path);

/* The helper's mapping of late window `number`, of *slots; NULL: not to be had. */
uint8_t *file_map_window(int fd, uint32_t number, uint32_t *slots);

/* The helper is dead: were the lock its, it is nobody's now. */
void file_free_lock(void);

/* The absolute path by which the file is grown from now on. */
void file_named(const char *path);
const char *file_path(void);

/*
 * So many bytes, at most 2 GiB, are free from now on without the file's having to grow: for a
 * program that is about to lose the right to make it grow. As far as limits go; sparse.
 */
int file_extend(uint64_t bytes);

/* The totals can be written without a system call, as long as nothing else is. */
void file_ready_end(void);

/* Undo file_create. is_mapped 0: in a fork child, where none of the mappings is. */
void file_forget(int is_mapped);

/*
 * In a fork child, for a hook that a handler interrupted and that will go on here: private pages
 * take the place of the mappings that stayed with the parent, and nothing touches the file any
 * more.
 */
void file_lay_private_pages(void);

int file_reserve(uint64_t bytes, struct file_space *space);

/* One store: the frame's size becomes frame_bytes, what stands behind that appears. Space ends to
 * be ours. */
void file_publish(const struct file_space *space, uint32_t frame_bytes);

/* A window of `slots` at the high end of the free space, mapped on its own; *at is its frame's
 * start. */
int file_add_window(uint32_t slots, uint8_t **at);

/*
 * Shrinks the file behind its last byte in use. When windows stand there, give_up is asked, with
 * the lock held and the number of windows ever added: 1, nobody uses them any more. `room` bytes
 * stay, a hole, for who still writes: a process that ends while a thread of it makes the file grow
 * leaves zeros at its end.
 */
int file_trim(int (*give_up)(uint32_t windows), uint64_t room);

/* A call is not in the trace. */
void file_count_lost(void);

/* Makes pages writable for sure: -ENOSPC instead of a SIGBUS later. */
int file_populate(void *start, uint64_t bytes);

/* Recording ends because of `why` (enum xt_stop); the first reason stays. */
void file_stop(uint32_t why);

/* Says on standard error, once, that recording has stopped: the helper, which may have found that
 * out, says nothing. */
void file_say_stop(void);

#endif
