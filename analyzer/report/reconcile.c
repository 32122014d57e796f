/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/reconcile.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"
#include "analyzer/report/comparable.h"

static const struct {
	const char *key, *text;
} key_texts[] = {
	{ "requested", "requested by live blocks" },
	{ "heads", "heads of live blocks" },
	{ "rounding", "rounding up of live blocks" },
	{ "untouched", "of these never touched, or swapped" },
	{ "free-top", "free, behind the last block of a heap" },
	{ "free-pages", "free, whole pages between blocks" },
	{ "pinned", "free, on pages with live blocks" },
	{ "mapped", "mapped by the program" },
	{ "unknown-anonymous", "anonymous, by nobody that was seen" },
	{ "difference", "the native run's anonymous memory less the traced one's" },
	{ "more-files", "pages of files and shared memory, at the peak less at the breakdown" },
	{ "thread-stacks", "stacks of threads" },
	{ "stack", "the first thread's stack" },
	{ "data", "data of" },
	{ "file", "pages of" },
	{ "shared-memory", "shared memory" },
	{ "vdso", "what the kernel maps into each process" },
	{ "other", "mappings with other names" },
};

const char *reconcile_key_text(const char *key)
{
	for (size_t i = 0; i < sizeof(key_texts) / sizeof(*key_texts); i++)
		if (!strcmp(key_texts[i].key, key))
			return key_texts[i].text;
	BUG("there is no term %s", key);
}

char *reconcile_not_asked(const struct reconcile_said *said)
{
	static const char *const why[] = {
		[XT_HEAP_THREADS] = "there were other threads, which may hold its lock",
		[XT_HEAP_HANDLER] = "the process ended in a signal handler",
		[XT_HEAP_ALLOCATOR] = "it is not glibc's, and what it says of itself is not read",
		[XT_HEAP_SBRK] =
			"the program moved the end of the heap, which it counts as its own",
		[XT_HEAP_LARGE] = "its heap is so large that the answer would take long",
		[XT_HEAP_UNSEEN] = "it has blocks that the trace has not",
		[XT_HEAP_LEFT] = "a call of it was left, or is under way, and may hold its lock",
		[XT_HEAP_DENIED] = "the program has forbidden itself what the answer may take",
		[XT_HEAP_FAILED] = "there was no memory for it, or it gave no answer",
	};
	const size_t count = sizeof(why) / sizeof(*why);

	if (said->threads)
		return xasprintf("%s %s alive, and may hold its lock",
				 number_of(said->threads, "other thread").text,
				 said->threads == 1 ? "was" : "were");
	return xstrdup(said->state < count && why[said->state] ? why[said->state]
							       : "of an unknown reason");
}

/* What glibc says is of use only beside blocks with their heads. */
static void set_said(struct reconcile_said *said, const struct reconcile_heap *heap)
{
	static const char *const by[] = {
		[XT_ALLOCATOR_JEMALLOC] = "mallctl",
		[XT_ALLOCATOR_TCMALLOC] = "MallocExtension_GetNumericProperty",
		[XT_ALLOCATOR_MIMALLOC] = "mi_process_info",
	};
	const struct xt_allocator *other = heap->other;
	const struct xt_heap *glibc = heap->said;

	if (other)
		*said = (struct reconcile_said){
			.state = other->state,
			.threads = other->threads,
			.by = other->kind < sizeof(by) / sizeof(*by) ? by[other->kind] : NULL,
			.in_use_bytes = other->in_use_bytes,
			.active_bytes = other->active_bytes,
			.resident_bytes = other->resident_bytes,
			.retained_bytes = other->retained_bytes,
			.free_bytes = other->free_bytes,
		};
	else if (glibc && (heap->slack->is_known || glibc->state != XT_HEAP_MEASURED))
		*said = (struct reconcile_said){
			.state = glibc->state,
			.by = "mallinfo2",
			.in_use_bytes = glibc->in_use_bytes + glibc->mapped_bytes,
			.active_bytes = glibc->heap_bytes + glibc->mapped_bytes,
			.resident_bytes = XT_ALLOCATOR_UNTOLD,
			.retained_bytes = XT_ALLOCATOR_UNTOLD,
			.free_bytes = glibc->free_bytes,
		};
	if (said->state == XT_HEAP_MEASURED && !said->by)
		said->by = "a function that this version does not know";
}

