/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_html.h"

#include "analyzer/base/number.h"

#define WIDTH 1000
#define HEIGHT 220
#define LEFT 80 /* where time begins */
#define TOP 14
#define BOTTOM 190
#define TICKS 4

static struct number time_of(const struct timeline *t, uint64_t at)
{
	return t->has_times ? number_time(at) : number_of(at, "step");
}

static double x_of(const struct timeline *t, double bucket)
{
	return LEFT + (WIDTH - LEFT - 10) * bucket / (double)t->buckets;
}

static double y_of(const struct timeline *t, uint64_t bytes)
{
	return BOTTOM - (BOTTOM - TOP) * (double)bytes / (double)t->peak.bytes;
}

/* All that lies below the least, or the greatest, total of each span. */
static void put_area(FILE *out, const struct timeline *t, const char *class, bool is_most)
{
	fprintf(out, "<path class=\"%s\" d=\"M%d %d", class, LEFT, BOTTOM);
	for (size_t i = 0; i < t->buckets; i++) {
		const struct timeline_bucket *bucket = &t->bucket[i];
		const uint64_t bytes = is_most ? bucket->most.bytes : bucket->least.bytes;

		fprintf(out, "V%.1fH%.1f", y_of(t, bytes), x_of(t, (double)i + 1));
	}
	fprintf(out, "V%dZ\"/>\n", BOTTOM);
}

/* What a reader sees who points at a span. */
static void put_spans(FILE *out, const struct timeline *t)
{
	for (size_t i = 0; i < t->buckets; i++) {
		const struct timeline_bucket *bucket = &t->bucket[i];
		const double x = x_of(t, (double)i);

		fprintf(out,
			"<rect class=\"span\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" "
			"height=\"%d\"><title>",
			x, TOP, x_of(t, (double)i + 1) - x, BOTTOM - TOP);
		fprintf(out, "%s to ", time_of(t, timeline_begin_of(t, i)).text);
		fprintf(out, "%s: at least ", time_of(t, timeline_begin_of(t, i + 1)).text);
		fprintf(out, "%s, ", number_bytes(bucket->least.bytes).text);
		fprintf(out, "at most %s in ", number_bytes(bucket->most.bytes).text);
		fprintf(out, "%s</title></rect>\n", number_of(bucket->most.blocks, "block").text);
	}
}

static void put_axes(FILE *out, const struct timeline *t)
{
	for (uint64_t i = 0; i <= TICKS; i++) {
		const uint64_t bytes = (uint64_t)((unsigned __int128)t->peak.bytes * i / TICKS);
		const double y = y_of(t, bytes), part = (double)t->buckets * (double)i / TICKS;

		fprintf(out, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>\n", LEFT,
			WIDTH - 10, y, y);
		fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 6,
			y + 4, number_rounded_bytes(bytes).text);
		fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>\n",
			x_of(t, part), HEIGHT - 10,
			!i           ? "start"
			: i == TICKS ? "end"
				     : "middle",
			time_of(t, timeline_begin_of(t, t->buckets * i / TICKS)).text);
	}
}

void render_html_timeline(FILE *out, const struct timeline *t)
{
	double x;

	if (!t->peak.bytes) {
		fputs("<p>Nothing was live.</p>\n", out);
		return;
	}
	fprintf(out,
		"<svg class=\"timeline\" viewBox=\"0 0 %d %d\" role=\"img\" "
		"aria-label=\"live bytes over time\">\n",
		WIDTH, HEIGHT);
	put_area(out, t, "most", true);
	put_area(out, t, "least", false);
	put_axes(out, t);
	x = x_of(t, (double)timeline_peak_bucket(t) + 0.5);
	fprintf(out, "<line class=\"peak\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>\n", x, x,
		TOP - 8, BOTTOM);
	put_spans(out, t);
	fprintf(out,
		"</svg>\n<p class=\"note\">In %s: dark is the least that was live in a span, light "
		"the "
		"most. Highest, at the line: ",
		number_of(t->buckets, "span").text);
	fprintf(out, "%s in ", number_bytes(t->peak.bytes).text);
	fprintf(out, "%s, %s ", number_of(t->peak.blocks, "block").text,
		t->has_times ? "at" : "after");
	fprintf(out, "%s.</p>\n", time_of(t, timeline_time_of(t, t->peak_time)).text);
}
