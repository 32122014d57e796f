/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/unwind/kept.h"

#include <dlfcn.h>
#include <stdatomic.h>

#include "preload/modules.h"
#include "preload/sys/stack.h"
#include "preload/unwind/unwind.h"

static struct {
	uint32_t least, cut, most; /* frames: kept at least, left by a cut, and when one is due */
} limit;

static uint64_t up(uint64_t bytes)
{
	return (bytes + 63) & ~63ull;
}

void kept_init(uint32_t depth)
{
	limit.least = depth;
	limit.cut = depth + depth / 4;
	limit.most = depth + depth / 2;
}

size_t unwind_kept_bytes(void)
{
	const uint64_t frames = limit.most + 1;

	return up(sizeof(struct kept)) + 2 * up(frames * sizeof(struct kept_frame)) +
	       up(frames * ARCH_STEP_WORDS_MAX * sizeof(struct arch_word)) +
	       up((frames + 1) * sizeof(uint32_t));
}

void kept_lay(struct unwind_state *u, void *memory)
{
	const uint64_t frames = limit.most + 1;
	uint8_t *at = memory;
	struct kept *k = memory;

	*k = (struct kept){ 0 };
	u->kept = k;
	at += up(sizeof(*k));
	u->ids = (uint32_t *)(void *)at;
	at += up((frames + 1) * sizeof(uint32_t));
	k->word = (struct arch_word *)(void *)at;
	at += up(frames * ARCH_STEP_WORDS_MAX * sizeof(struct arch_word));
	k->frame = (struct kept_frame *)(void *)at;
	k->fresh = (struct kept_frame *)(void *)(at + up(frames * sizeof(struct kept_frame)));
}

static inline void forget_frames(struct kept *k)
{
	k->count = k->reusable = 0;
	k->unknown = 0;
}

void unwind_drop(struct unwind_state *u)
{
	forget_frames(u->kept);
	u->shown = 0;
}

/*
 * Do the words of the lowest `frames` frames hold what they held? Returns `frames`, or the number
 * of the frame whose step has changed.
 */
static inline __attribute__((always_inline)) uint32_t verify(const struct kept *k, uint32_t frames)
{
	const struct arch_word *w = k->word + k->frame[frames - 1].words;
#ifdef XALLOC_UNWIND_UNVERIFIED /* for the test that this is needed */
	w = k->word;
#endif
	while (w != k->word) {
		w--;
		if (__builtin_expect(*w->at != w->value, 0)) {
			uint32_t changed = (uint32_t)(w - k->word), g = frames - 1;

			while (g && k->frame[g - 1].words > changed)
				g--;
			return g;
		}
	}
	return frames;
}

static inline int is_met(const struct kept_frame *f, const struct arch_frame *at)
{
	return f->at.sp == at->sp && f->at.pc == at->pc && f->at.exact == at->exact &&
	       (!f->is_live || f->at.rbp == at->rbp);
}

/* How a walk ended. */
struct walked {
	uint32_t fresh; /* frames in k->fresh */
	uint32_t met;   /* kept frames that the last of these stands on */
	/* When none was met: */
	uint32_t root;  /* mark */
	int is_unsound; /* a step failed, on words that nobody verifies */
	uint64_t unknown;
	struct arch_frame end; /* behind the last frame, where pc is 0; sp 0: not known */
};

static struct walked walk(struct unwind_state *u, struct arch_frame at, uint32_t candidates,
			  uint64_t shift)
{
	struct kept *k = u->kept;
	struct walked w = { 0 };

	for (;;) {
		const struct row_entry *e;

		while (candidates && k->frame[candidates - 1].at.sp < at.sp)
			candidates--;
		if (candidates && is_met(&k->frame[candidates - 1], &at)) {
			const uint32_t sound = verify(k, candidates);

			if (sound == candidates) {
				w.met = candidates;
				return w;
			}
			candidates = sound;
		}
		if (__builtin_expect(w.fresh == limit.most, 0)) {
			w.fresh = limit.cut;
			w.root = XT_ID_ELIDED;
			return w;
		}
		e = rows_get(at.pc, at.exact);
		if (__builtin_expect(!e, 0)) {
			w.root = XT_ID_TRUNCATED;
			w.is_unsound = 1;
			return w;
		}
		k->fresh[w.fresh].at = at;
		k->fresh[w.fresh].row = e;
		w.fresh++;
		if (__builtin_expect(e->row.kind != ROW_STEP && e->row.kind != ROW_SIGNAL, 0)) {
			if (e->row.kind != ROW_END)
				w.root = XT_ID_TRUNCATED;
			if (e->no_object)
				w.unknown = at.pc << 1 | (uint64_t)at.exact;
			return w;
		}
		if (__builtin_expect(!arch_step(u, &at, &e->row, shift), 0)) {
			w.root = XT_ID_TRUNCATED;
			w.is_unsound = 1;
			return w;
		}
		if (__builtin_expect(at.pc == 0, 0)) {
			w.end = at;
			return w;
		}
	}
}

