/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/mem.h"
#include "analyzer/report/metric.h"

enum option_key {
	KEY_JSON = 256,
	KEY_TOP,
	KEY_METRIC,
	KEY_DEMANGLE,
	KEY_DEBUG_DIR,
	KEY_COLOR,
	KEY_FULL_NAMES,
	KEY_MEM_LIMIT,
	KEY_STRICT,
	KEY_DROP,
	KEY_VERSION
};

static const struct option long_options[] = {
	{ "json", no_argument, NULL, KEY_JSON },
	{ "top", required_argument, NULL, KEY_TOP },
	{ "metric", required_argument, NULL, KEY_METRIC },
	{ "demangle", required_argument, NULL, KEY_DEMANGLE },
	{ "debug-dir", required_argument, NULL, KEY_DEBUG_DIR },
	{ "color", required_argument, NULL, KEY_COLOR },
	{ "full-names", no_argument, NULL, KEY_FULL_NAMES },
	{ "mem-limit", required_argument, NULL, KEY_MEM_LIMIT },
	{ "strict", no_argument, NULL, KEY_STRICT },
	{ "output", required_argument, NULL, 'o' },
	{ "drop", required_argument, NULL, KEY_DROP },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, KEY_VERSION },
	{ NULL, 0, NULL, 0 },
};

static const struct command *find_command(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

static void add_path(struct options *options, const char *path)
{
	options->path = xreallocarray(options->path, options->paths + 1, sizeof(*options->path));
	options->path[options->paths++] = path;
}

/* The first word may be a command, or `help`, which one may follow. */
static int add_word(struct options *options, const char *word, struct err *err)
{
	const struct command *command = find_command(word);
	const bool is_first = !options->has_command && !options->paths;

	if (is_first && !options->is_help_word && !strcmp(word, "help")) {
		options->is_help = true;
		options->is_help_word = true;
	} else if (!command && is_first && !options->is_help_word &&
		   !strpbrk(word, "/.") && access(word, F_OK)) {
		return err_set(err, "%s is neither a command nor a file (--help lists the "
			       "commands)", word);
	} else if (!command) {
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

static int set_option(struct options *options, int key, const struct option *option,
		      struct err *err)
{
	if (option && option->has_arg && !*optarg)
		return err_set(err, "--%s needs a value", option->name);
	switch (key) {
	case KEY_JSON:
		options->is_json = true;
		return 0;
	case KEY_TOP:
		return set_top(options, optarg, err);
	case KEY_METRIC:
		return set_metric(options, optarg, err);
	case KEY_DEMANGLE:
		return set_demangle(options, optarg, err);
	case KEY_DEBUG_DIR:
		options->debug_dir = optarg;
		return 0;
	case KEY_COLOR:
		return set_color(options, optarg, err);
	case KEY_FULL_NAMES:
		options->has_full_names = true;
		return 0;
	case KEY_MEM_LIMIT:
		return set_mem_limit(options, optarg, err);
	case 'o':
		options->out = optarg;
		return 0;
	case KEY_DROP:
		return set_drop(options, optarg, err);
	case KEY_STRICT:
		options->is_strict = true;
		return 0;
	case KEY_VERSION:
		options->is_version = true;
		return 0;
	default:
		options->is_help = true;
		return 0;
	}
}

static int set_getopt_error(int key, const char *word, struct err *err)
{
	if (key == ':')
		return err_set(err, "%s needs a value", word);
	if (optopt && optopt < 256)
		return err_set(err, "unknown option -%c (--help lists them)", optopt);
	if (optopt)
		return err_set(err, "%s takes no value", word);
	return err_set(err, "unknown option %s (--help lists them)", word);
}

static int check_use(const struct options *options, struct err *err)
{
	if (options->has_metric && strcmp(options->command->name, "folded"))
		return err_set(err, "--metric is an option of folded");
	if (options->has_full_names && strcmp(options->command->name, "summary"))
		return err_set(err, "--full-names is an option of summary");
	if (options->out && strcmp(options->command->name, "compact"))
		return err_set(err, "-o is an option of compact");
	if ((options->drops_addresses || options->drops_stamps) &&
	    strcmp(options->command->name, "compact"))
		return err_set(err, "--drop is an option of compact");
	if (!options->paths)
		return err_set(err, "no trace is given (--help shows how)");
	if (!strcmp(options->command->name, "compact")) {
		if (!options->out)
			return err_set(err, "compact needs -o SMALL");
		if (options->paths > 1)
			return err_set(err, "compact takes one trace");
	}
	if (options->is_json && options->paths > 1)
		return err_set(err, "--json prints one object: give it one trace");
	return 0;
}

int options_parse(struct options *options, int argc, char **argv, struct err *err)
{
	struct err first = { .text = "" };
	bool is_wrong = false;
	int key, at = -1;

	*options = (struct options){ .command = commands, .demangle = true, .top = 10 };
	opterr = 0;
	/* '-': words come in their place, so that a command is told from a path behind `--`. */
	while ((key = getopt_long(argc, argv, "-:ho:", long_options, &at)) != -1) {
		struct err this;
		int ret = 0;

		if (key == 1)
			ret = add_word(options, optarg, &this);
		else if (key == '?' || key == ':')
			ret = set_getopt_error(key, argv[optind - 1], &this);
		else
			ret = set_option(options, key, at < 0 ? NULL : &long_options[at], &this);
		if (ret && !is_wrong) {
			first = this;
			is_wrong = true;
		}
		at = -1;
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
	return check_use(options, err);
}

void options_release(struct options *options)
{
	free(options->path);
	options->path = NULL;
}
