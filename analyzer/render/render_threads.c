/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "analyzer/base/number.h"
#include "analyzer/base/text.h"
#include "analyzer/render/json_value.h"
#include "analyzer/render/render_view.h"
#include "analyzer/render/render_views.h"

static size_t shown(size_t count, uint64_t top)
{
	return top && top < count ? (size_t)top : count;
}

static void put_blocks(FILE *out, uint64_t blocks, uint64_t bytes)
{
	fprintf(out, " %12s", number_count(blocks).text);
	fprintf(out, " %15s", number_count(bytes).text);
}

static const char *name_of(const struct summary *s, uint32_t thread)
{
	return thread_names_find(trace_thread_names(s->trace), thread);
}

static void put_sums(FILE *out, const struct thread_sum *sum)
{
	put_blocks(out, sum->calls, sum->bytes);
	put_blocks(out, sum->own_blocks, sum->own_bytes);
	put_blocks(out, sum->lent_blocks, sum->lent_bytes);
	put_blocks(out, sum->taken_blocks, sum->taken_bytes);
	put_blocks(out, sum->live_blocks, sum->live_bytes);
}

static void put_thread(FILE *out, const struct summary *s, const struct thread_sum *sum)
{
	const char *name = name_of(s, sum->number);

	fprintf(out, "%8" PRIu32, sum->number);
	put_sums(out, sum);
	if (name) {
		fputs("  ", out);
		text_put_clean(out, name);
	}
	putc('\n', out);
}

static void put_all(FILE *out, const char *what, const struct thread_sum *sum)
{
	fprintf(out, "%8s", what);
	put_sums(out, sum);
	putc('\n', out);
}

static void add(struct thread_sum *to, const struct thread_sum *sum)
{
	to->calls += sum->calls;
	to->bytes += sum->bytes;
	to->own_blocks += sum->own_blocks;
	to->own_bytes += sum->own_bytes;
	to->lent_blocks += sum->lent_blocks;
	to->lent_bytes += sum->lent_bytes;
	to->taken_blocks += sum->taken_blocks;
	to->taken_bytes += sum->taken_bytes;
	to->live_blocks += sum->live_blocks;
	to->live_bytes += sum->live_bytes;
}

static void put_threads(FILE *out, const struct summary *s, const struct thread_pairs *p,
			size_t count)
{
	struct thread_sum all = { 0 }, rest = { 0 };

	fprintf(out, "\n%8s %28s %28s %28s %28s %28s\n", "thread", "calls, bytes",
		"freed by itself", "freed by others", "freed of others'", "left");
	for (size_t i = 0; i < p->threads; i++) {
		add(&all, &p->thread[i]);
		if (i >= count)
			add(&rest, &p->thread[i]);
	}
	for (size_t i = 0; i < count; i++)
		put_thread(out, s, &p->thread[i]);
	if (count < p->threads)
		put_all(out, "others", &rest);
	put_all(out, "all", &all);
}

void render_threads_text(FILE *out, const struct summary *s, const struct thread_pairs *p,
			 uint64_t top, const struct render_style *style)
{
	const size_t pairs = shown(p->pairs, top);

	render_view_head(out, s, style);
	put_threads(out, s, p, shown(p->threads, top));
	fputs("\nEach column is blocks and bytes; 0 is the main thread.\n", out);
	if (p->pairs)
		fputs("\nBlocks that one thread allocated and another gave back:\n", out);
	for (size_t i = 0; i < pairs; i++) {
		const struct thread_pair *pair = &p->pair[i];

		fprintf(out, "  %" PRIu32 " to %" PRIu32 ": %s, ", pair->giver, pair->taker,
			number_of(pair->blocks, "block").text);
		fprintf(out, "%s\n", number_bytes(pair->bytes).text);
	}
	if (pairs < p->pairs)
		fprintf(out, "  and %s (--top 0 shows all)\n",
			number_of(p->pairs - pairs, "other pair").text);
}

static void set_blocks(json_t *value, const char *blocks_key, uint64_t blocks,
		       const char *bytes_key, uint64_t bytes)
{
	json_value_set(value, blocks_key, json_value_count(blocks));
	json_value_set(value, bytes_key, json_value_count(bytes));
}

static json_t *build_thread(const struct summary *s, const struct thread_sum *sum)
{
	const char *name = name_of(s, sum->number);
	json_t *value = json_object();

	json_value_set(value, "thread", json_value_count(sum->number));
	json_value_set(value, "name", name ? json_value_text(name) : json_null());
	set_blocks(value, "allocation_calls", sum->calls, "allocated_bytes", sum->bytes);
	set_blocks(value, "own_blocks", sum->own_blocks, "own_bytes", sum->own_bytes);
	set_blocks(value, "lent_blocks", sum->lent_blocks, "lent_bytes", sum->lent_bytes);
	set_blocks(value, "taken_blocks", sum->taken_blocks, "taken_bytes", sum->taken_bytes);
	set_blocks(value, "left_blocks", sum->live_blocks, "left_bytes", sum->live_bytes);
	return value;
}

void render_threads_json(FILE *out, const struct summary *s, const struct thread_pairs *p,
			 uint64_t top)
{
	json_t *value = render_view_json(s, "threads");
	json_t *threads = json_array(), *pairs = json_array();

	for (size_t i = 0; i < shown(p->threads, top); i++)
		json_value_append(threads, build_thread(s, &p->thread[i]));
	for (size_t i = 0; i < shown(p->pairs, top); i++) {
		json_t *pair = json_object();

		json_value_set(pair, "from", json_value_count(p->pair[i].giver));
		json_value_set(pair, "to", json_value_count(p->pair[i].taker));
		set_blocks(pair, "blocks", p->pair[i].blocks, "bytes", p->pair[i].bytes);
		json_value_append(pairs, pair);
	}
	json_value_set(value, "thread_count", json_value_count(p->threads));
	json_value_set(value, "pair_count", json_value_count(p->pairs));
	json_value_set(value, "threads", threads);
	json_value_set(value, "pairs", pairs);
	render_view_put_json(out, value);
}
