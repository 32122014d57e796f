/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_reconcile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/number.h"
#include "analyzer/base/text.h"
#include "analyzer/render/render_comparable.h"

/* "+1,234", "-5", "0" */
static struct number signed_count(int64_t count)
{
	const struct number digits = number_count(count < 0 ? -(uint64_t)count : (uint64_t)count);
	struct number number;

	snprintf(number.text, sizeof(number.text), "%s%.70s",
		 count > 0   ? "+"
		 : count < 0 ? "-"
			     : "",
		 digits.text);
	return number;
}

/* Not -0.0. */
static double percent_of(int64_t bytes, uint64_t whole)
{
	const double percent = whole ? 100.0 * (double)bytes / (double)whole : 0;

	return percent > -0.05 && percent < 0 ? 0 : percent;
}

/* is_known: of each instant, NULL: all are. */
static void put_cells(FILE *out, const struct reconcile *r, const int64_t *bytes,
		      const bool *is_known)
{
	for (int i = 0; i < RECONCILE_INSTANTS; i++) {
		if (!r->has_instant[i])
			continue;
		if (is_known && !is_known[i]) {
			fprintf(out, "%17s         ", "?");
			continue;
		}
		fprintf(out, "%17s %6.1f %%", signed_count(bytes[i]).text,
			percent_of(bytes[i], r->peak_bytes));
	}
}

static void put_term(FILE *out, const struct reconcile *r, const struct reconcile_term *term)
{
	put_cells(out, r, term->bytes, term->is_known);
	fprintf(out, "  %s%s", reconcile_key_text(term->key),
		!*term->name                    ? ""
		: term->run == RECONCILE_NATIVE ? " "
						: ": ");
	text_put_clean(out, reconcile_short_name(term));
	if (term->basis == RECONCILE_UNKNOWN)
		fputs(" [not measured]\n", out);
	else
		fprintf(out, " [%s, %s]\n", reconcile_basis_name(term->basis),
			term->run == RECONCILE_BOTH     ? "both runs"
			: term->run == RECONCILE_NATIVE ? "native run"
							: "traced run");
}

static void put_breakdown(FILE *out, const struct rss_file *rss)
{
	fprintf(out, "peak RSS   %s, by ", number_bytes(rss->peak_bytes).text);
	text_put_clean(out, rss->peak_source);
	if (rss->peak_error_bytes)
		fprintf(out, ", up to %s off", number_bytes(rss->peak_error_bytes).text);
	if (rss->runs > 1)
		fprintf(out, "; run %zu of %zu", rss->run + 1, rss->runs);
	fprintf(out, "\nbreakdown  %s, %s of the peak, %s%s\n", number_bytes(rss->rss_bytes).text,
		number_percent(rss->rss_bytes, rss->peak_bytes).text,
		rss->is_at_exit ? "at the exit" : "at the highest that was seen",
		rss->rss_bytes < rss->peak_bytes - rss->peak_bytes / 50
			? " (xalloc rss --exact-peak has one of the peak)"
			: "");
}

static void put_instants(FILE *out, const struct reconcile *r)
{
	static const char *const name[] = { "peak of the heap", "peak of RSS" };

	for (int i = 0; i < RECONCILE_INSTANTS; i++) {
		fprintf(out, "%-17s  %s", name[i], r->instant[i]);
		if (r->has_instant[i])
			fprintf(out, ": %s live in %s", number_bytes(r->heap_bytes[i]).text,
				number_of(r->heap_blocks[i], "block").text);
		putc('\n', out);
	}
}

static void put_table(FILE *out, const struct reconcile *r, const struct render_style *style)
{
	const int64_t peak[] = { (int64_t)r->peak_bytes, (int64_t)r->peak_bytes };
	const char *bold = style->has_color ? "\033[1m" : "";
	const char *plain = style->has_color ? "\033[0m" : "";

	fprintf(out, "\n%s", bold);
	for (int i = 0; i < RECONCILE_INSTANTS; i++)
		if (r->has_instant[i])
			fprintf(out, "%26s",
				i == RECONCILE_PEAK_HEAP ? "peak of the heap" : "peak of RSS");
	fprintf(out, "  term%s\n", plain);
	for (size_t i = 0; i < r->terms; i++)
		put_term(out, r, &r->term[i]);
	put_cells(out, r, r->unexplained, NULL);
	fprintf(out, "  %sunexplained%s", bold, plain);
	if (r->above_breakdown)
		fprintf(out, ", %s of it the peak's distance to the breakdown",
			signed_count(r->above_breakdown).text);
	putc('\n', out);
	put_cells(out, r, peak, NULL);
	fprintf(out, "  %speak RSS%s of the native run\n", bold, plain);
}

