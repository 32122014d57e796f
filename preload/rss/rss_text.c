/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "preload/launch/message.h"
#include "preload/launch/numbers.h"
#include "preload/rss/rss_result.h"

#define ROWS_SHOWN 12
#define CHILDREN_SHOWN 5
#define RUNS_SHOWN 10
#define MS(ns) ((double)(ns) / 1e6)

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static char *bytes_text(uint64_t bytes)
{
	return bytes < 1024
		       ? number_rounded(bytes)
		       : text_new("%s bytes (%s)", number_grouped(bytes), number_rounded(bytes));
}

static char *time_text(int64_t ns)
{
	return ns < 1000000000 ? text_new("%.1f ms", MS(ns)) : text_new("%.2f s", MS(ns) / 1000);
}

/* Control characters are shown as ?. */
static void write_name(FILE *to, const char *name)
{
	for (; *name; name++)
		fputc((unsigned char)*name < ' ' || *name == 0x7F ? '?' : *name, to);
}

static void write_command(const struct rss_result *result, FILE *to)
{
	fputs("xalloc rss:", to);
	for (char **word = result->argv; *word; word++) {
		fputc(' ', to);
		write_name(to, *word);
	}
	fputc('\n', to);
}

static void write_peak(const struct rss_result *result, const struct sampled *run, FILE *to)
{
	const struct watched *w = sampled_program(run);
	const struct peak peak = rss_peak(result, run);
	const uint64_t threads = run->exit.is_taken ? run->exit.threads : 1;

	if (!w) {
		fputs("  peak RSS   not known: it ended before it could be looked at\n", to);
		return;
	}
	fprintf(to, "  peak RSS   %s, by %s", bytes_text(peak.bytes),
		peak_source_name(peak.source));
	if (peak.source == PEAK_STATM)
		fprintf(to, " at %s", time_text(w->statm_ns));
	fprintf(to,
		"\n             statm %s; VmHWM %s (up to %s less than the truth); ru_maxrss %s\n",
		number_rounded(w->statm_bytes), number_rounded(w->hwm_bytes),
		number_rounded(native_hwm_error(&result->facts, threads)),
		number_rounded(run->maxrss_bytes));
}

/* With the exit stop VmHWM has it. */
static void write_doubt(const struct rss_result *result, const struct sampled *run, FILE *to)
{
	if (!run->exit.is_taken && run->maxrss_bytes > run->launcher_bytes &&
	    run->maxrss_bytes > rss_peak(result, run).bytes)
		fputs("             ru_maxrss is greater: the peak was between two samples, or a "
		      "child's\n",
		      to);
}

static void write_usage(const struct sampled *run, FILE *to)
{
	const struct procfs_stat *u = &run->usage;

	fprintf(to, "  ended      %s after %s", rss_end(run), time_text(run->duration_ns));
	if (run->has_usage)
		fprintf(to, "; %s user, %s system; %s minor, %s major faults",
			time_text(u->user_ns), time_text(u->system_ns),
			number_grouped(u->minor_faults), number_grouped(u->major_faults));
	fprintf(to, "\n  sampled    %s time%s, every %.1f ms; %s breakdown%s; %.1f %% of a core\n",
		number_grouped(run->samples), run->samples == 1 ? "" : "s", MS(run->interval_ns),
		number_grouped(run->snapshots), run->snapshots == 1 ? "" : "s",
		percent((uint64_t)run->cpu_ns, (uint64_t)run->duration_ns));
	if (run->calls)
		fprintf(to, "  stopped    before %s system calls, %s of which give memory back\n",
			number_grouped(run->calls), number_grouped(run->falls));
	if (!run->exit.is_taken && run->why_no_exit)
		fprintf(to, "  at exit    no breakdown: %s\n", run->why_no_exit);
	else if (run->exit.lived_on)
		fprintf(to, "  at exit    of thread %d; %u other%s lived on\n",
			(int)run->exit.exit_thread, run->exit.lived_on,
			run->exit.lived_on == 1 ? "" : "s");
}

static uint64_t shared_bytes(const uint64_t *field)
{
	return field[FIELD_SHARED_CLEAN] + field[FIELD_SHARED_DIRTY];
}

static void write_line(FILE *to, uint64_t rss, const uint64_t *field)
{
	fprintf(to, "  %11s %5.1f %% %11s %11s %11s  ", number_rounded(field[FIELD_RSS]),
		percent(field[FIELD_RSS], rss), number_rounded(field[FIELD_PRIVATE_DIRTY]),
		number_rounded(field[FIELD_PRIVATE_CLEAN]), number_rounded(shared_bytes(field)));
}