const char *reconcile_short_name(const struct reconcile_term *term)
{
	return term->run == RECONCILE_NATIVE ? comparable_base_name(term->name) : term->name;
}

const char *reconcile_basis_name(enum reconcile_basis basis)
{
	static const char *const names[] = { "measured", "derived", "estimated", "unknown" };

	return names[basis];
}

const char *reconcile_run_name(enum reconcile_run run)
{
	static const char *const names[] = { "native", "traced", "both" };

	return names[run];
}

static struct reconcile_term *add(struct reconcile *r, const char *key, const char *name,
				  enum reconcile_basis basis, enum reconcile_run run)
{
	struct reconcile_term *term;

	r->term = xreallocarray(r->term, r->terms + 1, sizeof(*r->term));
	term = &r->term[r->terms++];
	*term = (struct reconcile_term){
		.key = key, .name = xstrdup(name), .basis = basis, .run = run
	};
	return term;
}

/* The kernel's counters of the sample are not exact, and it is used. */
static bool is_sample_rough(const struct reconcile *r)
{
	return r->rss->statm_error_bytes && (r->more_anonymous || r->more_files);
}

static void add_native(struct reconcile *r, const char *key, const char *name, int64_t bytes)
{
	struct reconcile_term *term;

#if XALLOC_FAULT == 16
	bytes /= strcmp(key, "stack") ? 1 : 2;
#endif
	if (!bytes)
		return;
	term = add(r, key, name,
		   !strcmp(key, "more-files") && is_sample_rough(r) ? RECONCILE_ESTIMATED
								    : RECONCILE_MEASURED,
		   RECONCILE_NATIVE);
	for (int i = 0; i < RECONCILE_INSTANTS; i++) {
		term->bytes[i] = bytes;
		term->is_known[i] = true;
	}
}

/* --- of the heap */

/* A term of the traced run: of the snapshot where the instant has one, else of the events alone, if
 * they tell. */
static void add_traced(struct reconcile *r, const char *key, bool has_events,
		       const int64_t events[RECONCILE_INSTANTS],
		       int64_t (*of)(const struct anonymous_use *use),
		       const struct reconcile_heap *heap)
{
	struct reconcile_term *term = add(r, key, "", RECONCILE_UNKNOWN, RECONCILE_TRACED);

	for (int i = 0; i < RECONCILE_INSTANTS; i++) {
		const struct anonymous_use *use = r->has_use[i] ? heap->use[i] : NULL;

		if (!r->has_instant[i] || (!use && !has_events))
			continue;
		term->bytes[i] = use ? of(use) : events[i];
#if XALLOC_FAULT == 16
		term->bytes[i] /= strcmp(key, "pinned") ? 1 : 2;
#endif
		term->is_known[i] = true;
		term->basis = has_events          ? RECONCILE_DERIVED
			      : use->is_estimated ? RECONCILE_ESTIMATED
						  : RECONCILE_MEASURED;
	}
}

#define USE(name, what)                                      \
	static int64_t name(const struct anonymous_use *use) \
	{                                                    \
		return (int64_t)use->what;                   \
	}
USE(requested_of, requested)
USE(heads_of, heads)
USE(rounding_of, rounding)
USE(untouched_of, untouched)
USE(top_of, top)
USE(free_of, free)
USE(pinned_of, pinned)
USE(unknown_of, unknown)

static int64_t nothing_of(const struct anonymous_use *use)
{
	(void)use;
	return 0;
}

static int64_t part_of(const struct anonymous_use *use, const char *stack)
{
	for (size_t i = 0; i < use->parts; i++)
		if (!strcmp(use->part[i].stack, stack))
			return use->part[i].bytes;
	return 0;
}

/* By the stacks of one snapshot, that of the peak of RSS, the largest first; the last term is what
 * they do not have. */
