/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"
#include "analyzer/render/html_text.h"
#include "analyzer/render/json_value.h"
#include "analyzer/render/page_files.h"
#include "analyzer/render/render_filter.h"
#include "analyzer/render/render_phases.h"
#include "analyzer/render/render_suppressed.h"
#include "analyzer/render/stack_text.h"
#include "analyzer/report/environment.h"

/* Text that a text report would have, as a part of the page. */
struct part {
	FILE *out;
	char *text;
	size_t bytes;
};

static void part_begin(struct part *part)
{
	part->out = open_memstream(&part->text, &part->bytes);
	if (!part->out)
		out_of_memory(0);
}

static void part_end(struct part *part, FILE *page)
{
	if (fclose(part->out))
		out_of_memory(part->bytes);
	html_text_put(page, part->text);
	free(part->text);
}

static void put_row(FILE *out, const char *what, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(out, "<tr><th>%s</th><td>", what);
	html_text_put(out, text);
	fputs("</td></tr>\n", out);
}

static char *command_of(const struct trace *trace)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		out_of_memory(0);
	for (size_t i = 0; i < trace_argc(trace); i++)
		fprintf(out, "%s%s", i ? " " : "", trace_argv(trace)[i]);
	if (fclose(out))
		out_of_memory(bytes);
	return text;
}

static void put_facts(FILE *out, const struct summary *s)
{
	static const char *const facts[] = { "allocator", "libc", "kernel",
					     "cpu",       "thp",  "cgroup_memory_max" };
	const struct xt_header *header = trace_header(s->trace);
	char *text = command_of(s->trace);

	fputs("<table>\n", out);
	put_row(out, "command", text);
	free(text);
	put_row(out, "program", trace_exe(s->trace));
	text = xasprintf("%u, of the parent %u", header->pid, header->ppid);
	put_row(out, "process", text);
	free(text);
	put_row(out, "end", s->end.text);
	put_row(out, "went on as", s->end.next);
	put_row(out, "trace", trace_path(s->trace));
	put_row(out, "complete",
		s->is_complete  ? "yes: no event before the end of the process is missing"
		: s->is_damaged ? "no: a part of the file cannot be read"
				: "no");
	if (s->lost_events)
		put_row(out, "lost", number_of(s->lost_events, "call").text);
	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++)
		put_row(out, facts[i], environment_value(trace_environment(s->trace), facts[i]));
	if (s->filtered) {
		text = render_filter_text(s->filtered, s->totals);
		put_row(out, "filter", text);
		free(text);
	}
	fputs("</table>\n", out);
}

static void put_card(FILE *out, const char *what, const char *figure, const char *more)
{
	fprintf(out, "<div><dt>%s</dt><dd>%s<span>%s</span></dd></div>\n", what, figure, more);
}

static void put_cards(FILE *out, const struct summary *s)
{
	const struct totals *t = s->totals;
	const bool has_at = s->filtered && s->filtered->rule.has_at;

	fputs("<dl class=\"cards\">\n", out);
	put_card(out, has_at ? "live then" : "peak", number_bytes(t->peak_bytes).text,
		 number_of(t->peak_blocks, "block").text);
	put_card(out, "allocation calls", number_count(t->allocation_calls).text,
		 number_of(t->failed_calls, "failed call").text);
	put_card(out, "requested in all", number_bytes(t->allocated_bytes).text,
		 number_of(t->free_calls, "free call").text);
	put_card(out, "leaked: live at the end", number_bytes(t->leaked_bytes).text,
		 number_of(t->leaked_calls, "block").text);
	put_card(out, "temporary calls", number_count(t->temporary_calls).text,
		 number_percent(t->temporary_calls, t->allocation_calls).text);
	put_card(out, "threads", number_count(t->threads).text,
		 t->peak_time_error_ns == UINT64_MAX ? "" : number_time(t->duration_ns).text);
	fputs("</dl>\n", out);
}

static void put_warnings(FILE *out, const struct warnings *warnings)
{
	for (size_t i = 0; i < warnings->count; i++) {
		fputs("<p class=\"alarm\">", out);
		html_text_put(out, warnings->text[i]);
		fputs("</p>\n", out);
	}
}

