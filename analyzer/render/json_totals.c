/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/json_totals.h"

#include <stddef.h>

#include "analyzer/render/json_value.h"

struct count_row {
	const char *key;
	uint64_t count;
};

static json_t *build_counts(const struct count_row *row, size_t rows)
{
	json_t *value = json_object();

	for (size_t i = 0; i < rows; i++)
		json_value_set(value, row[i].key, json_value_count(row[i].count));
	return value;
}

json_t *json_totals_build(const struct totals *t, bool has_times)
{
	static const char *const times[] = { "peak_time_ns", "peak_time_error_ns", "duration_ns" };
	const struct count_row row[] = {
		{ "allocation_calls", t->allocation_calls },
		{ "allocated_bytes", t->allocated_bytes },
		{ "free_calls", t->free_calls },
		{ "foreign_frees", t->foreign_frees },
		{ "failed_calls", t->failed_calls },
		{ "temporary_calls", t->temporary_calls },
		{ "leaked_calls", t->leaked_calls },
		{ "leaked_bytes", t->leaked_bytes },
		{ "peak_bytes", t->peak_bytes },
		{ "peak_blocks", t->peak_blocks },
		{ "peak_time_ns", t->peak_time_ns },
		{ "peak_time_error_ns", t->peak_time_error_ns },
		{ "duration_ns", t->duration_ns },
		{ "threads", t->threads },
		{ "events", t->events },
		{ "freed_blocks", t->freed_blocks },
		{ "realloc_frees", t->realloc_frees },
		{ "unseen_frees", t->unseen_frees },
		{ "untracked_calls", t->untracked_calls },
		{ "untracked_frees", t->untracked_frees },
	};
	json_t *value = build_counts(row, sizeof(row) / sizeof(*row));

	for (size_t i = 0; !has_times && i < sizeof(times) / sizeof(*times); i++)
		json_value_set(value, times[i], json_null());
	return value;
}

json_t *json_totals_functions(const struct totals *t)
{
	const struct count_row row[] = {
		{ "malloc", t->calls_malloc },   { "calloc", t->calls_calloc },
		{ "realloc", t->calls_realloc }, { "aligned", t->calls_aligned },
		{ "new", t->calls_new },
	};

	return build_counts(row, sizeof(row) / sizeof(*row));
}