static void add_mapped(struct reconcile *r, const struct reconcile_heap *heap, uint64_t top)
{
	const struct anonymous_use *use = heap->use[RECONCILE_PEAK_RSS];
	const size_t parts = !use ? 0 : top && use->parts > top ? (size_t)top : use->parts;
	int64_t rest[RECONCILE_INSTANTS] = { 0 };
	bool has_rest = false;

	for (size_t i = 0; i < RECONCILE_INSTANTS; i++) {
		rest[i] = r->has_use[i] ? heap->use[i]->mapped : 0;
		for (size_t j = 0; j < parts && r->has_use[i]; j++)
			rest[i] -= part_of(heap->use[i], use->part[j].stack);
		has_rest = has_rest || rest[i];
	}
	for (size_t i = 0; i <= parts; i++) {
		const char *stack = i < parts ? use->part[i].stack : "";
		const size_t at = r->terms;

		if (i == parts && parts && !has_rest)
			break;
		add_traced(r, "mapped", false, NULL, nothing_of, heap);
		free(r->term[at].name);
		r->term[at].name = xstrdup(i < parts ? (*stack ? stack : "[no stack]")
					   : parts   ? "other stacks"
						     : "");
		for (int j = 0; j < RECONCILE_INSTANTS; j++)
			if (r->has_use[j])
				r->term[at].bytes[j] =
					i < parts ? part_of(heap->use[j], stack) : rest[j];
	}
}

static void add_heap(struct reconcile *r, const struct reconcile_heap *heap, uint64_t top)
{
	const struct slack_sum *a = &heap->slack->peak, *b = &heap->slack->end;
	const int64_t requested[] = { (int64_t)a->requested_bytes, (int64_t)b->requested_bytes };
	const int64_t heads[] = { a->head_bytes, b->head_bytes };
	const int64_t rounding[] = { a->rounding_bytes, b->rounding_bytes };
	const bool is_known = heap->slack->is_known;

	add_traced(r, "requested", true, requested, requested_of, heap);
	add_traced(r, "heads", is_known, heads, heads_of, heap);
	add_traced(r, "rounding", is_known, rounding, rounding_of, heap);
	add_traced(r, "untouched", false, NULL, untouched_of, heap);
	add_traced(r, "free-top", false, NULL, top_of, heap);
	add_traced(r, "free-pages", false, NULL, free_of, heap);
	add_traced(r, "pinned", false, NULL, pinned_of, heap);
	add_mapped(r, heap, top);
	add_traced(r, "unknown-anonymous", false, NULL, unknown_of, heap);
}

/*
 * What each run had of the same kinds of memory, as the kernel counts it: no matter what it was
 * for. What the peak's sample has more than the breakdown is taken for such memory: stacks and
 * zeroed data hardly grow meanwhile.
 */
static void add_difference(struct reconcile *r, const struct reconcile_heap *heap)
{
	const int64_t native =
		(int64_t)(r->anonymous_bytes[0] + r->anonymous_bytes[1] + r->anonymous_bytes[2]) +
		r->more_anonymous;
	struct reconcile_term *term;

	if (!r->has_use[RECONCILE_PEAK_RSS])
		return;
	term = add(r, "difference", "",
		   heap->use[RECONCILE_PEAK_RSS]->is_estimated || is_sample_rough(r)
			   ? RECONCILE_ESTIMATED
			   : RECONCILE_MEASURED,
		   RECONCILE_BOTH);
	for (int i = 0; i < RECONCILE_INSTANTS; i++) {
		term->is_known[i] = r->has_use[i];
		term->bytes[i] = r->has_use[i] ? native - (int64_t)heap->use[i]->resident : 0;
	}
}

/* --- of the breakdown */

static int64_t sum_of(const struct rss_file *rss, enum rss_kind kind)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < rss->rows; i++)
		sum += rss->row[i].kind == kind ? rss->row[i].rss_bytes : 0;
	return (int64_t)sum;
}

/* What a file, or its module's zeroed data, has resident. */
struct part {
	const char *name;
	uint64_t bytes;
};

