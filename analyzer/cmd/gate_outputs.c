/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/gate_outputs.h"

#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/mem.h"

static bool is_same_file(const char *a, const char *b)
{
	struct stat one, two;

	if (stat(a, &one) || stat(b, &two)) /* not there yet */
		return !strcmp(a, b);
	return S_ISREG(one.st_mode) && one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

static void add(struct strlist *list, const char *path)
{
	if (path)
		strlist_take(list, xstrdup(path));
}

static void list_inputs(const struct gate *gate, const struct options *options,
			struct strlist *list)
{
	add(list, gate->limits.path);
	if (gate->limits.has_groups)
		rules_list_files(&gate->rules, list);
	add(list, gate->limits.rules_path);
	for (size_t i = 0; i < gate->limits.baseline.count; i++)
		add(list, gate->limits.baseline.text[i]);
	for (size_t i = 0; i < options->rss.count; i++)
		add(list, options->rss.path[i]);
	for (size_t i = 0; i < options->paths; i++)
		add(list, options->path[i]);
	for (size_t i = 0; i < gate->traces.path.count; i++)
		add(list, gate->traces.path.text[i]);
	add(list, options->symbols);
}

int gate_outputs_check(const struct gate *gate, const struct options *options, struct err *err)
{
	const char *const output[] = { options->junit, options->sarif, options->markdown };
	const size_t outputs = sizeof(output) / sizeof(*output);
	struct strlist input = { .count = 0 };
	int ret = 0;

	list_inputs(gate, options, &input);
	for (size_t i = 0; i < outputs && !ret; i++) {
		for (size_t j = 0; j < input.count && output[i] && !ret; j++)
			if (is_same_file(output[i], input.text[j]))
				ret = err_set(err, "%s is read by this check: it is not replaced",
					      output[i]);
		for (size_t j = 0; j < i && output[i] && !ret; j++)
			if (output[j] && is_same_file(output[i], output[j]))
				ret = err_set(err, "%s would be written twice", output[i]);
	}
	strlist_release(&input);
	return ret;
}
