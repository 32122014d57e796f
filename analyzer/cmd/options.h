/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line of xalloc-report, and the table of its commands. */
#ifndef XALLOC_CMD_OPTIONS_H
#define XALLOC_CMD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/err.h"
#include "analyzer/model/result.h"
#include "analyzer/model/selection.h"

/* Exit statuses, see docs/reports.md. */
enum status {
	STATUS_DONE = 0,
	STATUS_OVER = 1, /* budget exceeded, verify failed */
	STATUS_UNUSABLE = 2, /* usage, unreadable input, output that cannot be written */
	STATUS_NOT_COMPARABLE = 3,
	STATUS_NOT_COMPLETE = 4 /* the trace is damaged or incomplete, with --strict */
};

struct options;

struct command {
	const char *name;
	const char *arguments; /* for the usage line, behind the name */
	const char *what; /* one line for --help */
	const char *help; /* its own options, lines for --help; NULL: none, or not built yet */
	enum status (*run)(const struct options *options); /* NULL: not built yet */
	const char *takes; /* its own options, long names with a blank between; NULL: none */
	const char *no_filter; /* why it takes no filters; NULL: it does, or is not built */
	const char *needs; /* of those: what must be given, "-o SMALL"; NULL: none */
	const char *verbs; /* one of these words must follow its name; NULL: none */
	unsigned min_paths, max_paths; /* traces and other files; 0: 1, and any number */
	bool suppresses; /* what --suppress takes is in no result; else the command reads it itself */
	bool is_one_object; /* --json is one object whatever number of traces is given */
};

/* The first is what runs without a command; an entry without a name ends the table. */
extern const struct command commands[];

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct path_list {
	const char **path; /* texts of argv */
	size_t count;
};

struct options {
	const struct command *command;
	bool has_command; /* it was named */
	const char *verb; /* the word behind it; NULL: it takes none */
	const char **path; /* the traces, texts of argv */
	size_t paths;
	bool is_help, is_version;
	bool is_help_word; /* it was asked for as a command */
	bool is_json, is_strict, has_full_names, folds_std, is_largest_only;
	bool demangle;
	const char **debug_dir; /* texts of argv, in their order */
	size_t debug_dirs;
	const char *sysroot; /* NULL: none */
	bool has_debuginfod;
	const char *symbols; /* a bundle; NULL: the one beside the trace */
	bool has_no_cache;
	bool has_snapshot;
	uint64_t snapshot; /* of resident and pinners */
	enum color color;
	bool has_top;
	uint64_t top; /* 0: all */
	const char *out; /* NULL: none */
	struct path_list old, new; /* --old and --new: what stands behind each */
	struct path_list *side; /* that words belong to now; NULL: to path */
	struct path_list mark_function; /* --mark-function, each time it was given */
	struct path_list rss; /* --rss, each time it was given */
	bool is_svg;
	const char *work[9]; /* --n1 to --n9; NULL: none */
	const char *rules, *explain, *suppress; /* NULL: none */
	struct selection_rule selection; /* --thread, --size, --from, --to, --at */
	const char *function, *module, *group; /* NULL: none */
	const char *budget, *baseline, *factor; /* NULL: none */
	const char *junit, *sarif, *markdown; /* files to be written; NULL: none */
	const char *source_root; /* NULL: the working directory */
	bool is_github, allows_signal, is_sensitivity;
	const char *max_size; /* of a piece of evidence; NULL: as it is usual */
	bool is_anonymous;
	bool drops_addresses, drops_stamps;
	uint64_t mem_limit; /* bytes; 0: none */
	bool has_metric;
	enum metric metric;
};

/*
 * Reads a command line into options, defaults included; options may stand anywhere, `--` ends them.
 * Returns -1 with a line in err when it is wrong in itself; whether the command takes what was
 * given is checked too, but not for a command that is not built. Release either way.
 */
int options_parse(struct options *options, int argc, char **argv, struct err *err);
void options_release(struct options *options);

#endif