static int compare_parts(const void *left, const void *right)
{
	const struct part *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void add_part(struct part *part, size_t *parts, const char *name, uint64_t bytes)
{
	for (size_t i = 0; i < *parts; i++)
		if (!strcmp(part[i].name, name)) {
			part[i].bytes += bytes;
			return;
		}
	if (bytes)
		part[(*parts)++] = (struct part){ name, bytes };
}

/* is_data: what the process has written to, else the files' own pages. */
static void add_files(struct reconcile *r, const char *key, bool is_data, uint64_t top)
{
	const struct rss_file *rss = r->rss;
	struct part *part = xcalloc(rss->rows + 1, sizeof(*part));
	uint64_t rest = 0;
	size_t parts = 0, shown;

	for (size_t i = 0; i < rss->rows; i++) {
		const struct rss_row *row = &rss->row[i];

		if (row->kind == RSS_FILE)
			add_part(part, &parts, row->name,
				 is_data ? row->anonymous_bytes
					 : row->rss_bytes - row->anonymous_bytes);
		else if (row->kind == RSS_BSS && is_data)
			add_part(part, &parts, row->name, row->rss_bytes);
	}
	qsort(part, parts, sizeof(*part), compare_parts);
	shown = top && parts > top ? (size_t)top : parts;
	for (size_t i = 0; i < shown; i++)
		add_native(r, key, part[i].name, (int64_t)part[i].bytes);
	for (size_t i = shown; i < parts; i++)
		rest += part[i].bytes;
	if (rest) {
		char *name =
			xasprintf("%zu other file%s", parts - shown, parts - shown > 1 ? "s" : "");

		add_native(r, key, name, (int64_t)rest);
		free(name);
	}
	free(part);
}

static void add_rows(struct reconcile *r, uint64_t top)
{
	const struct rss_file *rss = r->rss;

	add_native(r, "thread-stacks", "", sum_of(rss, RSS_THREAD_STACK));
	add_native(r, "stack", "", sum_of(rss, RSS_STACK));
	add_files(r, "data", true, top);
	add_files(r, "file", false, top);
	add_native(r, "more-files", "", r->more_files);
	add_native(r, "shared-memory", "", sum_of(rss, RSS_SHARED_MEMORY));
	add_native(r, "vdso", "", sum_of(rss, RSS_VDSO));
	add_native(r, "other", "",
		   sum_of(rss, RSS_OTHER) + sum_of(rss, RSS_RESERVED) + sum_of(rss, RSS_HUGETLB));
}

/* A share of the peak, for words. */
static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 100.0;
}

static void set_instant(struct reconcile *r, enum reconcile_instant instant, bool is_known,
			uint64_t bytes, uint64_t blocks, char *what)
{
	r->has_instant[instant] = is_known;
	r->instant[instant] = what;
	r->heap_bytes[instant] = bytes;
	r->heap_blocks[instant] = blocks;
}

static char *with_events(char *what, const struct anonymous_use *use)
{
	char *more;

	if (!use->is_outside)
		return what;
	more = xasprintf("%s, taken from outside, of %s during it", what,
			 number_of(use->events_during, "event").text);
	free(what);
	return more;
}

/* Without a snapshot the peak of RSS is known only where nothing was given back until the end. */
static void find_peak_rss(struct reconcile *r, const struct reconcile_heap *heap)
{
	const struct anonymous_use *use = heap->use[RECONCILE_PEAK_RSS];
	const struct slack_sum *end = &heap->slack->end;

	r->has_use[RECONCILE_PEAK_RSS] = use != NULL;
	if (use)
		set_instant(
			r, RECONCILE_PEAK_RSS, true, use->requested, use->blocks,
			with_events(xstrdup("at the snapshot with the most resident memory"), use));
	else if (r->rss->is_at_exit && r->rss->rss_bytes >= r->peak_bytes - r->peak_bytes / 100)
		set_instant(r, RECONCILE_PEAK_RSS, true, end->requested_bytes, end->blocks,
			    xstrdup("at the end, where the peak of RSS was still there"));
	else
		set_instant(r, RECONCILE_PEAK_RSS, false, 0, 0,
			    xstrdup("not known: the peak of RSS was before the end, and the "
				    "trace has no residency snapshots that tell when"));
}

static void find_peak_heap(struct reconcile *r, const struct reconcile_heap *heap)
{
	const struct anonymous_use *use = heap->use[RECONCILE_PEAK_HEAP];
	const struct slack_sum *peak = &heap->slack->peak;

	r->heap_peak_bytes = peak->requested_bytes;
	r->has_use[RECONCILE_PEAK_HEAP] = use && anonymous_use_is_near(use, peak->requested_bytes);
	if (r->has_use[RECONCILE_PEAK_HEAP])
		set_instant(r, RECONCILE_PEAK_HEAP, true, use->requested, use->blocks,
			    with_events(xasprintf("at a snapshot with %.1f %% of it",
						  percent(use->requested, peak->requested_bytes)),
					use));
	else
		set_instant(r, RECONCILE_PEAK_HEAP, true, peak->requested_bytes, peak->blocks,
			    xstrdup("when most bytes were requested; no snapshot is near"));
}

