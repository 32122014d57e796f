/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/rss/sampler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "preload/launch/broker.h"
#include "preload/launch/run.h"
#include "preload/launch/budget.h"
#include "preload/sys/machine.h"

#define TOTAL_SHARE 17         /* per mille of a core, */
#define TOTAL_FIRST_NS 3000000 /* and at the beginning, besides */
#define SAMPLES_SHARE 9        /* at least, and what the others leave */
#define SAMPLES_SHARE_MOST 16
#define SNAPSHOTS_SHARE 5
#define SUMS_SHARE 3 /* PSS of all processes */
#define SEARCHES_SHARE 2
#define SNAPSHOTS_FIRST_NS 2000000 /* at the beginning, besides */
#define OTHERS_FIRST_NS 500000
#define PAGE_NS 80 /* of smaps, for each further page that is resident: found by measuring */
#define GROWING_PART 4
#define CHILDREN_PART 4 /* a breakdown of a child may take so much less of the budget */
#define EXIT_NS 5000000 /* a breakdown at the program's end may always take so much */
#define FALL_PART 500   /* a breakdown before memory is given back has so much more than the best */
#define FALL_BYTES 32768
#define SAMPLES_FIRST 3 /* before the first breakdown */
#define ADAPT_SAMPLES 16
#define PEAK_NS 100000000 /* between readings of VmHWM */

struct sampler {
	struct sampled *result;
	struct exit_stop stop;
	struct snapshot scratch;
	struct budget samples, snapshots, sums, searches, stops; /* stops has no limit */
	struct timespec start;
	bool has_started, has_family;
	int64_t interval_ns, due_ns, peak_due_ns;
	int64_t wanted_interval_ns;
	int64_t search_cost, sum_cost; /* of the latest */
	int64_t otherwise; /* spent for other things than samples, at the latest adapt */
	int64_t cpu_start;
};

static int64_t now_of(const struct sampler *s)
{
	struct timespec now;

	if (!s->has_started)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)(now.tv_sec - s->start.tv_sec) * 1000000000 + now.tv_nsec -
	       s->start.tv_nsec;
}

static struct family *family_of(const struct sampler *s)
{
	return &s->result->family;
}

static int take_snapshot(struct sampler *s, struct watched *w)
{
	struct snapshot *const scratch = &s->scratch;
	int error;

	budget_begin(&s->snapshots);
	error = watched_snapshot(w, now_of(s), scratch);
	w->snapshot_ns = scratch->took_ns = budget_end(&s->snapshots);
	w->snapshot_bytes = error ? 0 : scratch->rss_bytes;
	w->snapshot_error = error == -EACCES || error == -EPERM ? -error : 0;
	s->result->snapshots += error == 0;
	if (!error && (!w->best.is_taken || scratch->rss_bytes > w->best.rss_bytes))
		watched_keep(&w->best, scratch);
	return error;
}

/* What a breakdown will take: as the latest one, and more for what has come since. */
static int64_t snapshot_cost(const struct watched *w)
{
	const uint64_t more =
		w->rss_bytes > w->snapshot_bytes ? w->rss_bytes - w->snapshot_bytes : 0;

	return w->snapshot_ns + (int64_t)(more / 4096) * PAGE_NS;
}

/*
 * Is it worth a breakdown? All of the budget that is left may go into one with a quarter more than
 * the best one, where it stays so or begins to fall. Where it grows a better one may come soon: for
 * that, for less, or for a child, it must be a smaller part of the budget.
 */
static bool is_worth(const struct sampler *s, const struct watched *w, int64_t now)
{
	const uint64_t best = w->best.rss_bytes, more = w->rss_bytes - best;
	double part = best ? 4 * (double)more / (double)best : 1;

	if (part > 1)
		part = 1;
	if (!w->is_level)
		part /= GROWING_PART;
	if (w->pid != s->result->pid)
		part /= CHILDREN_PART;
	return budget_allows(&s->snapshots, now, (int64_t)((double)snapshot_cost(w) / part));
}

/* It is only beginning, and a short one has its breakdown at its exit. */
static bool is_new(const struct sampler *s, const struct watched *w)
{
	return w->pid == s->stop.held && w->samples < SAMPLES_FIRST;
}

/* A sum means something while nothing moves. */
static bool is_sum_worth(const struct sampler *s, const struct family *f, int64_t now)
{
	const int64_t cost = s->sum_cost ? s->sum_cost : (int64_t)(f->rss_bytes / 4096) * PAGE_NS;

	return f->rss_bytes > f->pss_rss_bytes &&
	       budget_allows(&s->sums, now, f->is_level ? cost : 8 * cost);
}

/* Of each member that is higher than its best breakdown, as far as the budget allows. */
static void take_snapshots(struct sampler *s, int64_t now)
{
	struct family *f = family_of(s);

	for (size_t i = 0; i < f->count; i++) {
		struct watched *w = f->member[i];

		if (w->statm >= 0 && w->rss_bytes > w->best.rss_bytes && !w->snapshot_error &&
		    !is_new(s, w) && is_worth(s, w, now))
			take_snapshot(s, w);
	}
	if (f->living > 1 && is_sum_worth(s, f, now)) {
		budget_begin(&s->sums);
		family_read_pss(f, now);
		s->sum_cost = budget_end(&s->sums);
	}
}