static void put_told(FILE *out, const struct summary *s)
{
	struct part part;

	part_begin(&part);
	render_told_lines(part.out, s);
	fputs("<pre>", out);
	part_end(&part, out);
	fputs("</pre>\n", out);
}

static struct number amount_of(enum metric metric, uint64_t weight)
{
	return strcmp(metric_unit(metric), "bytes") ? number_of(weight, "call")
						    : number_bytes(weight);
}

static void put_stack(FILE *out, const struct html_page *page, const struct shown_stack *stack,
		      enum metric metric, const struct render_style *style)
{
	const uint64_t weight = metric_weight(&stack->sum, metric);
	const uint64_t total = metric_total(page->summary->totals, metric);
	const struct render_style plain = { .has_full_names = style->has_full_names };
	struct shown_walk walk = shown_stacks_walk(page->summary->stacks, stack, metric);
	const struct frame_name *frame = shown_walk_next(&walk);
	struct part part;

	fprintf(out, "<details><summary><span class=\"bar\" style=\"width:%.0fpx\"></span>",
		total ? 150.0 * (double)weight / (double)total : 0);
	fprintf(out, "%s", amount_of(metric, weight).text);
	if (metric_blocks(&stack->sum, metric))
		fprintf(out, " in %s", number_of(metric_blocks(&stack->sum, metric), "block").text);
	fprintf(out, ", %s: <code>", number_percent(weight, total).text);
	html_text_put(out, frame ? frame->function : "[no stack]");
	fputs("</code></summary>\n<pre>", out);
	part_begin(&part);
	stack_text_put(&(struct stack_text){ part.out, &plain, NULL, NULL },
		       shown_stacks_walk(page->summary->stacks, stack, metric));
	part_end(&part, out);
	fputs("</pre></details>\n", out);
}

static void put_table(FILE *out, const struct html_page *page, enum metric metric,
		      const char *title, const struct render_style *style)
{
	const struct summary *s = page->summary;
	struct shown_list list = shown_stacks_list(s->stacks, metric, page->top);

	fprintf(out, "<details%s><summary>%s: %s", metric == METRIC_PEAK ? " open" : "", title,
		amount_of(metric, metric_total(s->totals, metric)).text);
	fprintf(out, ", %s</summary>\n", number_of(list.all, "stack").text);
	for (size_t i = 0; i < list.count; i++)
		put_stack(out, page, list.stack[i], metric, style);
	if (list.count < list.all)
		fprintf(out, "<p class=\"note\">others, %s: %s</p>\n",
			number_of(list.all - list.count, "stack").text,
			amount_of(metric, list.rest).text);
	fputs("</details>\n", out);
	free(list.stack);
}

static void put_tables(FILE *out, const struct html_page *page, const struct render_style *style)
{
	const struct summary *s = page->summary;
	char *live = xasprintf("Live at %s", render_filter_instant(s->filtered));
	struct part part;

	fputs("<h2>Stacks</h2>\n", out);
	put_table(out, page, METRIC_PEAK, live, style);
	free(live);
	put_table(out, page, METRIC_CALLS, "Allocation calls", style);
	put_table(out, page, METRIC_BYTES, "Bytes requested", style);
	put_table(out, page, METRIC_LEAKED, "Leaked", style);
	put_table(out, page, METRIC_TEMPORARY, "Temporary allocation calls", style);
	part_begin(&part);
	render_suppressed_text(part.out, &s->suppressed, summary_left(s), "");
	fputs("<pre>", out);
	part_end(&part, out);
	fputs("</pre>\n", out);
}

