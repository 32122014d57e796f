/* SPDX-License-Identifier: Apache-2.0 */
/* A trace file's frames, one after the other. Of a damaged file: up to the damage. */
#ifndef XALLOC_LAUNCH_FRAMES_H
#define XALLOC_LAUNCH_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/trace/format.h"

struct frame_head {
	uint32_t magic, size; /* of the payload */
};

struct frames_visitor {
	/* A chunk, whose zstd frame stands at zstd_at. */
	void (*chunk)(void *arg, const struct xt_meta *meta, uint64_t zstd_at);
	/* A slot of a live window: its head stands at head_at, its bytes at data_at. */
	void (*slot)(void *arg, const struct xt_slot *slot, uint64_t head_at, uint64_t data_at);
	void *arg;
};

void frames_each(int fd, const struct frames_visitor *visitor);

/* False: not all of it is there. */
bool frames_read(int fd, void *to, size_t bytes, uint64_t offset);

/* The first page of a live window. */
union frames_window {
	uint8_t byte[XT_PAGE_BYTES];
	struct {
		struct frame_head head;
		struct xt_window window;
	} at;
};

/* Returns where the window's frame ends; 0: none is there. */
uint64_t frames_read_window(int fd, union frames_window *page, uint64_t offset);

/* Is there anything in the slot for a reader? */
bool frames_slot_is_used(const struct xt_slot *slot);

#endif
