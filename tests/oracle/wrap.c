/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Puts the comparison behind each walk of the recorder: the linker's --wrap leads the recorder's
 * calls of unwind_stack and ids_add here. What is compared is what is written: the frame ids, by
 * what they stand for, and that pops and pushes lead there. And that of cfi_row, so that
 * ORACLE_FAULT can put a fault into it, which has to be found: `rbp` takes rbp for unchanged
 * everywhere, `cfa` adds 8 to one CFA offset in 16; and that of expression_value: `expression` adds
 * 8 to what it gives; and that of unwind_forget_rows: with `modules` nothing is forgotten. And
 * those of the ends after which a process does not come to our destructor. ORACLE_WALK=full
 * puts the full walk in the place of each walk by rows.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "preload/life.h"
#include "preload/store/ids.h"
#include "preload/sys/stack.h"
#include "preload/unwind/cfi.h"
#include "preload/unwind/expression.h"
#include "preload/unwind/full.h"
#include "preload/unwind/kept.h"
#include "preload/unwind/unwind.h"
#include "tests/oracle/compare.h"
#include "tests/oracle/own_memory.h"
#include "tests/oracle/view.h"

#define IDS_MAX (4u << 20)
#define FULL_FRAMES_MAX 1026u /* u->ids has room for more, unless XALLOC_DEPTH is less */

uint32_t __real_ids_add(uint64_t pc, uint32_t epoch, uint32_t flags);
uint32_t __wrap_ids_add(uint64_t pc, uint32_t epoch, uint32_t flags);
struct unwind_change __real_unwind_stack(struct unwind_state *u, const uint64_t *fp);
struct unwind_change __wrap_unwind_stack(struct unwind_state *u, const uint64_t *fp);
struct unwind_change __real_unwind_stack_copy(struct unwind_state *u, const struct unwind_copy *c);
struct unwind_change __wrap_unwind_stack_copy(struct unwind_state *u, const struct unwind_copy *c);
bool __real_expression_value(const struct expression_world *w, struct eh_reader code,
			     const uint64_t *first, uint64_t *value);
bool __wrap_expression_value(const struct expression_world *w, struct eh_reader code,
			     const uint64_t *first, uint64_t *value);
void __real_cfi_row(uint64_t pc, bool exact, const struct dl_find_object *object, struct row *out);
void __wrap_cfi_row(uint64_t pc, bool exact, const struct dl_find_object *object, struct row *out);
void __real_unwind_forget_rows(uint64_t start, uint64_t end);
void __wrap_unwind_forget_rows(uint64_t start, uint64_t end);
void __real_life_finish(int status);
void __wrap_life_finish(int status);
void __real_life_quick_exit(int status);
void __wrap_life_quick_exit(int status);

static struct oracle_frame *frame_of_id; /* [IDS_MAX], for ever */
static struct oracle_frame *frames;      /* the stack that is compared */
static char fault;                       /* first letter */
static bool is_full;