static void put_told(FILE *out, uint64_t bytes, const char *what, const char **between)
{
	if (bytes == XT_ALLOCATOR_UNTOLD)
		return;
	fprintf(out, "%s%s %s", *between, number_bytes(bytes).text, what);
	*between = ", ";
}

static void put_said(FILE *out, const struct reconcile *r)
{
	const struct reconcile_said *said = &r->said;
	const char *between = "";
	char *why;

	if (!said->state)
		return;
	if (said->state != XT_HEAP_MEASURED) {
		why = reconcile_not_asked(said);
		fprintf(out, "The traced run's allocator was not asked at the end: %s.\n", why);
		free(why);
		return;
	}
	fprintf(out, "At its end the traced run's allocator itself (%s) had\n", said->by);
	put_told(out, said->in_use_bytes, "in use", &between);
	put_told(out, said->active_bytes, "active", &between);
	put_told(out, said->resident_bytes, "resident", &between);
	put_told(out, said->retained_bytes, "retained", &between);
	put_told(out, said->free_bytes, "free", &between);
	fprintf(out, ";\nby the trace live blocks had %s%s.\n", number_bytes(r->end_bytes).text,
		r->end_has_heads ? " with their heads" : ", as requested");
}

static void put_beside(FILE *out, const struct reconcile_pair *pair)
{
	const struct reconcile *r = &pair->reconcile;

	putc('\n', out);
	if (!r->has_use[RECONCILE_PEAK_RSS])
		fputs("What is not measured is in what is unexplained: the trace has no residency "
		      "snapshots.\n",
		      out);
	fprintf(out, "Without a file the native run had %s resident in the heap, ",
		number_bytes(r->anonymous_bytes[0]).text);
	fprintf(out, "%s in other arenas,\n", number_bytes(r->anonymous_bytes[1]).text);
	fprintf(out, "%s elsewhere.\n", number_bytes(r->anonymous_bytes[2]).text);
	fprintf(out, "No part of the RSS: %s of page tables, ",
		number_bytes(pair->rss.page_table_bytes).text);
	fprintf(out, "%s swapped, ", number_bytes(pair->rss.swap_bytes).text);
	fprintf(out, "%s of huge page pool.\n", number_bytes(pair->rss.hugetlb_bytes).text);
	put_said(out, r);
	if (pair->untracked_calls)
		fprintf(out, "%s came while recording was paused, and are in no term.\n",
			number_of(pair->untracked_calls, "block").text);
}

static void put_fit(FILE *out, const struct reconcile_view *view)
{
	const struct reconcile_fit *fit = view->fit;

	if (!fit->is_line) {
		fputs("\nAll heaps have the same peak: there is no line.\n", out);
		return;
	}
	fprintf(out, "\nRSS = %.0f bytes + %.4f * peak of the heap\n", fit->start, fit->slope);
	for (size_t i = 0; i < fit->pairs; i++) {
		const struct reconcile *r = &view->pair[i].reconcile;

		fprintf(out, "%17s of heap, ", number_count(r->heap_peak_bytes).text);
		fprintf(out, "%17s of RSS, ", number_count(r->peak_bytes).text);
		fprintf(out, "%13s off the line\n",
			signed_count(
				(int64_t)(fit->residual[i] + (fit->residual[i] < 0 ? -0.5 : 0.5)))
				.text);
	}
	if (fit->pairs == 2)
		fputs("Two pairs always lie on a line: a third one says whether it is one.\n", out);
}

void render_reconcile_text(FILE *out, const struct reconcile_view *view,
			   const struct render_style *style)
{
	for (size_t i = 0; i < view->pairs; i++) {
		const struct reconcile_pair *pair = &view->pair[i];

		if (i)
			putc('\n', out);
		fputs("native     ", out);
		text_put_clean(out, pair->rss_path);
		fputs("\ntraced     ", out);
		text_put_clean(out, pair->trace_path);
		putc('\n', out);
		render_comparable_text(out, &pair->comparable, NULL);
		putc('\n', out);
		if (!pair->comparable.is_comparable)
			continue;
		put_breakdown(out, &pair->rss);
		put_instants(out, &pair->reconcile);
		put_table(out, &pair->reconcile, style);
		put_beside(out, pair);
	}
	if (view->fit)
		put_fit(out, view);
}