static void put_graphs(FILE *out, const struct html_page *page)
{
	fputs("<h2>Flame graphs</h2>\n<div class=\"tools\">\n<select id=\"metric\" "
	      "aria-label=\"metric\">",
	      out);
	for (enum metric i = 0; i < METRIC_COUNT; i++)
		fprintf(out, "<option value=\"%d\">%s</option>", (int)i, metric_name(i));
	fputs("</select>\n<select id=\"direction\" aria-label=\"direction\"><option "
	      "value=\"0\">callers "
	      "above</option><option value=\"1\">allocating functions above</option></select>\n"
	      "<input type=\"search\" id=\"search\" placeholder=\"a part of a function's name\" "
	      "aria-label=\"search\">\n<span id=\"found\"></span>\n<button "
	      "id=\"reset\">whole</button>\n</div>\n"
	      "<noscript><p class=\"alarm\">The graphs need scripts; all else on this page does "
	      "not.</p>"
	      "</noscript>\n<div><canvas id=\"graph\" height=\"0\"></canvas></div>\n<pre "
	      "id=\"tip\"></pre>\n",
	      out);
	fprintf(out, "<p class=\"note\">Each row is called by the one above it (or calls it, the "
		     "other way "
		     "round); widths are sums of the metric, colours are modules. A click shows "
		     "one frame and what is "
		     "below it. At most 20 rows are drawn above it and 400 below; with the "
		     "allocating functions above, "
		     "100 callers of each.");
	if (page->tree->kept < page->tree->frames)
		fprintf(out,
			" Of %s those with the greatest shares are here, the others are summed up "
			"where they are left out.",
			number_of(page->tree->frames, "frame").text);
	fputs("</p>\n", out);
}

static void put_reconcile(FILE *out, const struct reconcile_pair *pair)
{
	const struct reconcile_view view = { .pair = pair, .pairs = 1 };
	const struct render_style plain = { .has_color = false };
	struct part part;

	fputs("<h2>Resident memory</h2>\n", out);
	render_reconcile_svg(out, pair);
	fputs("<details><summary>The sum, term by term</summary>\n<pre>", out);
	part_begin(&part);
	render_reconcile_text(part.out, &view, &plain);
	part_end(&part, out);
	fputs("</pre></details>\n", out);
}

static void put_head(FILE *out, const struct summary *s)
{
	const char *exe = trace_exe(s->trace), *slash = exe ? strrchr(exe, '/') : NULL;
	const char *name = slash ? slash + 1 : exe && *exe ? exe : "[not known]";

	/* Nothing is loaded, whatever the names in it say. */
	fputs(RENDER_HTML_BEGIN
	      "<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width\">\n"
	      "<meta name=\"generator\" content=\"xalloc-report " XALLOC_VERSION "\">\n<title>",
	      out);
	html_text_put(out, name);
	fputs(": heap</title>\n<style>\n", out);
	fputs(page_css, out);
	fputs("</style>\n</head>\n<body>\n<h1>", out);
	html_text_put(out, name);
	fputs("</h1>\n", out);
}

void render_html_json(FILE *out, const struct html_page *page, const char *path, size_t bytes)
{
	json_t *value = json_object();
	char *text;

	json_value_set(value, "schema", json_value_text("xalloc-report/1"));
	json_value_set(value, "command", json_value_text("html"));
	json_value_set(value, "from", json_value_text(trace_path(page->summary->trace)));
	json_value_set(value, "to", json_value_text(path));
	json_value_set(value, "bytes", json_value_count(bytes));
	json_value_set(value, "frames", json_value_count(page->tree->frames));
	json_value_set(value, "frames_left_out",
		       json_value_count(page->tree->frames - page->tree->kept));
	text = json_value_dump(value, JSON_INDENT(2));
	fprintf(out, "%s\n", text);
	free(text);
	json_decref(value);
}

void render_html(FILE *out, const struct html_page *page, const struct render_style *style)
{
	put_head(out, page->summary);
	put_warnings(out, &page->summary->warnings);
	put_cards(out, page->summary);
	put_told(out, page->summary);
	fputs("<details><summary>The process</summary>\n", out);
	put_facts(out, page->summary);
	fputs("</details>\n<h2>Live bytes over time</h2>\n", out);
	render_html_timeline(out, page->timeline);
	put_graphs(out, page);
	put_tables(out, page, style);
	if (page->pair)
		put_reconcile(out, page->pair);
	fputs("<p class=\"note\">Bytes are bytes requested. Peak: the greatest total of live bytes "
	      "at any "
	      "instant, over all threads. Leaked: live when the trace ended. Temporary: freed by "
	      "the thread "
	      "that allocated, with no other allocation call of that thread between. Written by "
	      "xalloc-report " XALLOC_VERSION
	      ".</p>\n<script type=\"application/json\" id=\"data\">",
	      out);
	render_html_data(out, page);
	fputs("</script>\n<script>\n", out);
	fputs(page_js, out);
	fputs("</script>\n</body>\n</html>\n", out);
}