/* The fresh frames are put upon those that were met. */
static struct unwind_change keep(struct unwind_state *u, const struct walked *w)
{
	struct kept *k = u->kept;
	const struct arch_frame *caller = NULL;
	const uint32_t was_shown = u->shown;
	uint32_t shown = 0, words = 0, same = 0, live = 0, at = w->met, i;
	uint32_t reusable = UINT32_MAX; /* or all frames before that one */

	if (at) {
		const struct kept_frame *f = &k->frame[at - 1];

		caller = &f->at;
		shown = f->shown;
		words = f->words;
		live = f->is_live;
		same = shown;
	} else {
		k->root = w->root;
		k->unknown = w->unknown;
		if (w->root) {
			same = was_shown && u->ids[0] == w->root;
			u->ids[shown++] = w->root;
		}
		if (w->end.sp)
			caller = &w->end;
		if (w->is_unsound)
			reusable = 0;
	}
	for (i = w->fresh; i-- > 0; at++) {
		struct kept_frame *f = &k->frame[at];
		const struct row_entry *e = k->fresh[i].row;

		*f = k->fresh[i];
		if (e->row.kind == ROW_STEP && caller) {
			words += arch_step_words(&f->at, &e->row, caller, (int)live,
						 k->word + words);
			live = (uint32_t)arch_is_rbp_live(&e->row, (int)live);
		} else {
			/* The outermost frame of a cut stack decides nothing. A signal frame's
			 * registers are not verified: what lies leafward is walked each time. */
			live = 0;
			if (e->row.kind == ROW_SIGNAL && reusable == UINT32_MAX)
				reusable = at;
		}
		if (e->id != XT_ID_NONE) {
			if (shown == same && shown < was_shown && u->ids[shown] == e->id)
				same++;
			else
				u->ids[shown] = e->id;
			shown++;
		}
		f->words = words;
		f->shown = shown;
		f->is_live = live;
		caller = &f->at;
	}
	k->count = at;
	k->reusable = reusable < at ? reusable : at;
	u->shown = shown;
	return (struct unwind_change){ was_shown - same, shown - same };
}

static void check_modules(void *arg, int is_private)
{
	(void)arg;
	(void)is_private;
	modules_check(1);
}

/*
 * The rows have changed, or may be about to: a dlclose is at work, and behind it another library
 * may come to the same addresses. Those on this thread's stack stay as they are meanwhile.
 */
static __attribute__((noinline)) void rows_changed(struct kept *k)
{
	uint64_t version = rows_version_now();

	if (version & ROWS_CLOSING) {
		stack_run(check_modules, NULL);
		version = rows_version_now();
	}
	version &= ~ROWS_CLOSING;
	if (k->version != version)
		forget_frames(k);
	k->version = version;
}

static __attribute__((noinline)) void look_for_module(struct kept *k)
{
	struct dl_find_object object;

	if (_dl_find_object((void *)((k->unknown >> 1) - !(k->unknown & 1)), &object) == 0)
		forget_frames(k);
}

struct unwind_change unwind_stack(struct unwind_state *u, const uint64_t *fp)
{
	struct kept *k = u->kept;
	const struct arch_frame at = arch_caller_of(fp);
	struct walked w;

	if (__builtin_expect(k->version != rows_version_now(), 0))
		rows_changed(k);
	if (__builtin_expect(k->unknown != 0, 0))
		look_for_module(k);
	w = walk(u, at, k->reusable, 0);
	/* The cut of a deep stack is too far from the leaf now, or too near. */
	if (__builtin_expect(w.met && (w.met + w.fresh > limit.most ||
				       (k->root == XT_ID_ELIDED && w.met + w.fresh < limit.least)),
			     0))
		w = walk(u, at, 0, 0);
	if (w.fresh == 0 && w.met == k->count)
		return (struct unwind_change){ 0, 0 };
	return keep(u, &w);
}

struct unwind_change unwind_stack_copy(struct unwind_state *u, const struct unwind_copy *c)
{
	const struct arch_frame at = { c->pc, c->sp, c->rbp, 0 };
	struct unwind_state of_copy = { .kept = u->kept,
					.stack_from = c->sp,
					.stack_top = c->sp + c->bytes };
	const struct walked w = walk(&of_copy, at, 0, (uint64_t)(uintptr_t)c->stack - c->sp);
	const struct unwind_change change = keep(u, &w);

	forget_frames(u->kept); /* that stack is no more */
	return change;
}

uint32_t unwind_stack_ids(const struct unwind_state *u, uint32_t *ids)
{
	uint32_t i;

	for (i = 0; i < u->shown; i++)
		ids[i] = u->ids[u->shown - 1 - i];
	return u->shown;
}
