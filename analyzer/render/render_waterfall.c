/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_reconcile.h"

#include <inttypes.h>

#include "analyzer/base/number.h"

#define WIDTH 1000
#define LABEL 400 /* where bars begin */
#define BARS 440  /* how long they may be together */
#define LINE 20
#define HEAD 30 /* of each instant */

/* A bar from one sum to the next; where it lies between the least and the greatest sum. */
struct scale {
	double least, most;
};

static double place(const struct scale *scale, int64_t sum)
{
	return LABEL + BARS * ((double)sum - scale->least) / (scale->most - scale->least);
}

/* Names are the target's; what is no text of XML is left out. */
static void put_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;

		if (c == '<')
			fputs("&lt;", out);
		else if (c == '>')
			fputs("&gt;", out);
		else if (c == '&')
			fputs("&amp;", out);
		else if (c >= 0x20 && c < 0x7F)
			putc(c, out);
		else
			putc('?', out);
	}
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
	put_text(out, what);
	fputs(*name ? " " : "", out);
	put_text(out, name);
	fputs("</text>\n", out);
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
	put_text(out, instant == RECONCILE_PEAK_HEAP ? "Peak of the heap" : "Peak of RSS");
	fputs(": ", out);
	put_text(out, r->instant[instant]);
	fputs("</text>\n", out);
	y += HEAD;
	for (size_t i = 0; i < r->terms; i++) {
		const struct reconcile_term *term = &r->term[i];

		if (!is_shown(term, instant))
			continue;
		put_label(out, y, reconcile_key_text(term->key), reconcile_short_name(term));
		put_bar(out, &scale, y, sum, sum + term->bytes[instant],
			term->run == RECONCILE_NATIVE ? "#5a9e6f" : "#3b6fb6");
		sum += term->bytes[instant];
		y += LINE;
	}
	put_label(out, y, "unexplained", "");
	put_bar(out, &scale, y, sum, (int64_t)r->peak_bytes, "#c2553b");
	y += LINE;
	put_label(out, y, "peak RSS of the native run", "");
	put_bar(out, &scale, y, 0, (int64_t)r->peak_bytes, "#777777");
	return y + LINE;
}

static int height_of(const struct reconcile *r)
{
	int height = 10;

	for (int i = 0; i < RECONCILE_INSTANTS; i++) {
		if (!r->has_instant[i])
			continue;
		height += HEAD + 2 * LINE;
		for (size_t j = 0; j < r->terms; j++)
			height += is_shown(&r->term[j], i) ? LINE : 0;
	}
	return height;
}

void render_reconcile_svg(FILE *out, const struct reconcile_pair *pair)
{
	const struct reconcile *r = &pair->reconcile;
	const int height = height_of(r);
	int y = 0;

	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		"viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
		"<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
		WIDTH, height, WIDTH, height, WIDTH, height);
	for (int i = 0; i < RECONCILE_INSTANTS; i++)
		if (r->has_instant[i])
			y = put_instant(out, r, i, y);
	fputs("</svg>\n", out);
}
