/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_reconcile.h"

#include <inttypes.h>

#include "analyzer/base/number.h"
#include "analyzer/render/html_text.h"

#define WIDTH 1000
#define LABEL 400 /* where bars begin */
#define BARS 440  /* how long they may be together */
#define LINE 20
#define HEAD 30 /* of each instant */
#define TITLE 50
#define TICKS 4
#define AXIS 24

#define NATIVE_COLOR "#5a9e6f"
#define TRACED_COLOR "#3b6fb6"
#define UNEXPLAINED_COLOR "#c2553b"
#define PEAK_COLOR "#777777"

/* A bar from one sum to the next; where it lies between the least and the greatest sum. */
struct scale {
	double least, most;
};

static double place(const struct scale *scale, int64_t sum)
{
	return LABEL + BARS * ((double)sum - scale->least) / (scale->most - scale->least);
}

static struct scale scale_of(const struct reconcile *r, int instant)
{
	struct scale scale = { 0, (double)r->peak_bytes };
	int64_t sum = 0;

	for (size_t i = 0; i < r->terms; i++) {
		sum += r->term[i].bytes[instant];
		scale.least = (double)sum < scale.least ? (double)sum : scale.least;
		scale.most = (double)sum > scale.most ? (double)sum : scale.most;
	}
	scale.most += scale.most <= scale.least;
	return scale;
}

static void put_bar(FILE *out, const struct scale *scale, int y, int64_t from, int64_t to,
		    const char *color)
{
	const double a = place(scale, from < to ? from : to);
	const double b = place(scale, from < to ? to : from);
	const uint64_t bytes =
		from < to ? (uint64_t)to - (uint64_t)from : (uint64_t)from - (uint64_t)to;

	fprintf(out, "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>\n", a,
		y + 3, b - a > 0.5 ? b - a : 0.5, LINE - 6, color);
	fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s%s</text>\n", WIDTH - 10,
		y + 14, from > to ? "-" : "", number_bytes(bytes).text);
}

static void put_label(FILE *out, int y, const char *what, const char *name)
{
	fprintf(out, "<text x=\"10\" y=\"%d\">", y + 14);
	html_text_put(out, what);
	fputs(*name ? " " : "", out);
	html_text_put(out, name);
	fputs("</text>\n", out);
}

/* From the least sum to the greatest, which may be a little beyond the peak. */
static int put_axis(FILE *out, const struct scale *scale, int y)
{
	fprintf(out, "<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"#777777\"/>\n", LABEL,
		LABEL + BARS, y, y);
	for (int i = 0; i <= TICKS; i++) {
		const int x = LABEL + BARS * i / TICKS;
		const double sum = scale->least + (scale->most - scale->least) * i / TICKS;

		fprintf(out, "<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"#777777\"/>\n",
			x, x, y, y + 4);
		fprintf(out,
			"<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" "
			"class=\"tick\">%s%s</text>\n",
			x, y + 16, sum < 0 ? "-" : "",
			number_rounded_bytes((uint64_t)(sum < 0 ? -sum : sum)).text);
	}
	return y + AXIS;
}

static void put_key(FILE *out, int x, const char *color, const char *text)
{
	fprintf(out, "<rect x=\"%d\" y=\"32\" width=\"10\" height=\"10\" fill=\"%s\"/>\n", x,
		color);
	fprintf(out, "<text x=\"%d\" y=\"41\">%s</text>\n", x + 15, text);
}

/* Whose memory it is, and what the colours mean. */
static void put_title(FILE *out, const struct reconcile_pair *pair)
{
	const char *exe = *pair->rss.exe ? pair->rss.exe : pair->rss.path;

	fputs("<text x=\"10\" y=\"20\" font-size=\"15\" font-weight=\"bold\">", out);
	html_text_put(out, comparable_base_name(exe));
	fprintf(out, ": resident memory, %s at its peak</text>\n",
		number_bytes(pair->reconcile.peak_bytes).text);
	put_key(out, 10, NATIVE_COLOR, "known from the native run");
	put_key(out, 200, TRACED_COLOR, "from the traced run");
	put_key(out, 360, UNEXPLAINED_COLOR, "unexplained");
}

static bool is_shown(const struct reconcile_term *term, int instant)
{
	return term->is_known[instant] && term->bytes[instant];
}

static int put_instant(FILE *out, const struct reconcile *r, int instant, int y)
{
	const struct scale scale = scale_of(r, instant);
	int64_t sum = 0;

	fprintf(out, "<text x=\"10\" y=\"%d\" font-weight=\"bold\">", y + 20);
	html_text_put(out, instant == RECONCILE_PEAK_HEAP ? "Peak of the heap" : "Peak of RSS");
	fputs(": ", out);
	html_text_put(out, r->instant[instant]);
	fputs("</text>\n", out);
	y += HEAD;
	for (size_t i = 0; i < r->terms; i++) {
		const struct reconcile_term *term = &r->term[i];

		if (!is_shown(term, instant))
			continue;
		put_label(out, y, reconcile_key_text(term->key), reconcile_short_name(term));
		put_bar(out, &scale, y, sum, sum + term->bytes[instant],
			term->run == RECONCILE_NATIVE ? NATIVE_COLOR : TRACED_COLOR);
		sum += term->bytes[instant];
		y += LINE;
	}
	put_label(out, y, "unexplained", "");
	put_bar(out, &scale, y, sum, (int64_t)r->peak_bytes, UNEXPLAINED_COLOR);
	y += LINE;
	put_label(out, y, "peak RSS of the native run", "");
	put_bar(out, &scale, y, 0, (int64_t)r->peak_bytes, PEAK_COLOR);
	return put_axis(out, &scale, y + LINE);
}

static int height_of(const struct reconcile *r)
{
	int height = TITLE + 10;

	for (int i = 0; i < RECONCILE_INSTANTS; i++) {
		if (!r->has_instant[i])
			continue;
		height += HEAD + 2 * LINE + AXIS;
		for (size_t j = 0; j < r->terms; j++)
			height += is_shown(&r->term[j], i) ? LINE : 0;
	}
	return height;
}

void render_reconcile_svg(FILE *out, const struct reconcile_pair *pair)
{
	const struct reconcile *r = &pair->reconcile;
	const int height = height_of(r);
	int y = TITLE;

	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		"viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
		"<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
		WIDTH, height, WIDTH, height, WIDTH, height);
	put_title(out, pair);
	for (int i = 0; i < RECONCILE_INSTANTS; i++)
		if (r->has_instant[i])
			y = put_instant(out, r, i, y);
	fputs("</svg>\n", out);
}
