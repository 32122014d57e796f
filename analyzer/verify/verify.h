/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every figure of a trace by a second way, and the integrity of the file. This room shares with the
 * rest of the analyzer only memory and errors (base/), and with the recorder the contract
 * (preload/trace/): its walk over the file, its decoder, its order of events, its map of blocks and
 * its identity of stacks are its own, made differently on purpose. What the report says comes in as
 * a claim of plain numbers.
 */
#ifndef XALLOC_VERIFY_VERIFY_H
#define XALLOC_VERIFY_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/err.h"
#include "analyzer/base/strlist.h"

/* The figures of a trace as a whole, by the names that `summary --json` gives them. */
#define VERIFY_TOTALS(X)                                                                      \
	X(allocation_calls)                                                                   \
	X(allocated_bytes)                                                                    \
	X(free_calls)                                                                         \
	X(foreign_frees)                                                                      \
	X(failed_calls)                                                                       \
	X(freed_blocks)                                                                       \
	X(realloc_frees)                                                                      \
	X(temporary_calls)                                                                    \
	X(leaked_calls)                                                                       \
	X(leaked_bytes)                                                                       \
	X(peak_bytes)                                                                         \
	X(peak_blocks)                                                                        \
	X(peak_time_ns)                                                                       \
	X(duration_ns)                                                                        \
	X(threads)                                                                            \
	X(calls_malloc)                                                                       \
	X(calls_calloc)                                                                       \
	X(calls_realloc)                                                                      \
	X(calls_aligned)                                                                      \
	X(calls_new)                                                                          \
	X(events)                                                                             \
	X(lost_events)                                                                        \
	X(unseen_frees)                                                                       \
	X(untracked_calls)                                                                    \
	X(untracked_frees)                                                                    \
	X(pool_calls)                                                                         \
	X(pool_bytes)

/* The figures of one stack. */
#define VERIFY_STACK(X)                                                                       \
	X(calls)                                                                              \
	X(bytes)                                                                              \
	X(temporary)                                                                          \
	X(leaked_bytes)                                                                       \
	X(leaked_blocks)                                                                      \
	X(peak_bytes)                                                                         \
	X(peak_blocks)

#define VERIFY_FIELD(name) uint64_t name;
struct verify_totals {
	VERIFY_TOTALS(VERIFY_FIELD)
};
struct verify_figures {
	VERIFY_STACK(VERIFY_FIELD)
};
#undef VERIFY_FIELD

struct verify_stack {
	const uint32_t *frame; /* ids, outermost first */
	uint32_t depth;
	struct verify_figures figures;
};

/* What the report says of a trace. */
struct verify_claim {
	struct verify_totals totals;
	/* Gives the distinct stacks one after the other, in any order; false after the last. */
	bool (*next)(void *owner, struct verify_stack *stack);
	/* A stack in words; the caller's, free(). */
	char *(*name)(void *owner, const uint32_t *frame, uint32_t depth);
	void *owner;
};

enum verify_state { VERIFY_OK, VERIFY_FAILED, VERIFY_NOT_CHECKED };

/* One figure for which the two ways differ. */
struct verify_difference {
	const char *figure; /* name as above */
	char *stack;        /* NULL: a figure of the trace as a whole */
	uint64_t report, second;
};

struct verify_check {
	const char *name;
	enum verify_state state;
	char *text;              /* what was looked at, with figures; or why it was not; or of a
				  * failed one what is wrong, the first of the problems or
				  * differences */
	struct strlist problems; /* the first of them */
	uint64_t problem_count;
	struct verify_difference *difference; /* the first of them */
	size_t differences;
	uint64_t difference_count;
};

struct verify_report {
	struct verify_check *check;
	size_t checks;
	bool is_complete; /* nothing is damaged or missing */
};

/* -1: the file cannot be read or is no trace of ours. Release after 0 only. */
int verify_run(struct verify_report *report, const char *path, const struct verify_claim *claim,
	       struct err *err);
void verify_release(struct verify_report *report);
/* A difference in words; the caller's, free(). */
char *verify_difference_text(const struct verify_difference *difference);
/* None failed. */
bool verify_holds(const struct verify_report *report);

#endif