static void search(struct sampler *s, int64_t now)
{
	if (!family_has_news(family_of(s)) || !budget_allows(&s->searches, now, s->search_cost))
		return;
	budget_begin(&s->searches);
	family_search(family_of(s), now);
	s->search_cost = budget_end(&s->searches);
}

/* Of what others than samples have left of the total up to now, their share. */
static int64_t samples_share(int64_t otherwise, int64_t now)
{
	const int64_t more = otherwise - TOTAL_FIRST_NS;
	const int64_t others = more > 0 && now > 0 ? more * 1000 / now : 0;

	if (others > TOTAL_SHARE - SAMPLES_SHARE)
		return SAMPLES_SHARE;
	return others < TOTAL_SHARE - SAMPLES_SHARE_MOST ? SAMPLES_SHARE_MOST
							 : TOTAL_SHARE - others;
}

/* What samples cost, waking up for them included, is their share of the interval. */
static void adapt(struct sampler *s, int64_t now)
{
	const int64_t otherwise =
		s->snapshots.spent + s->sums.spent + s->searches.spent + s->stops.spent;
	const int64_t took = budget_end(&s->samples) - (otherwise - s->otherwise);

	budget_begin(&s->samples);
	s->otherwise = otherwise;
	s->interval_ns = took / ADAPT_SAMPLES * 1000 / samples_share(otherwise, now);
	if (s->interval_ns < s->wanted_interval_ns)
		s->interval_ns = s->wanted_interval_ns;
}

static void sample(struct sampler *s, int64_t now)
{
	struct family *f = family_of(s);

	search(s, now);
	family_sample(f, now);
	s->result->samples++;
	take_snapshots(s, now);
	if (now >= s->peak_due_ns) {
		watched_read_peak(f->member[0]);
		s->peak_due_ns = now + PEAK_NS;
	}
	if (s->result->samples % ADAPT_SAMPLES == 0)
		adapt(s, now);
}

/* What the breakdown at the program's end would take now. */
static int64_t exit_cost(const struct sampler *s)
{
	return s->stop.why_not ? 0 : snapshot_cost(s->result->family.member[0]);
}

/*
 * Whatever took it: not before all that was taken is the total's share, with what the end will
 * take; but for that half of the share at most is kept.
 */
static int64_t when_due(const struct sampler *s, int64_t now)
{
	const int64_t took = budget_cpu() - s->cpu_start - TOTAL_FIRST_NS, at_exit = exit_cost(s);
	const int64_t share = (took + (at_exit < took ? at_exit : took)) / TOTAL_SHARE * 1000;
	const int64_t next = now + s->interval_ns;

	return share > next ? share : next;
}

static int64_t on_tick(void *self)
{
	struct sampler *s = self;
	int64_t now = now_of(s);

	if (s->has_family && now >= s->due_ns) {
		sample(s, now);
		s->due_ns = when_due(s, now);
		now = now_of(s);
	}
	return s->due_ns > now ? s->due_ns - now : 0;
}

static void on_fork(void *self, pid_t pid)
{
	struct sampler *s = self;

	exit_stop_seize(&s->stop, pid);
}

/*
 * At the program's end a breakdown may cost more than the budget has, unless that is much and the
 * best one has as much in it.
 */
static bool is_exit_worth(const struct sampler *s, const struct watched *w, unsigned lived_on)
{
	const int64_t cost = snapshot_cost(w);

	if (budget_allows(&s->snapshots, now_of(s), cost))
		return true;
	if (lived_on)
		return false;
	return s->stop.mode == EXIT_STOP_ON || s->stop.mode == EXIT_STOP_FALLS || cost < EXIT_NS ||
	       w->best.rss_bytes < w->rss_bytes - w->rss_bytes / 100;
}

/* A thread is about to end; the process has all its memory. */
static void at_exit(struct sampler *s)
{
	struct sampled *r = s->result;
	const pid_t ends = s->stop.held;
	struct watched *w = s->has_family ? r->family.member[0] : NULL;
	pid_t next;
	const unsigned lived_on = exit_stop_lives_on(&s->stop, &next);

	if (w && watched_sample(w, now_of(s)) && !is_exit_worth(s, w, lived_on)) {
		watched_read_peak(w);
		r->why_no_exit = "the best breakdown has as much, and the budget has no other one";
	} else if (w && take_snapshot(s, w) == 0) {
		struct snapshot *const best = &w->best;

		s->scratch.is_exit = true;
		s->scratch.exit_thread = ends;
		s->scratch.lived_on = lived_on;
		watched_keep(&r->exit, &s->scratch);
		if (best->time_ns == r->exit.time_ns)
			watched_keep(best, &s->scratch);
	}
	exit_stop_resume(&s->stop, next);
}

