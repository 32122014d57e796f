/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/oracle/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "preload/trace/format.h"
#include "tests/oracle/compare.h"
#include "tests/oracle/own_memory.h"

#define VIEWS_MAX 4096u

static struct view {
	const struct unwind_state *of;
	uint32_t count;
	uint32_t *ids; /* root first, room for IDS_MAX */
	bool is_new;   /* events before our constructor were not seen */
} views[VIEWS_MAX];

#define IDS_MAX (XT_STACK_MAX + 2)

static struct view *view_of(const struct unwind_state *u)
{
	uint32_t i = (uint32_t)((uintptr_t)u >> 12) % VIEWS_MAX, tries;
	void *memory;

	for (tries = 0; tries < VIEWS_MAX; tries++, i = (i + 1) % VIEWS_MAX) {
		if (views[i].of == u)
			return &views[i];
		if (views[i].of)
			continue;
		memory = own_map(NULL, IDS_MAX * sizeof(uint32_t), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (memory == MAP_FAILED)
			return NULL;
		views[i] = (struct view){ u, 0, memory, true };
		return &views[i];
	}
	return NULL;
}

static void copy(struct view *v, const struct unwind_state *u, uint32_t from)
{
	memcpy(v->ids + from, u->ids + from, (u->shown - from) * sizeof(uint32_t));
	v->count = u->shown;
	v->is_new = false;
}

void view_begin(const struct unwind_state *u)
{
	struct view *v = view_of(u);

	if (v)
		copy(v, u, 0);
}

void view_follow(const struct unwind_state *u, uint32_t was_shown, struct unwind_change change)
{
	struct view *v = view_of(u);

	if (!v) {
		oracle_miss();
		return;
	}
	if (v->is_new) {
		copy(v, u, 0);
		return;
	}
	/* the stream begins anew: so does its reader */
	if (!was_shown)
		v->count = 0;
	if (v->count != was_shown || change.pops > v->count ||
	    v->count - change.pops + change.pushes != u->shown) {
		oracle_differ("frames after pops and pushes",
			      (uint64_t)v->count - change.pops + change.pushes, u->shown);
		copy(v, u, 0);
		return;
	}
	copy(v, u, v->count - change.pops);
	if (memcmp(v->ids, u->ids, v->count * sizeof(uint32_t)))
		oracle_differ("another stack after pops and pushes, frames", v->count, u->shown);
	copy(v, u, 0);
}
