/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "preload/rss/json_out.h"
#include "preload/rss/mapped.h"
#include "preload/rss/rss_result.h"

static void write_strings(struct json_out *j, const char *key, char *const *text)
{
	json_open(j, key, '[');
	for (; *text; text++)
		json_text(j, NULL, *text);
	json_close(j, ']');
}

static void write_program(struct json_out *j, const struct rss_result *result)
{
	char directory[PATH_MAX];

	json_open(j, "process", '{');
	json_text(j, "path", result->path);
	write_strings(j, "argv", result->argv);
	json_text(j, "cwd", getcwd(directory, sizeof(directory)) ? directory : "");
	json_close(j, '}');
}

static void write_variables(struct json_out *j, char *const *variables)
{
	json_open(j, "variables", '{');
	for (; *variables; variables++) {
		char name[256];
		const char *value = strchr(*variables, '=');

		snprintf(name, sizeof(name), "%.*s", (int)(value - *variables), *variables);
		json_text(j, name, value + 1);
	}
	json_close(j, '}');
}

static void write_modules(struct json_out *j)
{
	json_open(j, "modules", '[');
	for (size_t i = 0; i < mapped_count(); i++) {
		const struct mapped_file *file = mapped_get(i);
		char base[32];

		if (!file->image_bytes)
			continue;
		snprintf(base, sizeof(base), "0x%llx", (unsigned long long)file->base);
		json_open(j, NULL, '{');
		json_text(j, "path", file->path);
		json_text(j, "build_id", file->build_id);
		json_text(j, "base", base);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void write_environment(struct json_out *j, const struct native_facts *facts)
{
	json_open(j, "environment", '{');
	json_text(j, "kernel", facts->kernel);
	json_text(j, "cpu", facts->cpu);
	json_number(j, "cpus", facts->cpus);
	json_number(j, "page_bytes", facts->page_bytes);
	json_text(j, "allocator", facts->allocator);
	json_text(j, "libc", facts->libc);
	json_text(j, "thp", facts->thp);
	json_text(j, "cgroup_memory_max", facts->cgroup_memory_max);
	write_variables(j, facts->variables);
	write_modules(j);
	json_close(j, '}');
}

static void write_rows(struct json_out *j, const struct breakdown *b)
{
	json_open(j, "rows", '[');
	for (size_t i = 0; i < b->count; i++) {
		const struct row *row = &b->rows[i];

		json_open(j, NULL, '{');
		json_text(j, "kind", row_kind_name(row->kind));
		json_text(j, "name", row->name);
		json_number(j, "mappings", row->mappings);
		for (enum row_field f = 0; f < ROW_FIELD_COUNT; f++)
			json_number(j, row_field_key(f), row->field[f]);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void write_snapshot(struct json_out *j, const char *key, const struct snapshot *s,
			   uint64_t peak_bytes)
{
	if (!s->is_taken)
		return;
	json_open(j, key, '{');
	json_time(j, "time_ns", s->time_ns);
	json_time(j, "took_ns", s->took_ns);
	json_text(j, "exe", s->exe);
	json_number(j, "rss_bytes", s->rss_bytes);
	json_share(j, "share_of_peak", s->rss_bytes, peak_bytes);
	json_number(j, "statm_bytes", s->statm_bytes);
	json_number(j, "pss_bytes", breakdown_sum(&s->breakdown, FIELD_PSS));
	json_number(j, "swap_bytes", s->swap_bytes);
	json_number(j, "hugetlb_bytes", s->hugetlb_bytes);
	json_number(j, "page_table_bytes", s->page_table_bytes);
	json_number(j, "mappings", s->mappings);
	json_number(j, "threads", s->threads);
	if (s->is_exit) {
		json_number(j, "exit_thread", (uint64_t)s->exit_thread);
		json_number(j, "lived_on", s->lived_on);
	}
	write_rows(j, &s->breakdown);
	json_close(j, '}');
}

static void write_peak(struct json_out *j, const struct rss_result *result,
		       const struct sampled *run)
{
	const struct watched *w = sampled_program(run);
	const struct peak peak = rss_peak(result, run);
	const uint64_t threads = run->exit.is_taken ? run->exit.threads : 1;

	json_open(j, "peak", '{');
	json_number(j, "rss_bytes", peak.bytes);
	json_text(j, "source", peak_source_name(peak.source));
	json_number(j, "error_bytes", peak.error_bytes);
	json_number(j, "statm_bytes", w ? w->statm_bytes : 0);
	json_number(j, "statm_anonymous_bytes", w ? w->statm_anonymous_bytes : 0);
	json_time(j, "statm_time_ns", w ? w->statm_ns : 0);
	json_number(j, "statm_error_bytes", native_statm_error(&result->facts, threads));
	json_number(j, "hwm_bytes", w ? w->hwm_bytes : 0);
	json_number(j, "hwm_error_bytes", native_hwm_error(&result->facts, threads));
	json_number(j, "maxrss_bytes", run->maxrss_bytes);
	json_number(j, "launcher_bytes", run->launcher_bytes);
	json_close(j, '}');
}

static void write_usage(struct json_out *j, const struct sampled *run)
{
	const struct procfs_stat *u = &run->usage;

	json_open(j, "usage", '{');
	json_number(j, "minor_faults", u->minor_faults);
	json_number(j, "major_faults", u->major_faults);
	json_time(j, "user_ns", u->user_ns);
	json_time(j, "system_ns", u->system_ns);
	json_number(j, "children_minor_faults", u->child_minor_faults);
	json_number(j, "children_major_faults", u->child_major_faults);
	json_time(j, "children_user_ns", u->child_user_ns);
	json_time(j, "children_system_ns", u->child_system_ns);
	json_close(j, '}');
}

static void write_sampler(struct json_out *j, const struct sampled *run)
{
	json_open(j, "sampler", '{');
	json_number(j, "samples", run->samples);
	json_time(j, "interval_ns", run->interval_ns);
	json_number(j, "snapshots", run->snapshots);
	json_time(j, "cpu_ns", run->cpu_ns);
	json_share(j, "share_of_a_core", (uint64_t)run->cpu_ns, (uint64_t)run->duration_ns);
	json_number(j, "signal_stops", run->signal_stops);
	json_number(j, "call_stops", run->calls);
	json_number(j, "falls", run->falls);
	if (!run->exit.is_taken)
		json_text(j, "no_exit_snapshot", run->why_no_exit);
	json_close(j, '}');
}

static void write_child(struct json_out *j, const struct watched *w)
{
	json_open(j, NULL, '{');
	json_number(j, "pid", (uint64_t)w->pid);
	json_number(j, "ppid", (uint64_t)w->parent);
	json_text(j, "exe", w->best.is_taken ? w->best.exe : w->exe);
	json_time(j, "first_ns", w->first_ns);
	json_time(j, "last_ns", w->last_ns);
	json_number(j, "samples", w->samples);
	json_number(j, "peak_rss_bytes", watched_peak(w));
	write_snapshot(j, "snapshot", &w->best, watched_peak(w));
	json_close(j, '}');
}

static void write_family(struct json_out *j, const struct family *f)
{
	json_open(j, "tree", '{');
	json_number(j, "processes", f->count + f->unlisted);
	json_number(j, "unlisted", f->unlisted);
	json_number(j, "processes_at_once", f->greatest_processes);
	json_number(j, "peak_rss_bytes", f->peak_rss_bytes);
	json_time(j, "peak_time_ns", f->peak_ns);
	json_number(j, "peak_processes", f->peak_processes);
	json_number(j, "pss_bytes", f->pss_bytes);
	json_time(j, "pss_time_ns", f->pss_ns);
	json_number(j, "rss_at_pss_bytes", f->pss_rss_bytes);
	json_close(j, '}');
	json_open(j, "children", '[');
	for (size_t i = 1; i < f->count; i++)
		write_child(j, f->member[i]);
	json_close(j, ']');
}

static void write_cgroup(struct json_out *j, const struct sampled *run)
{
	json_open(j, "cgroup", '{');
	json_number(j, "memory_peak_before_bytes", run->cgroup_before_bytes);
	json_number(j, "memory_peak_after_bytes", run->cgroup_after_bytes);
	json_close(j, '}');
}

static void write_run(struct json_out *j, const struct rss_result *result,
		      const struct sampled *run)
{
	const struct watched *w = sampled_program(run);
	const struct snapshot none = { .is_taken = false };
	const uint64_t peak = rss_peak(result, run).bytes;

	json_open(j, NULL, '{');
	json_number(j, "pid", (uint64_t)run->pid);
	json_text(j, "exit", rss_end(run));
	json_time(j, "duration_ns", run->duration_ns);
	write_peak(j, result, run);
	write_snapshot(j, "snapshot", w ? &w->best : &none, peak);
	write_snapshot(j, "exit_snapshot", &run->exit, peak);
	if (w && !w->best.is_taken && w->snapshot_error)
		json_text(j, "no_snapshot", strerror(w->snapshot_error));
	write_usage(j, run);
	write_family(j, &run->family);
	write_cgroup(j, run);
	write_sampler(j, run);
	json_close(j, '}');
}

static void write_options(struct json_out *j, const struct rss_result *result)
{
	static const char *const mode[] = { [EXIT_STOP_AUTO] = "auto",
					    [EXIT_STOP_ON] = "on",
					    [EXIT_STOP_OFF] = "off",
					    [EXIT_STOP_FALLS] = "exact-peak" };

	json_open(j, "options", '{');
	json_time(j, "interval_ns", result->options->interval_ns);
	json_text(j, "exit_snapshot", mode[result->options->exit_snapshot]);
	json_number(j, "runs", result->runs);
	json_close(j, '}');
}

void rss_write_json(const struct rss_result *result, FILE *to)
{
	const struct rss_spread spread = rss_spread(result);
	struct json_out j = { .to = to };

	json_open(&j, NULL, '{');
	json_text(&j, "schema", "xalloc-rss/1");
	write_program(&j, result);
	write_environment(&j, &result->facts);
	write_options(&j, result);
	json_open(&j, "peak_rss_bytes", '{');
	json_number(&j, "minimum", spread.minimum);
	json_number(&j, "median", spread.median);
	json_number(&j, "maximum", spread.maximum);
	json_close(&j, '}');
	json_open(&j, "runs", '[');
	for (size_t i = 0; i < result->runs; i++)
		write_run(&j, result, &result->run[i]);
	json_close(&j, ']');
	json_close(&j, '}');
}
