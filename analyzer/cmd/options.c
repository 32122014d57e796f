/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/options.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/quantity.h"
#include "analyzer/cmd/filters.h"
#include "analyzer/report/metric.h"

/* What to do with an option: its own function, or a member of struct options by its kind. */
enum option_kind { OPTION_SET, OPTION_FLAG, OPTION_TEXT };

struct option_def {
	const char *name;
	char letter; /* 0: none */
	bool is_common; /* of every command; else of those that name it in `takes` */
	enum option_kind kind; /* OPTION_FLAG takes no value, the others do */
	size_t member; /* OPTION_FLAG: a bool, OPTION_TEXT: a const char * */
	int (*set)(struct options *options, const char *text, struct err *err);
};

#define KEY_FIRST 256 /* getopt's value for the first option of the table */

/* Is it one of the words of a list with a blank between each? list NULL: no. */
static bool has_word(const char *list, const char *word)
{
	const size_t length = strlen(word);

	for (const char *at = list; at; at = strchr(at, ' ')) {
		at += *at == ' ';
		if (!strncmp(at, word, length) && (!at[length] || at[length] == ' '))
			return true;
	}
	return false;
}

/* needs: as in struct command. */
static bool needs_option(const char *needs, const struct option_def *def)
{
	const char letter[] = { '-', def->letter, '\0' };
	char *name = xasprintf("--%s", def->name);
	const bool is_needed = (def->letter && has_word(needs, letter)) || has_word(needs, name);

	free(name);
	return is_needed;
}