/* Its memory is at a local maximum: nothing of it is lost since. */
static void at_fall(struct sampler *s, pid_t thread)
{
	struct watched *w = s->has_family ? family_of(s)->member[0] : NULL;

	if (w && watched_sample(w, now_of(s)) && !w->snapshot_error &&
	    w->rss_bytes >= w->best.rss_bytes + w->best.rss_bytes / FALL_PART + FALL_BYTES)
		take_snapshot(s, w);
	exit_stop_go_on(&s->stop, thread);
}

static int on_stop(void *self, pid_t pid, int status)
{
	struct sampler *s = self;
	enum exit_stop_event event;
	int number;

	budget_begin(&s->stops);
	event = exit_stop_handle(&s->stop, pid, status, now_of(s), &number);
	budget_end(&s->stops);
	if (event == EXIT_STOP_EXIT)
		at_exit(s);
	else if (event == EXIT_STOP_FALL)
		at_fall(s, pid);
	return event == EXIT_STOP_STOPPED ? number : 0;
}

/* It is there as a zombie: its counters are complete. */
static void on_end(void *self)
{
	struct sampler *s = self;
	struct sampled *r = s->result;
	char of[PROCFS_PATH_BYTES];
	struct rusage usage;
	siginfo_t info;

	r->duration_ns = now_of(s);
	snprintf(of, sizeof(of), "/proc/%d", (int)r->pid);
	r->has_usage = procfs_stat(&r->usage, of) == 0;
	/* as wait4, which would reap it */
	if (syscall(SYS_waitid, P_PID, r->pid, &info, WEXITED | WNOHANG | WNOWAIT, &usage) == 0)
		r->maxrss_bytes = (uint64_t)usage.ru_maxrss * 1024;
}

static uint64_t cgroup_peak(void)
{
	char text[64];

	return machine_cgroup("memory.peak", text, sizeof(text)) == 0 ? strtoull(text, NULL, 10)
								      : 0;
}

/* What a fork of ours begins with. */
static uint64_t own_peak(void)
{
	struct procfs_status status;

	return procfs_status(&status, "/proc/self") == 0 ? status.peak_bytes : 0;
}

static void start(struct sampler *s)
{
	clock_gettime(CLOCK_MONOTONIC, &s->start);
	s->has_started = true;
	s->cpu_start = s->samples.began = budget_cpu();
	s->has_family = family_init(family_of(s), s->result->pid, 0);
	if (s->has_family)
		family_of(s)->latest = 0;
}

static void finish(struct sampler *s)
{
	struct sampled *r = s->result;

	r->interval_ns = s->interval_ns;
	r->cpu_ns = budget_cpu() - s->cpu_start;
	r->signal_stops = s->stop.signal_stops;
	r->calls = s->stop.calls;
	r->falls = s->stop.falls;
	if (s->stop.why_not)
		r->why_no_exit = s->stop.why_not;
	r->cgroup_after_bytes = cgroup_peak();
	if (!r->exit.is_taken && !r->why_no_exit)
		r->why_no_exit = "the program was killed, or ended in another thread's exec";
	if (s->has_family)
		family_close(&r->family);
	breakdown_release(&s->scratch.breakdown);
	free(s->scratch.exe);
}

int sampler_run(struct sampled *result, const struct sampler_options *options, const char *path,
		char **argv, char **sh_argv, char **environment)
{
	struct sampler s = { .result = result,
			     .snapshots = { SNAPSHOTS_SHARE, SNAPSHOTS_FIRST_NS, 0, 0 },
			     .sums = { SUMS_SHARE, OTHERS_FIRST_NS, 0, 0 },
			     .searches = { SEARCHES_SHARE, OTHERS_FIRST_NS, 0, 0 },
			     .interval_ns = options->interval_ns,
			     .wanted_interval_ns = options->interval_ns };
	const struct run_watch watch = {
		.self = &s, .forked = on_fork, .tick = on_tick, .stopped = on_stop, .ended = on_end
	};
	pid_t pid;

	memset(result, 0, sizeof(*result));
	exit_stop_init(&s.stop, options->exit_snapshot, options->why_no_exit);
	result->launcher_bytes = own_peak();
	result->cgroup_before_bytes = cgroup_peak();
	pid = run_start(path, argv, sh_argv, environment, &watch);
	if (pid < 0)
		return pid;
	result->pid = pid;
	if (options->is_last) {
		run_release_descriptors(0);
		broker_start(); /* there is none: its descriptors, too */
	}
	start(&s);
	exit_stop_begin(&s.stop);
	result->status = run_wait(pid, &watch);
	finish(&s);
	return 0;
}

void sampled_release(struct sampled *s)
{
	family_release(&s->family);
	free(s->exit.exe);
	breakdown_release(&s->exit.breakdown);
	memset(s, 0, sizeof(*s));
}

const struct watched *sampled_program(const struct sampled *s)
{
	return s->family.count ? s->family.member[0] : NULL;
}
