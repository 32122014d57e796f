/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/unwind/kept.h"

#include <dlfcn.h>

#include "preload/modules.h"
#include "preload/sys/stack.h"
#include "preload/unwind/by_libunwind.h"
#include "preload/unwind/full.h"
#include "preload/unwind/jit.h"
#include "preload/unwind/readable.h"
#include "preload/unwind/unwind.h"

#define OWN_FRAMES_MAX 64u /* of hooks that handlers interrupted */

static struct {
	/* Shown frames: kept at least, left by a cut, and when one is due. */
	uint32_t least, cut, most;
	uint32_t frames; /* room for all, our own among them */
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
	limit.frames = limit.most + OWN_FRAMES_MAX;
}

size_t unwind_kept_bytes(void)
{
	const uint64_t frames = limit.frames + 1;

	return up(sizeof(struct kept)) + 2 * up(frames * sizeof(struct kept_frame)) +
	       up(frames * ARCH_STEP_WORDS_MAX * sizeof(struct arch_word)) +
	       up(frames * ARCH_STEP_WORDS_MAX * sizeof(uint16_t)) +
	       up((frames + 1) * sizeof(uint32_t));
}

static void forget_frames(struct kept *k)
{
	k->last = k->reusable = k->near = k->root;
	k->leaf_fp = NULL;
	k->unknown = 0;
}

void kept_lay(struct unwind_state *u, void *memory)
{
	const uint64_t frames = limit.frames + 1;
	uint8_t *at = memory;
	struct kept *k = memory;

	*k = (struct kept){ 0 };
	u->kept = k;
	at += up(sizeof(*k));
	u->ids = (uint32_t *)(void *)at;
	at += up((frames + 1) * sizeof(uint32_t));
	k->word = (struct arch_word *)(void *)at;
	at += up(frames * ARCH_STEP_WORDS_MAX * sizeof(struct arch_word));
	k->entered = (uint16_t *)(void *)at;
	at += up(frames * ARCH_STEP_WORDS_MAX * sizeof(uint16_t));
	k->root = (struct kept_frame *)(void *)at;
	k->fresh = (struct kept_frame *)(void *)(at + up(frames * sizeof(struct kept_frame)));
	*k->root = (struct kept_frame){ .at.sp = UINT64_MAX };
	forget_frames(k);
}

void unwind_drop(struct unwind_state *u)
{
	forget_frames(u->kept);
	readable_forget(u);
	u->shown = 0;
}

/* How a walk ended. */
struct walked {
	struct kept_frame *fresh; /* behind the last frame in k->fresh */
	struct kept_frame *met;   /* what the last of these stands on; k->root: nothing */
	/* When none was met: */
	uint32_t mark;
	uint8_t is_unsound;    /* a step failed, on words that nobody verifies */
	uint8_t is_outside;    /* more than rows may be needed to go on */
	struct arch_frame end; /* behind the last frame, where the pc is 0; sp 0: not known */
};

static uint32_t count_shown(const struct kept_frame *from, const struct kept_frame *to)
{
	uint32_t shown = 0;

	for (; from < to; from++)
		shown += packed_id(from->row) != XT_ID_NONE;
	return shown;
}

/* So many fresh frames may there be before a cut is due, as far as is known at `fresh`. */
static __attribute__((noinline)) struct kept_frame *full_at(struct kept *k,
							    struct kept_frame *fresh)
{
	const uint32_t own = (uint32_t)(fresh - k->fresh) - count_shown(k->fresh, fresh);

	return k->fresh + limit.most + (own < OWN_FRAMES_MAX ? own : OWN_FRAMES_MAX);
}

static struct kept_frame *cut_at(struct kept *k, const struct kept_frame *fresh)
{
	struct kept_frame *f = k->fresh;
	uint32_t shown = 0;

	while (f < fresh && shown < limit.cut)
		shown += packed_id((f++)->row) != XT_ID_NONE;
	return f;
}

/* The frame at f's place was entered from another place, and leads on as f did: it becomes f.
 * 0: it does not, or is not shown like f. */
static inline int replace(struct unwind_state *u, struct kept_frame *f, uint64_t key)
{
	const struct packed_row row = rows_get(key);
	const uint32_t id = packed_id(row);

	if (!packed_is_step(row) || !packed_is_same_step(row, f->row) || id == XT_ID_NONE ||
	    packed_id(f->row) == XT_ID_NONE)
		return 0;
	f->at.key = key;
	f->row = row;
	u->ids[f->shown - 1] = id;
	u->kept->known = f->shown - 1u; /* a walk goes rootward */
	return 1;
}