static void *memory_new(size_t bytes)
{
	void *memory = own_map(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static __attribute__((constructor)) void begin(void)
{
	const char *name = getenv("ORACLE_FAULT");

	fault = name ? *name : 0;
	name = getenv("ORACLE_WALK");
	is_full = name && *name == 'f';
	frames = memory_new((XT_STACK_MAX + 2) * sizeof(*frames));
}

void __wrap_life_finish(int status)
{
	__real_life_finish(status);
	oracle_say();
}

void __wrap_life_quick_exit(int status)
{
	oracle_say(); /* what its handlers do is compared, but not in these counts */
	__real_life_quick_exit(status);
}

void __wrap_cfi_row(uint64_t pc, bool exact, const struct dl_find_object *object, struct row *out)
{
	__real_cfi_row(pc, exact, object, out);
	if (fault == 'r' && out->kind == ROW_STEP)
		out->rbp = RBP_SAME;
	if (fault == 'c' && out->kind == ROW_STEP && pc % 16 == 0)
		out->cfa_offset += 8;
}

bool __wrap_expression_value(const struct expression_world *w, struct eh_reader code,
			     const uint64_t *first, uint64_t *value)
{
	const bool is_known = __real_expression_value(w, code, first, value);

	if (fault == 'e')
		*value += 8;
	return is_known;
}

void __wrap_unwind_forget_rows(uint64_t start, uint64_t end)
{
	if (fault != 'm')
		__real_unwind_forget_rows(start, end);
}

uint32_t __wrap_ids_add(uint64_t pc, uint32_t epoch, uint32_t flags)
{
	const uint32_t id = __real_ids_add(pc, epoch, flags);
	struct oracle_frame *map = frame_of_id, *none = NULL;
	const bool is_exact = (flags & XT_IDF_EXACT) != 0;

	if (!map) {
		map = memory_new(IDS_MAX * sizeof(*map));
		if (!__atomic_compare_exchange_n(&frame_of_id, &none, map, false, __ATOMIC_SEQ_CST,
						 __ATOMIC_SEQ_CST)) {
			own_unmap(map, IDS_MAX * sizeof(*map));
			map = none;
		}
	}
	if (map && id < IDS_MAX)
		map[id] = (struct oracle_frame){ pc, is_exact, oracle_module(pc, is_exact) };
	return id;
}

static __attribute__((noinline)) struct unwind_change full_stack(struct unwind_state *u)
{
	struct full_registers here;
	struct unwind_change change = { .pops = u->shown };
	uint32_t i;

	full_registers_here(&here);
	unwind_drop(u);
	change.pushes = full_walk(u, &here, u->ids, FULL_FRAMES_MAX);
	if (change.pushes == FULL_FRAMES_MAX)
		u->ids[FULL_FRAMES_MAX - 1] = XT_ID_ELIDED;
	for (i = 0; i < change.pushes / 2; i++) {
		const uint32_t id = u->ids[i];

		u->ids[i] = u->ids[change.pushes - 1 - i];
		u->ids[change.pushes - 1 - i] = id;
	}
	u->shown = change.pushes;
	return change;
}

struct job {
	struct oracle_event event;
	const struct unwind_state *u;
};

static void compare(void *arg, int is_private)
{
	struct job *job = arg;
	struct oracle_event *e = &job->event;
	const uint32_t shown = job->u->shown;
	uint32_t i;

	if (!is_private || !frames || !frame_of_id) {
		oracle_miss();
		return;
	}
	for (i = 0; i < shown; i++) {
		const uint32_t id = job->u->ids[shown - 1 - i];

		if (id < XT_ID_FIRST) {
			e->root = id == XT_ID_ELIDED ? ORACLE_ELIDED : ORACLE_TRUNCATED;
			break;
		}
		frames[i] = frame_of_id[id < IDS_MAX ? id : 0];
	}
	e->frame = frames;
	e->count = i;
	oracle_compare(e);
}

/* Not inlined: its frame is where libunwind begins. */
static __attribute__((noinline)) void compare_from_here(const struct unwind_state *u,
							const uint64_t *fp, uint32_t was_shown,
							struct unwind_change change, bool is_short)
{
	struct full_registers from;
	struct job job = { .event = { .from = &from,
				      .hook_ip = fp[1],
				      .hook_sp = (uint64_t)(uintptr_t)(fp + 2),
				      .hook_rbp = fp[0] },
			   .u = u };
	const uint64_t mask = oracle_enter();

	full_registers_here(&from);
	stack_run(compare, &job);
	if (is_short && !is_full && (change.pops || change.pushes))
		oracle_differ("taken for unchanged, frames that come", change.pushes, 0);
	if (oracle_wants_all())
		view_follow(u, was_shown, change);
	oracle_leave(mask);
	__asm__ volatile("" : : : "memory");
}

struct unwind_change __wrap_unwind_stack(struct unwind_state *u, const uint64_t *fp)
{
	const uint32_t was_shown = u->shown;
	/* what the recorder asks before it takes its short way */
	const bool is_short = was_shown && kept_is_unchanged(u->kept, fp);
	const struct unwind_change change = is_full ? full_stack(u) : __real_unwind_stack(u, fp);

	if (oracle_wants())
		compare_from_here(u, fp, was_shown, change, is_short);
	return change;
}

struct unwind_change __wrap_unwind_stack_copy(struct unwind_state *u, const struct unwind_copy *c)
{
	const struct unwind_change change = __real_unwind_stack_copy(u, c);

	if (oracle_wants_all()) {
		const uint64_t mask = oracle_enter();

		view_begin(u);
		oracle_leave(mask);
	}
	return change;
}