static void write_rest(FILE *to, const struct snapshot *s, size_t from)
{
	uint64_t sum[ROW_FIELD_COUNT] = { 0 };
	size_t rows = 0;

	for (size_t i = from; i < s->breakdown.count; i++) {
		rows += s->breakdown.rows[i].field[FIELD_RSS] != 0;
		for (int f = 0; f < ROW_FIELD_COUNT; f++)
			sum[f] += s->breakdown.rows[i].field[f];
	}
	if (!rows)
		return;
	write_line(to, s->rss_bytes, sum);
	fprintf(to, "%zu more\n", rows);
}

static void write_snapshot(const struct snapshot *s, uint64_t peak, FILE *to)
{
	size_t shown = 0;

	fprintf(to, "Resident at %s%s: %s, %.1f %% of the peak\n", time_text(s->time_ns),
		s->is_exit ? ", at its exit" : "", bytes_text(s->rss_bytes),
		percent(s->rss_bytes, peak));
	fprintf(to, "  %11s %7s %11s %11s %11s\n", "RSS", "", "private", "private", "shared");
	fprintf(to, "  %11s %7s %11s %11s\n", "", "", "dirty", "clean");
	while (shown < s->breakdown.count && shown < ROWS_SHOWN &&
	       s->breakdown.rows[shown].field[FIELD_RSS]) {
		const struct row *row = &s->breakdown.rows[shown++];

		write_line(to, s->rss_bytes, row->field);
		fputs(row_kind_name(row->kind), to);
		if (row->name[0] && row->name[0] != '[')
			fputc(' ', to), write_name(to, row->name);
		if (row->mappings > 1)
			fprintf(to, ", %s mappings", number_grouped(row->mappings));
		fputc('\n', to);
	}
	write_rest(to, s, shown);
	fprintf(to, "  besides: page tables %s, swapped %s, huge page pool %s\n",
		number_rounded(s->page_table_bytes), number_rounded(s->swap_bytes),
		number_rounded(s->hugetlb_bytes));
	if (s->statm_bytes != s->rss_bytes)
		fprintf(to, "  statm said %s then\n", bytes_text(s->statm_bytes));
}

static int compare_peaks(const void *a, const void *b)
{
	const uint64_t x = watched_peak(*(const struct watched *const *)a),
		       y = watched_peak(*(const struct watched *const *)b);

	return x < y ? 1 : x > y ? -1 : 0;
}

static void write_family(const struct family *f, FILE *to)
{
	struct watched **order;
	const size_t children = f->count - (f->count != 0);

	if (f->count < 2)
		return;
	fprintf(to, "With its children: %s processes, up to %s at once\n",
		number_grouped(f->count + f->unlisted), number_grouped(f->greatest_processes));
	fprintf(to, "  sum of RSS %s at %s; sum of PSS %s at %s\n",
		number_rounded(f->peak_rss_bytes), time_text(f->peak_ns),
		number_rounded(f->pss_bytes), time_text(f->pss_ns));
	order = memory_new(children, sizeof(*order));
	memcpy(order, f->member + 1, children * sizeof(*order));
	qsort(order, children, sizeof(*order), compare_peaks);
	for (size_t i = 0; i < children && i < CHILDREN_SHOWN; i++) {
		const struct watched *w = order[i];

		fprintf(to, "  %11s  process %d  ", number_rounded(watched_peak(w)), (int)w->pid);
		write_name(to, w->best.is_taken ? w->best.exe : w->exe);
		fputc('\n', to);
	}
	if (children > CHILDREN_SHOWN)
		fprintf(to, "  and %s more\n", number_grouped(children - CHILDREN_SHOWN));
	free(order);
}

static void write_runs(const struct rss_result *result, FILE *to)
{
	const struct rss_spread spread = rss_spread(result);

	fprintf(to, "%zu runs: peak RSS minimum %s, median %s, maximum %s\n", result->runs,
		number_rounded(spread.minimum), number_rounded(spread.median),
		number_rounded(spread.maximum));
	for (size_t i = 0; i < result->runs && i < RUNS_SHOWN; i++) {
		const struct sampled *run = &result->run[i];

		fprintf(to, "  %s, %s after %s\n", bytes_text(rss_peak(result, run).bytes),
			rss_end(run), time_text(run->duration_ns));
	}
	if (result->runs > RUNS_SHOWN)
		fprintf(to, "  and %zu more\n", result->runs - RUNS_SHOWN);
	fputs("The last run:\n", to);
}

void rss_write_text(const struct rss_result *result, FILE *to)
{
	const struct sampled *run = &result->run[result->runs - 1];
	const struct watched *w = sampled_program(run);

	write_command(result, to);
	if (result->runs > 1)
		write_runs(result, to);
	write_peak(result, run, to);
	write_doubt(result, run, to);
	write_usage(run, to);
	if (w && w->best.is_taken)
		write_snapshot(&w->best, rss_peak(result, run).bytes, to);
	else if (w && w->snapshot_error)
		fprintf(to, "No breakdown: /proc/%d/smaps: %s\n", (int)w->pid,
			strerror(w->snapshot_error));
	write_family(&run->family, to);
}