static const struct command *find_command(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

static void add_path(struct options *options, const char *path)
{
	struct path_list *side = options->side;

	if (side) {
		side->path = xreallocarray(side->path, side->count + 1, sizeof(*side->path));
		side->path[side->count++] = path;
		return;
	}
	options->path = xreallocarray(options->path, options->paths + 1, sizeof(*options->path));
	options->path[options->paths++] = path;
}

/* The first word may be a command, which a verb of its own may follow, or `help`, which a command
 * may follow. */
static int add_word(struct options *options, const char *word, struct err *err)
{
	const struct command *command = find_command(word);
	const bool is_first = !options->has_command && !options->paths;

	if (options->has_command && !options->verb && !options->paths &&
	    has_word(options->command->verbs, word)) {
		options->verb = word;
	} else if (is_first && !options->is_help_word && !strcmp(word, "help")) {
		options->is_help = true;
		options->is_help_word = true;
	} else if (!command && is_first && !options->is_help_word &&
		   !strpbrk(word, "/.") && access(word, F_OK)) {
		return err_set(err, "%s is neither a command nor a file (--help lists the "
			       "commands)", word);
	} else if (!command || options->side) {
		add_path(options, word);
	} else if (is_first) {
		options->command = command;
		options->has_command = true;
	} else {
		return err_set(err, "%s is a command, and only the first word may be one (a trace "
			       "of that name is given as ./%s)", word, word);
	}
	return 0;
}

/* The first trace of a side; the words behind it are of that side, too. */
static int begin_old(struct options *options, const char *text, struct err *err)
{
	(void)err;
	options->side = &options->old;
	add_path(options, text);
	return 0;
}

static int add_rss(struct options *options, const char *text, struct err *err)
{
	(void)err;
	options->rss.path = xreallocarray(options->rss.path, options->rss.count + 1,
					  sizeof(*options->rss.path));
	options->rss.path[options->rss.count++] = text;
	return 0;
}

static int add_mark_function(struct options *options, const char *text, struct err *err)
{
	(void)err;
	options->mark_function.path = xreallocarray(options->mark_function.path, options->mark_function.count + 1,
					  sizeof(*options->mark_function.path));
	options->mark_function.path[options->mark_function.count++] = text;
	return 0;
}

static int begin_new(struct options *options, const char *text, struct err *err)
{
	(void)err;
	options->side = &options->new;
	add_path(options, text);
	return 0;
}

/* Digits only; what strtoull takes beyond them is no number of ours. */
static bool read_number(const char *text, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

static int set_top(struct options *options, const char *text, struct err *err)
{
	if (!read_number(text, &options->top))
		return err_set(err, "--top: %s is not a number of stacks (0: all)", text);
	options->has_top = true;
	return 0;
}

static int set_snapshot(struct options *options, const char *text, struct err *err)
{
	options->has_snapshot = true;
	if (!read_number(text, &options->snapshot))
		return err_set(err, "--snapshot: %s is not the number of one", text);
	return 0;
}

static int set_metric(struct options *options, const char *text, struct err *err)
{
	options->metric = metric_find(text);
	options->has_metric = true;
	if (options->metric == METRIC_COUNT)
		return err_set(err, "--metric: %s is none of peak, calls, bytes, leaked, temporary",
			       text);
	return 0;
}

static int set_mem_limit(struct options *options, const char *text, struct err *err)
{
	if (!read_number(text, &options->mem_limit) || !options->mem_limit)
		return err_set(err, "--mem-limit: %s is not a number of bytes", text);
	return 0;
}

static int set_demangle(struct options *options, const char *text, struct err *err)
{
	options->demangle = !strcmp(text, "yes");
	if (!options->demangle && strcmp(text, "no"))
		return err_set(err, "--demangle: %s is neither yes nor no", text);
	return 0;
}

static int set_color(struct options *options, const char *text, struct err *err)
{
	if (!strcmp(text, "auto"))
		options->color = COLOR_AUTO;
	else if (!strcmp(text, "always"))
		options->color = COLOR_ALWAYS;
	else if (!strcmp(text, "never"))
		options->color = COLOR_NEVER;
	else
		return err_set(err, "--color: %s is none of auto, always, never", text);
	return 0;
}

static int add_debug_dir(struct options *options, const char *text, struct err *err)
{
	(void)err;
	options->debug_dir = xreallocarray(options->debug_dir, options->debug_dirs + 1,
					   sizeof(*options->debug_dir));
	options->debug_dir[options->debug_dirs++] = text;
	return 0;
}

/* A wrong one would only leave all names out. */
static int set_sysroot(struct options *options, const char *text, struct err *err)
{
	struct stat status;

	options->sysroot = text;
	if (stat(text, &status) || !S_ISDIR(status.st_mode))
		return err_set(err, "--sysroot: %s is not a directory", text);
	return 0;
}

/* One that is damaged is not used, with a warning. */
static int set_symbols(struct options *options, const char *text, struct err *err)
{
	options->symbols = text;
	return access(text, R_OK) ? err_set(err, "--symbols: %s: %s", text, strerror(errno)) : 0;
}

/* One or both, with a comma. */
static int set_drop(struct options *options, const char *text, struct err *err)
{
	static const char addresses[] = "addresses", stamps[] = "stamps";
	const char *at = text;

	for (;;) {
		const size_t length = strcspn(at, ",");

		if (length == strlen(addresses) && !strncmp(at, addresses, length))
			options->drops_addresses = true;
		else if (length == strlen(stamps) && !strncmp(at, stamps, length))
			options->drops_stamps = true;
		else
			return err_set(err, "--drop: %.*s is neither addresses nor stamps",
				       (int)length, at);
		if (!at[length])
			return 0;
		at += length + 1;
	}
}

static int set_thread(struct options *options, const char *text, struct err *err)
{
	struct selection_rule *rule = &options->selection;
	uint64_t thread = 0;

	rule->has_thread = true;
	rule->thread_name = read_number(text, &thread) ? NULL : text;
	if (!rule->thread_name && thread > UINT32_MAX)
		return err_set(err, "--thread: %s is no thread's number (threads lists them)", text);
	rule->thread = (uint32_t)thread;
	return 0;
}

static int set_time(const char *option, const char *text, bool *has, uint64_t *ns, struct err *err)
{
	*has = true;
	if (!quantity_time(text, ns))
		return err_set(err, "--%s: %s is not a time: nanoseconds, or with s, ms, us or ns "
			       "behind it, 1.5s", option, text);
	return 0;
}

static int set_from(struct options *options, const char *text, struct err *err)
{
	return set_time("from", text, &options->selection.has_from, &options->selection.from, err);
}

static int set_to(struct options *options, const char *text, struct err *err)
{
	return set_time("to", text, &options->selection.has_to, &options->selection.to, err);
}

static int set_at(struct options *options, const char *text, struct err *err)
{
	return set_time("at", text, &options->selection.has_at, &options->selection.at, err);
}

static int set_size(struct options *options, const char *text, struct err *err)
{
	struct selection_rule *rule = &options->selection;

	rule->has_size = true;
	if (!quantity_range(text, &rule->least, &rule->most))
		return err_set(err, "--size: %s is none of BYTES, MIN-MAX, MIN- and -MAX", text);
	return 0;
}

#define FLAG(m) .kind = OPTION_FLAG, .member = offsetof(struct options, m)
#define TEXT(m) .kind = OPTION_TEXT, .member = offsetof(struct options, m)

static const struct option_def option_defs[] = {
	{ "json", .is_common = true, FLAG(is_json) },
	{ "top", .is_common = true, .set = set_top },
	{ "demangle", .is_common = true, .set = set_demangle },
	{ "debug-dir", .is_common = true, .set = add_debug_dir },
	{ "sysroot", .is_common = true, .set = set_sysroot },
	{ "debuginfod", .is_common = true, FLAG(has_debuginfod) },
	{ "symbols", .is_common = true, .set = set_symbols },
	{ "no-cache", .is_common = true, FLAG(has_no_cache) },
	{ "color", .is_common = true, .set = set_color },
	{ "mem-limit", .is_common = true, .set = set_mem_limit },
	{ "strict", .is_common = true, FLAG(is_strict) },
	{ "help", 'h', .is_common = true, FLAG(is_help) },
	{ "version", .is_common = true, FLAG(is_version) },
	{ "metric", .set = set_metric },
	{ "full-names", FLAG(has_full_names) },
	{ "fold-std", FLAG(folds_std) },
	{ "largest", FLAG(is_largest_only) },
	{ "output", 'o', TEXT(out) },
	{ "drop", .set = set_drop },
	{ "n1", TEXT(work[0]) },
	{ "n2", TEXT(work[1]) },
	{ "n3", TEXT(work[2]) },
	{ "n4", TEXT(work[3]) },
	{ "n5", TEXT(work[4]) },
	{ "n6", TEXT(work[5]) },
	{ "n7", TEXT(work[6]) },
	{ "n8", TEXT(work[7]) },
	{ "n9", TEXT(work[8]) },
	{ "old", .set = begin_old },
	{ "new", .set = begin_new },
	{ "rules", TEXT(rules) },
	{ "explain", TEXT(explain) },
	{ "snapshot", .set = set_snapshot },
	{ "suppress", TEXT(suppress) },
	{ "rss", .set = add_rss },
	{ "mark-function", .set = add_mark_function },
	{ "svg", FLAG(is_svg) },
	{ "thread", .set = set_thread },
	{ "from", .set = set_from },
	{ "to", .set = set_to },
	{ "at", .set = set_at },
	{ "size", .set = set_size },
	{ "function", TEXT(function) },
	{ "module", TEXT(module) },
	{ "group", TEXT(group) },
	{ "budget", TEXT(budget) },
	{ "baseline", TEXT(baseline) },
	{ "allow-signal", FLAG(allows_signal) },
	{ "junit", TEXT(junit) },
	{ "sarif", TEXT(sarif) },
	{ "markdown", TEXT(markdown) },
	{ "github", FLAG(is_github) },
	{ "source-root", TEXT(source_root) },
	{ "sensitivity", FLAG(is_sensitivity) },
	{ "factor", TEXT(factor) },
	{ "max-size", TEXT(max_size) },
	{ "anonymize", FLAG(is_anonymous) },
};
#define OPTION_DEFS (sizeof(option_defs) / sizeof(option_defs[0]))

/* The table as getopt_long wants it: option i has the value KEY_FIRST + i, or its letter. */
static void make_getopt_tables(struct option *longs, char *letters)
{
	*letters++ = '-'; /* words come in their place: a command is told from a path behind `--` */
	*letters++ = ':';
	for (size_t i = 0; i < OPTION_DEFS; i++) {
		const struct option_def *def = &option_defs[i];

		longs[i] = (struct option){
			.name = def->name,
			.has_arg = def->kind == OPTION_FLAG ? no_argument : required_argument,
			.val = KEY_FIRST + (int)i,
		};
		if (def->letter)
			*letters++ = def->letter;
		if (def->letter && def->kind != OPTION_FLAG)
			*letters++ = ':';
	}
	longs[OPTION_DEFS] = (struct option){ .name = NULL };
	*letters = '\0';
}

/* key: as getopt_long returned it, of an option of the table. */
static size_t find_option(int key)
{
	size_t i = 0;

	if (key >= KEY_FIRST)
		return (size_t)(key - KEY_FIRST);
	while (option_defs[i].letter != key)
		i++;
	return i;
}

static int set_option(struct options *options, const struct option_def *def, struct err *err)
{
	void *member = (char *)options + def->member;

	if (def->kind == OPTION_FLAG) {
		*(bool *)member = true;
		return 0;
	}
	if (!*optarg)
		return err_set(err, "--%s needs a value", def->name);
	if (def->kind == OPTION_SET)
		return def->set(options, optarg, err);
	*(const char **)member = optarg;
	return 0;
}

static int set_getopt_error(int key, const char *word, struct err *err)
{
	if (key == ':')
		return err_set(err, "%s needs a value", word);
	if (optopt && optopt < KEY_FIRST)
		return err_set(err, "unknown option -%c (--help lists them)", optopt);
	if (optopt)
		return err_set(err, "%s takes no value", word);
	return err_set(err, "unknown option %s (--help lists them)", word);
}

/* An option that the command does not take: the line names those that do, or says why. */
static int set_foreign_option(const struct command *command, const struct option_def *def,
			      struct err *err)
{
	char *takers = NULL;
	int ret;

	if (command->no_filter && has_word(FILTER_OPTIONS, def->name) && strcmp(def->name, "rules"))
		return err_set(err, "--%s: %s takes no filters: %s", def->name, command->name,
			       command->no_filter);

	for (const struct command *c = commands; c->name; c++) {
		char *longer;

		if (!has_word(c->takes, def->name))
			continue;
		longer = xasprintf("%s%s%s", takers ? takers : "", takers ? ", " : "", c->name);
		free(takers);
		takers = longer;
	}
	ret = err_set(err, "%s%s is an option of %s", def->letter ? "-" : "--",
		      def->letter ? (char[]){ def->letter, '\0' } : def->name, takers);
	free(takers);
	return ret;
}

/* given: whether each option of the table was. */
static int check_use(const struct options *options, const bool *given, struct err *err)
{
	const struct command *command = options->command;

	for (size_t i = 0; i < OPTION_DEFS; i++)
		if (given[i] && !option_defs[i].is_common &&
		    !has_word(command->takes, option_defs[i].name))
			return set_foreign_option(command, &option_defs[i], err);
	if (command->verbs && !options->verb)
		return err_set(err, "%s needs one of these words behind it: %s", command->name,
			       command->verbs);
	if (!options->paths && !options->side)
		return err_set(err, "no trace is given (--help shows how)");
	for (size_t i = 0; command->needs && i < OPTION_DEFS; i++)
		if (!given[i] && needs_option(command->needs, &option_defs[i]))
			return err_set(err, "%s needs %s", command->name, command->needs);
	if (options->paths < command->min_paths ||
	    (command->max_paths && options->paths > command->max_paths))
		return err_set(err, "%s takes %s", command->name,
			       command->max_paths == 1 ? "one trace" : command->arguments);
	if (options->is_json && options->paths > 1 && !command->is_one_object)
		return err_set(err, "--json prints one object: give it one trace");
	return 0;
}

int options_parse(struct options *options, int argc, char **argv, struct err *err)
{
	struct option longs[OPTION_DEFS + 1];
	char letters[2 * OPTION_DEFS + 3];
	bool given[OPTION_DEFS] = { false };
	struct err first = { .text = "" };
	bool is_wrong = false;
	int key;

	*options = (struct options){ .command = commands, .demangle = true, .top = 10 };
	make_getopt_tables(longs, letters);
	opterr = 0;
	while ((key = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		struct err this;
		int ret = 0;

		if (key == 1) {
			ret = add_word(options, optarg, &this);
		} else if (key == '?' || key == ':') {
			ret = set_getopt_error(key, argv[optind - 1], &this);
		} else {
			const size_t i = find_option(key);

			given[i] = true;
			ret = set_option(options, &option_defs[i], &this);
		}
		if (ret && !is_wrong) {
			first = this;
			is_wrong = true;
		}
	}
	for (; optind < argc; optind++)
		add_path(options, argv[optind]);
	if (options->is_help_word && options->paths)
		return err_set(err, "help: %s is not a command (--help lists them)", options->path[0]);
	/* The options of a command that is not built are not known either. */
	if (!options->command->run || options->is_help || options->is_version)
		return 0;
	if (is_wrong) {
		*err = first;
		return -1;
	}
	return check_use(options, given, err);
}

void options_release(struct options *options)
{
	free(options->path);
	free(options->old.path);
	free(options->new.path);
	free(options->rss.path);
	free(options->mark_function.path);
	free(options->debug_dir);
	options->path = NULL;
}
