/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_reconcile.h"

#include <stdlib.h>

#include "analyzer/render/json_value.h"
#include "analyzer/render/render_comparable.h"

static const char *const instant_key[] = { "peak_heap", "peak_rss" };

/* Of each instant, null for one that is not known; is_known NULL: the term is. */
static json_t *build_bytes(const struct reconcile *r, const int64_t *bytes, const bool *is_known)
{
	json_t *value = json_object();

	for (int i = 0; i < RECONCILE_INSTANTS; i++)
		json_value_set(value, instant_key[i],
			       r->has_instant[i] && (!is_known || is_known[i])
				       ? json_integer(bytes[i])
				       : json_null());
	return value;
}

static json_t *build_terms(const struct reconcile *r)
{
	json_t *terms = json_array();

	for (size_t i = 0; i < r->terms; i++) {
		const struct reconcile_term *term = &r->term[i];
		json_t *value = json_object();

		json_value_set(value, "key", json_value_text(term->key));
		json_value_set(value, "name", json_value_text(term->name));
		json_value_set(value, "basis", json_value_text(reconcile_basis_name(term->basis)));
		json_value_set(value, "run", json_value_text(reconcile_run_name(term->run)));
		json_value_set(value, "bytes", build_bytes(r, term->bytes, term->is_known));
		json_value_append(terms, value);
	}
	return terms;
}

static json_t *build_instant(const struct reconcile *r, int instant)
{
	json_t *value = json_object();
	const bool is_known = r->has_instant[instant];

	json_value_set(value, "known", json_boolean(is_known));
	json_value_set(value, "has_snapshot", json_boolean(r->has_use[instant]));
	json_value_set(value, "what", json_value_text(r->instant[instant]));
	json_value_set(value, "live_bytes",
		       is_known ? json_value_count(r->heap_bytes[instant]) : json_null());
	json_value_set(value, "live_blocks",
		       is_known ? json_value_count(r->heap_blocks[instant]) : json_null());
	return value;
}

static json_t *build_native(const struct reconcile_pair *pair)
{
	const struct rss_file *rss = &pair->rss;
	const struct reconcile *r = &pair->reconcile;
	json_t *value = json_object();

	json_value_set(value, "runs", json_value_count(rss->runs));
	json_value_set(value, "run", json_value_count(rss->run));
	json_value_set(value, "peak_bytes", json_value_count(rss->peak_bytes));
	json_value_set(value, "peak_source", json_value_text(rss->peak_source));
	json_value_set(value, "peak_error_bytes", json_value_count(rss->peak_error_bytes));
	json_value_set(value, "breakdown_bytes", json_value_count(rss->rss_bytes));
	json_value_set(value, "at_exit", json_boolean(rss->is_at_exit));
	json_value_set(value, "heap_bytes", json_value_count(r->anonymous_bytes[0]));
	json_value_set(value, "arena_bytes", json_value_count(r->anonymous_bytes[1]));
	json_value_set(value, "anonymous_bytes", json_value_count(r->anonymous_bytes[2]));
	json_value_set(value, "page_table_bytes", json_value_count(rss->page_table_bytes));
	json_value_set(value, "swap_bytes", json_value_count(rss->swap_bytes));
	json_value_set(value, "hugetlb_bytes", json_value_count(rss->hugetlb_bytes));
	return value;
}

static json_t *build_told(uint64_t bytes)
{
	return bytes == XT_ALLOCATOR_UNTOLD ? json_null() : json_value_count(bytes);
}

/* Of the allocator itself; null: it was not asked. */
static json_t *build_said(const struct reconcile *r)
{
	const struct reconcile_said *said = &r->said;
	json_t *value;

	if (said->state != XT_HEAP_MEASURED)
		return json_null();
	value = json_object();
	json_value_set(value, "by", json_value_text(said->by));
	json_value_set(value, "in_use_bytes", build_told(said->in_use_bytes));
	json_value_set(value, "active_bytes", build_told(said->active_bytes));
	json_value_set(value, "resident_bytes", build_told(said->resident_bytes));
	json_value_set(value, "retained_bytes", build_told(said->retained_bytes));
	json_value_set(value, "free_bytes", build_told(said->free_bytes));
	json_value_set(value, "traced_bytes", json_value_count(r->end_bytes));
	return value;
}

static void set_sum(json_t *value, const struct reconcile_pair *pair)
{
	const struct reconcile *r = &pair->reconcile;

	json_value_set(value, "native", build_native(pair));
	for (int i = 0; i < RECONCILE_INSTANTS; i++)
		json_value_set(value, instant_key[i], build_instant(r, i));
	json_value_set(value, "heap_peak_bytes", json_value_count(r->heap_peak_bytes));
	json_value_set(value, "terms", build_terms(r));
	json_value_set(value, "unexplained", build_bytes(r, r->unexplained, NULL));
	json_value_set(value, "above_breakdown_bytes", json_integer(r->above_breakdown));
	json_value_set(value, "allocator_said", build_said(r));
	if (r->said.state && r->said.state != XT_HEAP_MEASURED) {
		char *why = reconcile_not_asked(&r->said);

		json_value_set(value, "allocator_not_asked", json_value_text(why));
		free(why);
	}
	json_value_set(value, "untracked_calls", json_value_count(pair->untracked_calls));
}

static json_t *build_fit(const struct reconcile_fit *fit)
{
	json_t *value = json_object(), *residuals = json_array();

	json_value_set(value, "start", json_real(fit->start));
	json_value_set(value, "slope", json_real(fit->slope));
	for (size_t i = 0; i < fit->pairs; i++)
		json_value_append(residuals, json_real(fit->residual[i]));
	json_value_set(value, "residuals", residuals);
	return value;
}

void render_reconcile_json(FILE *out, const struct reconcile_view *view)
{
	json_t *value = json_object(), *pairs = json_array();
	char *text;

	for (size_t i = 0; i < view->pairs; i++) {
		const struct reconcile_pair *pair = &view->pair[i];
		json_t *one = render_comparable_json(&pair->comparable, "native", "traced");

		json_value_set(one, "rss", json_value_text(pair->rss_path));
		json_value_set(one, "trace", json_value_text(pair->trace_path));
		if (pair->comparable.is_comparable)
			set_sum(one, pair);
		json_value_append(pairs, one);
	}
	json_value_set(value, "schema", json_value_text("xalloc-reconcile/1"));
	json_value_set(value, "pairs", pairs);
	if (view->fit && view->fit->is_line)
		json_value_set(value, "fit", build_fit(view->fit));
	text = json_value_dump(value, JSON_INDENT(2));
	fprintf(out, "%s\n", text);
	free(text);
	json_decref(value);
}
