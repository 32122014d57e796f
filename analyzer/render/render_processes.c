/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_processes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/number.h"
#include "analyzer/base/text.h"
#include "analyzer/render/json_totals.h"
#include "analyzer/render/json_value.h"

#define COMMAND_BYTES 60 /* of a command line; the rest is JSON's */
#define INDENT_MAX 40    /* levels; deeper ones are not told apart */

enum column { COLUMN_CALLS, COLUMN_BYTES, COLUMN_PEAK, COLUMN_LEAKED, COLUMNS };
static const char *const head[COLUMNS] = { "calls", "bytes", "peak", "leaked" };

static uint64_t figure(const struct process_row *row, enum column column)
{
	switch (column) {
	case COLUMN_CALLS:
		return row->totals.allocation_calls;
	case COLUMN_BYTES:
		return row->totals.allocated_bytes;
	case COLUMN_PEAK:
		return row->totals.peak_bytes;
	default:
		return row->totals.leaked_bytes;
	}
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Arguments with a blank between, the first of them without its folder; not beyond COMMAND_BYTES,
 * and never half a character. */
static void put_command(FILE *out, const struct process_row *row)
{
	char text[COMMAND_BYTES + 1] = "";
	size_t size = 0;
	bool is_cut = false;

	for (size_t i = 0; i < row->argv.count && !is_cut; i++) {
		const char *word = i ? row->argv.text[i] : base_name(row->argv.text[i]);
		const int room = (int)(sizeof(text) - size);
		const int bytes = snprintf(text + size, (size_t)room, "%s%s", i ? " " : "", word);

		is_cut = bytes >= room;
		size += is_cut ? (size_t)room - 1 : (size_t)bytes;
	}
	while (is_cut && size && ((unsigned char)text[size - 1] & 0x80))
		size--;
	text[size] = '\0';
	text_put_clean(out, row->argv.count ? text : "[not known]");
	if (is_cut)
		fputs("...", out);
}

static void put_notes(FILE *out, const struct process_tree *tree, const struct process_row *row,
		      const struct render_style *style)
{
	const char *alarm = style->has_color ? "\033[1;33m" : "";
	const char *plain = style->has_color ? "\033[0m" : "";

	if (row->same_as != PROCESS_NONE) {
		fputs("; the same as ", out);
		text_put_clean(out, base_name(tree->row[row->same_as].path));
		fputs(", not counted", out);
	}
	if (row->misses_parent)
		fprintf(out, "; no trace of its parent %" PRIu32, row->header.ppid);
	if (row->misses_next)
		fputs("; no trace of the program that it went on as", out);
	if (row->is_damaged)
		fprintf(out, "; %sdamaged%s", alarm, plain);
	if (row->lost_events)
		fprintf(out, "; %s%s lost%s", alarm, number_of(row->lost_events, "call").text,
			plain);
	else if (!row->is_complete && !row->is_damaged && strcmp(row->end, "running"))
		fprintf(out, "; %snot complete%s", alarm, plain);
}

static void put_row(FILE *out, const struct process_tree *tree, const struct process_row *row,
		    const int *width, const struct render_style *style)
{
	const size_t depth = row->depth < INDENT_MAX ? row->depth : INDENT_MAX;

	for (enum column c = 0; c < COLUMNS; c++)
		fprintf(out, "  %*s", width[c], number_count(figure(row, c)).text);
	fprintf(out, "  %-9s  %*s%" PRIu32 " ", row->end, 2 * (int)depth, "", row->header.pid);
	if (row->before != PROCESS_NONE && row->same_as == PROCESS_NONE)
		fputs("then ", out);
	else if (row->header.forked)
		fputs("fork of ", out);
	put_command(out, row);
	fputs("  [", out);
	text_put_clean(out, base_name(row->path));
	putc(']', out);
	put_notes(out, tree, row, style);
	putc('\n', out);
}

static void put_table(FILE *out, const struct process_tree *tree, const struct render_style *style)
{
	int width[COLUMNS];

	for (enum column c = 0; c < COLUMNS; c++) {
		width[c] = (int)strlen(head[c]);
		for (size_t i = 0; i < tree->count; i++) {
			const int bytes = (int)strlen(number_count(figure(&tree->row[i], c)).text);

			width[c] = width[c] < bytes ? bytes : width[c];
		}
	}
	putc('\n', out);
	for (enum column c = 0; c < COLUMNS; c++)
		fprintf(out, "  %*s", width[c], head[c]);
	fputs("  end        process\n", out);
	for (size_t i = 0; i < tree->count; i++)
		put_row(out, tree, &tree->row[tree->order[i]], width, style);
}

/* ", pid 12, x.zst": which one it is. */
static void put_holder(FILE *out, const struct process_row *row)
{
	fprintf(out, ": pid %" PRIu32 ", ", row->header.pid);
	text_put_clean(out, row->path);
	putc('\n', out);
}

static void put_figures(FILE *out, const struct process_tree *tree,
			const struct render_style *style)
{
	const char *bold = style->has_color ? "\033[1m" : "";
	const char *plain = style->has_color ? "\033[0m" : "";

	putc('\n', out);
	if (tree->most_calls == PROCESS_NONE) {
		fputs("No process made an allocation call.\n", out);
		return;
	}
	fprintf(out, "%sMost allocation calls%s, %s of %s (%s)", bold, plain,
		number_count(tree->row[tree->most_calls].totals.allocation_calls).text,
		number_count(tree->allocation_calls).text,
		number_percent(tree->row[tree->most_calls].totals.allocation_calls,
			       tree->allocation_calls)
			.text);
	put_holder(out, &tree->row[tree->most_calls]);
	fprintf(out, "%sGreatest peak%s, %s", bold, plain,
		number_bytes(tree->row[tree->greatest_peak].totals.peak_bytes).text);
	put_holder(out, &tree->row[tree->greatest_peak]);
}

static void put_warnings(FILE *out, const struct process_tree *tree)
{
	if (tree->warnings.count || tree->unreadables)
		putc('\n', out);
	for (size_t i = 0; i < tree->unreadables; i++) {
		fputs("warning: ", out);
		text_put_clean(out, tree->unreadable[i].error);
		putc('\n', out);
	}
	for (size_t i = 0; i < tree->warnings.count; i++) {
		fputs("warning: ", out);
		text_put_clean(out, tree->warnings.text[i]);
		putc('\n', out);
	}
}

void render_processes_text(FILE *out, const struct process_tree *tree,
			   const struct render_style *style)
{
	fprintf(out, "%s of %s process%s: ", number_of(tree->count, "trace").text,
		number_count(tree->processes).text, tree->processes == 1 ? "" : "es");
	fprintf(out, "%s, %s requested in all",
		number_of(tree->allocation_calls, "allocation call").text,
		number_bytes(tree->allocated_bytes).text);
	if (tree->lost_events)
		fprintf(out, ", %s lost", number_of(tree->lost_events, "call").text);
	putc('\n', out);
	put_warnings(out, tree);
	put_table(out, tree, style);
	put_figures(out, tree, style);
}

static json_t *path_of(const struct process_tree *tree, size_t row)
{
	return row == PROCESS_NONE ? json_null() : json_value_text(tree->row[row].path);
}

static json_t *build_row(const struct process_tree *tree, const struct process_row *row)
{
	json_t *value = json_object();

	json_value_set(value, "path", json_value_text(row->path));
	json_value_set(value, "pid", json_value_count(row->header.pid));
	json_value_set(value, "ppid", json_value_count(row->header.ppid));
	json_value_set(value, "session_pid", json_value_count(row->header.session_pid));
	json_value_set(value, "image", json_value_count(row->header.image));
	json_value_set(value, "forked", json_boolean(row->header.forked));
	json_value_set(value, "exe", json_value_text(row->exe));
	json_value_set(value, "argv", json_value_texts(row->argv.text, row->argv.count));
	json_value_set(value, "exit", json_value_text(row->end));
	json_value_set(value, "depth", json_value_count(row->depth));
	json_value_set(value, "parent", path_of(tree, row->parent));
	json_value_set(value, "before", path_of(tree, row->before));
	json_value_set(value, "same_as", path_of(tree, row->same_as));
	json_value_set(value, "misses_parent", json_boolean(row->misses_parent));
	json_value_set(value, "misses_next", json_boolean(row->misses_next));
	json_value_set(value, "complete", json_boolean(row->is_complete));
	json_value_set(value, "damaged", json_boolean(row->is_damaged));
	json_value_set(value, "lost_events", json_value_count(row->lost_events));
	json_value_set(value, "totals", json_totals_build(&row->totals, row->has_times));
	return value;
}

void render_processes_json(FILE *out, const struct process_tree *tree)
{
	json_t *value = json_object(), *rows = json_array(), *unreadable = json_array();
	char *text;

	for (size_t i = 0; i < tree->count; i++)
		json_value_append(rows, build_row(tree, &tree->row[tree->order[i]]));
	for (size_t i = 0; i < tree->unreadables; i++) {
		json_t *one = json_object();

		json_value_set(one, "path", json_value_text(tree->unreadable[i].path));
		json_value_set(one, "error", json_value_text(tree->unreadable[i].error));
		json_value_append(unreadable, one);
	}
	json_value_set(value, "schema", json_value_text("xalloc-report/1"));
	json_value_set(value, "process_count", json_value_count(tree->processes));
	json_value_set(value, "allocation_calls", json_value_count(tree->allocation_calls));
	json_value_set(value, "allocated_bytes", json_value_count(tree->allocated_bytes));
	json_value_set(value, "lost_events", json_value_count(tree->lost_events));
	json_value_set(value, "most_calls", path_of(tree, tree->most_calls));
	json_value_set(value, "greatest_peak", path_of(tree, tree->greatest_peak));
	json_value_set(value, "warnings",
		       json_value_texts(tree->warnings.text, tree->warnings.count));
	json_value_set(value, "unreadable", unreadable);
	json_value_set(value, "processes", rows);
	text = json_value_dump(value, JSON_INDENT(2));
	fprintf(out, "%s\n", text);
	free(text);
	json_decref(value);
}