/* Where the peak is a sample's, that says how it is divided. */
static void compare_sample(struct reconcile *r)
{
	const struct rss_file *rss = r->rss;
	uint64_t anonymous = 0;

	if (!rss->has_sample || rss->statm_bytes <= rss->rss_bytes)
		return;
	for (size_t i = 0; i < rss->rows; i++)
		anonymous += rss->row[i].anonymous_bytes;
	r->more_anonymous = (int64_t)(rss->statm_anonymous_bytes - anonymous);
	r->more_files = (int64_t)(rss->statm_bytes - rss->rss_bytes) - r->more_anonymous;
}

void reconcile_build(struct reconcile *r, const struct rss_file *rss,
		     const struct reconcile_heap *heap, uint64_t top)
{
	*r = (struct reconcile){ .rss = rss, .peak_bytes = rss->peak_bytes };
	r->anonymous_bytes[0] = sum_of(rss, RSS_HEAP);
	r->anonymous_bytes[1] = sum_of(rss, RSS_ARENA);
	r->anonymous_bytes[2] = sum_of(rss, RSS_ANONYMOUS);
	compare_sample(r);
	set_said(&r->said, heap);
	r->end_has_heads = heap->slack->is_known;
	r->end_bytes = heap->slack->end.requested_bytes +
		       (uint64_t)(heap->slack->end.head_bytes + heap->slack->end.rounding_bytes);
	find_peak_heap(r, heap);
	find_peak_rss(r, heap);
	add_heap(r, heap, top);
	add_difference(r, heap);
	add_rows(r, top);
	r->above_breakdown = (int64_t)(rss->peak_bytes - rss->rss_bytes) - r->more_files;
	if (r->has_use[RECONCILE_PEAK_RSS])
		r->above_breakdown -= r->more_anonymous;
	for (int i = 0; i < RECONCILE_INSTANTS; i++) {
		r->unexplained[i] = (int64_t)r->peak_bytes;
		for (size_t j = 0; j < r->terms; j++)
			r->unexplained[i] -= r->term[j].bytes[i];
	}
}

void reconcile_release(struct reconcile *r)
{
	for (size_t i = 0; i < r->terms; i++)
		free(r->term[i].name);
	free(r->term);
	for (int i = 0; i < RECONCILE_INSTANTS; i++)
		free(r->instant[i]);
	*r = (struct reconcile){ .rss = NULL };
}

/* --- of several pairs */

/* About the means, so that large counts lose no digits. */
void reconcile_fit_build(struct reconcile_fit *fit, const uint64_t *heap_bytes,
			 const uint64_t *rss_bytes, size_t pairs)
{
	double x_mean = 0, y_mean = 0, xx = 0, xy = 0;

	*fit = (struct reconcile_fit){ .pairs = pairs };
	fit->residual = xcalloc(pairs + 1, sizeof(*fit->residual));
	for (size_t i = 0; i < pairs; i++) {
		x_mean += (double)heap_bytes[i] / (double)pairs;
		y_mean += (double)rss_bytes[i] / (double)pairs;
		fit->is_line = fit->is_line || heap_bytes[i] != heap_bytes[0];
	}
	if (!fit->is_line)
		return;
	for (size_t i = 0; i < pairs; i++) {
		const double x = (double)heap_bytes[i] - x_mean;

		xx += x * x;
		xy += x * ((double)rss_bytes[i] - y_mean);
	}
	fit->slope = xy / xx;
	fit->start = y_mean - fit->slope * x_mean;
	for (size_t i = 0; i < pairs; i++)
		fit->residual[i] =
			(double)rss_bytes[i] - (fit->start + fit->slope * (double)heap_bytes[i]);
}

void reconcile_fit_release(struct reconcile_fit *fit)
{
	free(fit->residual);
	*fit = (struct reconcile_fit){ .pairs = 0 };
}