/* Which frame read that word? All leafward of its caller, which is returned, is walked anew. */
static struct kept_frame *before_reader(const struct kept *k, uint32_t word)
{
	struct kept_frame *f = k->last;

	while (f[-1].words > word)
		f--;
	return f - 1;
}

/*
 * The walk has come to f's place with f's rbp, or with any where that is dead. Does it go on to the
 * root as it did from f, but for return addresses that are others? These are put into the frames.
 * NULL: so it is; else the last frame rootward that may be met.
 */
static inline __attribute__((always_inline)) struct kept_frame *
follow(struct unwind_state *u, struct kept_frame *f, uint64_t key)
{
	struct kept *const k = u->kept;
	const struct arch_word *end = k->word + f->words;

	if (f->at.key != key && !replace(u, f, key))
		return f == k->root ? f : f - 1;
	for (;;) {
		struct arch_word *const word = (struct arch_word *)kept_changed_word(k, end);
		uint32_t i;

		if (!word)
			return NULL;
		i = (uint32_t)(word - k->word);
		f = k->root + k->entered[i];
		if (__builtin_expect(f == k->root, 0))
			return before_reader(k, i);
		if (__builtin_expect(!replace(u, f, *word->at << 1), 0))
			return f - 1;
		word->value = *word->at;
		end = word;
	}
}

/* From fresh[0] to fresh[1] by a row that is no packed_is_step: 0 when it leads nowhere. */
static __attribute__((noinline)) int step_otherwise(struct unwind_state *u,
						    struct kept_frame *fresh, uint64_t shift)
{
	const struct row row = rows_other(fresh->row);

	fresh[1].at = fresh->at;
	return (row.kind == ROW_STEP || row.kind == ROW_SIGNAL) &&
	       arch_step(u, &fresh[1].at, &row, shift);
}

/* How the walk ended at a row that led nowhere. */
static __attribute__((noinline)) void ended_at(struct walked *w, struct packed_row packed)
{
	const struct row row = rows_row(packed);

	w->mark = row.kind == ROW_END ? XT_ID_NONE : XT_ID_TRUNCATED;
	w->is_unsound = row.kind == ROW_STEP || row.kind == ROW_SIGNAL;
	w->is_outside = w->is_unsound || row.kind == ROW_OUTSIDE;
}

/* candidate: the last kept frame that may be met. */
static inline __attribute__((always_inline)) void walk(struct unwind_state *u, struct walked *w,
						       struct arch_frame at,
						       struct kept_frame *candidate, uint64_t shift)
{
	struct kept *const k = u->kept;
	struct kept_frame *fresh = k->fresh, *full = k->fresh + limit.most;

	w->mark = XT_ID_NONE;
	w->is_unsound = 0;
	w->is_outside = 0;
	w->end.sp = 0;
	for (;; fresh++) {
		struct packed_row packed;
		int is_led;

		while (candidate->at.sp < at.sp)
			candidate--;
		if (kept_is_at(candidate, &at)) {
			struct kept_frame *next = follow(u, candidate, at.key);

			if (!next)
				break;
			candidate = next;
		}
		if (__builtin_expect(fresh == full, 0) && (full = full_at(k, fresh)) == fresh) {
			fresh = cut_at(k, fresh);
			w->mark = XT_ID_ELIDED;
			candidate = k->root;
			break;
		}
		packed = rows_get(at.key);
		if (__builtin_expect(!packed.bits, 0)) {
			w->mark = XT_ID_TRUNCATED;
			w->is_unsound = 1;
			candidate = k->root;
			break;
		}
		fresh->at = at;
		fresh->row = packed;
		if (__builtin_expect(packed_is_step(packed), 1)) {
			const struct row row = packed_step(packed);

			is_led = arch_step(u, &at, &row, shift);
		} else {
			is_led = step_otherwise(u, fresh, shift);
			at = fresh[1].at;
		}
		if (__builtin_expect(!is_led, 0)) {
			ended_at(w, packed);
			candidate = k->root;
			fresh++;
			break;
		}
		if (__builtin_expect(at.key == 0, 0)) {
			w->end = at;
			candidate = k->root;
			fresh++;
			break;
		}
	}
	w->met = candidate;
	w->fresh = fresh;
}

/* The frames leafward of met have words outside of the own stack. */
static __attribute__((noinline)) void bound_far(const struct unwind_state *u, struct kept *k,
						struct kept_frame *met)
{
	struct kept_frame *f;
	uint32_t i;

	for (f = met + 1; f <= k->last; f++)
		for (i = f[-1].words; i < f->words; i++) {
			const uint64_t at = (uint64_t)(uintptr_t)k->word[i].at;

			if (readable_is_own(u, at))
				continue;
			if (k->near >= f)
				k->near = f - 1;
			if (readable_is_in_run(u, at))
				continue;
			if (k->reusable >= f)
				k->reusable = f - 1;
			k->leaf_fp = NULL;
			return;
		}
}

/* f: root, or the last frame, on which all else is well. */
static inline void set_leaf(struct kept *k, const struct kept_frame *f)
{
	k->leaf_fp = f == k->root ? NULL : arch_hook_frame(&f->at);
	k->leaf_pc = f->at.key >> 1;
	k->leaf_rbp = f->at.rbp;
	k->is_leaf_live = f->is_live;
}

/* The fresh frames are put upon those that were met. */
static inline __attribute__((always_inline)) struct unwind_change keep(struct unwind_state *u,
								       const struct walked *w)
{
	struct kept *const k = u->kept;
	struct kept_frame *f = w->met, *barrier = NULL;
	const struct kept_frame *fresh = w->fresh;
	const struct arch_frame *caller = &f->at;
	struct arch_word *word = k->word + f->words;
	const uint32_t was_shown = u->shown, known = k->known;
	uint32_t shown = f->shown, same = shown < known ? shown : known;
	uint16_t *entered = k->entered + f->words, number = (uint16_t)(f - k->root);
	int live = f->is_live;

	if (__builtin_expect(f == k->root, 0)) {
		k->mark = w->mark;
		k->unknown = 0;
		if (fresh != k->fresh && rows_no_object(fresh[-1].row) == ROWS_UNKNOWN)
			k->unknown = fresh[-1].at.key;
		if (w->mark) {
			same = known && u->ids[0] == w->mark;
			u->ids[shown++] = w->mark;
		}
		caller = w->end.sp ? &w->end : NULL;
		if (w->is_unsound || w->is_outside)
			barrier = k->root + 1;
	}
	while (fresh != k->fresh) {
		const struct packed_row packed = (--fresh)->row;
		const uint32_t id = packed_id(packed);

		f++;
		f->at = fresh->at;
		f->row = packed;
		if (__builtin_expect(packed_is_step_by_rsp(packed) && caller && !live, 1)) {
			word = arch_put_return(word, entered++, caller, number);
		} else {
			const struct row row = rows_row(packed);

			if (row.kind == ROW_STEP && caller) {
				word = arch_put_words(word, entered, &f->at, &row, caller, number,
						      live);
				entered = k->entered + (word - k->word);
				live = arch_is_rbp_live(&row, live);
			} else {
				/* The outermost frame of a cut stack decides nothing. A signal
				 * frame's registers are not verified: what lies leafward is
				 * walked each time. */
				live = 0;
				if (row.kind == ROW_SIGNAL && !barrier)
					barrier = f;
			}
		}
		if (__builtin_expect(id != XT_ID_NONE, 1)) {
			if (shown == same && shown < known && u->ids[shown] == id)
				same++;
			u->ids[shown++] = id;
		}
		f->words = (uint32_t)(word - k->word);
		f->shown = (uint16_t)shown;
		f->is_live = (uint8_t)live;
		caller = &f->at;
		number++;
	}
	k->last = f;
	k->reusable = barrier ? barrier - 1 : f;
	set_leaf(k, barrier || k->unknown ? k->root : f);
	k->leaf_end = word;
	if (w->met <= k->near)
		k->near = f;
	if (__builtin_expect(u->is_far, 0))
		bound_far(u, k, w->met);
	u->shown = shown;
	return (struct unwind_change){ was_shown - same, shown - same };
}

static void check_modules(void *arg, int is_private)
{
	(void)arg;
	(void)is_private;
	modules_check();
}

/*
 * The rows have changed, or may be about to: a dlclose is at work, and behind it another library
 * may come to the same addresses. Those on this thread's stack stay as they are meanwhile.
 */
static __attribute__((noinline)) void rows_changed(struct kept *k)
{
	uint64_t version = rows_version_now();

	if (version & ROWS_CLOSING && !modules_are_there()) {
		stack_run(check_modules, NULL);
		version = rows_version_now();
	}
	version &= ~ROWS_CLOSING;
	if (k->version != version)
		forget_frames(k);
	k->version = version;
}

/* Does a module, or a registration, hold now what none held? */
static __attribute__((noinline)) void look_for_module(struct kept *k)
{
	const uint64_t address = (k->unknown >> 1) - !(k->unknown & 1);
	struct dl_find_object object;

	if (_dl_find_object((void *)address, &object) == 0 || jit_covers(address))
		forget_frames(k);
}

/* The slow way: the whole stack, by all registers. Nothing of it is kept but the ids; 0 in *done:
 * it could not be walked now. */
static __attribute__((noinline)) struct unwind_change walk_fully(struct unwind_state *u, int *done)
{
	struct kept *k = u->kept;
	uint32_t *ids = (uint32_t *)(void *)k->fresh; /* leaf first */
	const uint32_t was_shown = u->shown;
	uint32_t n, shown, same = 0;
	struct full_registers here;

	full_registers_here(&here);
	n = full_walk(u, &here, ids, limit.most + 1);
	*done = n != 0;
	if (!n)
		return (struct unwind_change){ 0, 0 };
	if (n > limit.most) {
		ids[limit.cut] = XT_ID_ELIDED;
		n = limit.cut + 1;
	}
	forget_frames(k);
	while (same < n && same < k->known && u->ids[same] == ids[n - 1 - same])
		same++;
	for (shown = same; shown < n; shown++)
		u->ids[shown] = ids[n - 1 - shown];
	u->shown = n;
	return (struct unwind_change){ was_shown - same, n - same };
}

/* Is the cut of a deep stack too far from the leaf now, or too near? */
static int is_cut_wrong(const struct kept *k, const struct walked *w)
{
	const uint64_t frames = (uint64_t)(w->fresh - k->fresh + (w->met - k->root));
	uint32_t shown;

	if (__builtin_expect(frames <= limit.most && k->mark != XT_ID_ELIDED, 1) ||
	    w->met == k->root)
		return 0;
	shown = w->met->shown - (k->mark != XT_ID_NONE) + count_shown(k->fresh, w->fresh);
	/* just as many as are kept at least: the stack may end there by now */
	return frames > limit.frames || shown > limit.most ||
	       (k->mark == XT_ID_ELIDED && shown <= limit.least);
}

static __attribute__((noinline)) struct unwind_change
walk_on(struct unwind_state *u, const uint64_t *fp, struct kept_frame *candidate)
{
	struct kept *k = u->kept;
	struct walked w;

	if (__builtin_expect(k->version != rows_version_now(), 0))
		rows_changed(k);
	if (__builtin_expect(k->unknown != 0, 0))
		look_for_module(k);
	if (candidate > k->reusable)
		candidate = k->reusable;
	if (!readable_begin(u, fp) && candidate > k->near)
		candidate = k->near;
	walk(u, &w, arch_caller_of(fp), candidate, 0);
	if (__builtin_expect(w.is_outside || by_libunwind_is_on, 0)) {
		int done;
		const struct unwind_change change = walk_fully(u, &done);

		if (done)
			return change;
	}
	if (__builtin_expect(is_cut_wrong(k, &w), 0)) {
		forget_frames(k);
		return walk_on(u, fp, k->root);
	}
	return keep(u, &w);
}

static __attribute__((noinline)) struct unwind_change change_of(struct unwind_state *u,
								const uint64_t *fp)
{
	struct kept *k = u->kept;
	struct kept_frame *candidate = k->last;

	k->known = u->shown;
	if (kept_is_leaf(k, fp)) {
		candidate = follow(u, candidate, arch_caller_of(fp).key);
		if (!candidate) {
			k->leaf_pc = fp[1];
			return (struct unwind_change){ u->shown - k->known, u->shown - k->known };
		}
	}
	return walk_on(u, fp, candidate);
}

struct unwind_change unwind_stack(struct unwind_state *u, const uint64_t *fp)
{
	if (kept_is_unchanged(u->kept, fp))
		return (struct unwind_change){ 0, 0 };
	return change_of(u, fp);
}

static __attribute__((noinline)) struct unwind_change walk_copy(struct unwind_state *u,
								const struct unwind_copy *c)
{
	struct unwind_state of_copy = { .kept = u->kept,
					.stack_from = c->sp,
					.stack_top = c->sp + c->bytes };
	const struct arch_frame at = { c->pc << 1, c->sp, c->rbp };
	struct walked w;

	u->kept->known = u->shown;
	walk(&of_copy, &w, at, u->kept->root, (uint64_t)(uintptr_t)c->stack - c->sp);
	return keep(u, &w);
}

struct unwind_change unwind_stack_copy(struct unwind_state *u, const struct unwind_copy *c)
{
	const struct unwind_change change = walk_copy(u, c);

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
