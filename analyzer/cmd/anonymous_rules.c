/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/anonymous_rules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/cmd/analysis.h"
#include "analyzer/report/groups.h"
#include "analyzer/report/renamed_rules.h"

/* A copy, and the groups that its stacks have by the names that there were. */
struct sorted {
	char *path, *root;
	uint32_t *group_of;
	size_t stacks;
};

struct anonymous_rules {
	struct rules rules;
	struct renamed_rules *renamed;
	struct sorted *trace;
	size_t traces;
};

struct anonymous_rules *anonymous_rules_open(const char *path, struct err *err)
{
	struct anonymous_rules *rules = xcalloc(1, sizeof(*rules));

	if (rules_read(&rules->rules, path, err)) {
		anonymous_rules_close(rules);
		return NULL;
	}
	rules->renamed = renamed_rules_new(&rules->rules);
	return rules;
}

void anonymous_rules_close(struct anonymous_rules *rules)
{
	if (!rules)
		return;
	for (size_t i = 0; i < rules->traces; i++) {
		free(rules->trace[i].path);
		free(rules->trace[i].root);
		free(rules->trace[i].group_of);
	}
	free(rules->trace);
	renamed_rules_free(rules->renamed);
	rules_release(&rules->rules);
	free(rules);
}

/* As evidence_build names them: by the bundle, and nothing of this machine. */
static struct frame_names *names_of_copy(const struct trace *trace, const char *root)
{
	const struct options options = { .demangle = true, .sysroot = root, .has_no_cache = true };
	const struct symbolizer_options how = analysis_symbols(&options, trace);

	return frame_names_new(trace, &how);
}

static void keep(struct anonymous_rules *rules, const struct analysis *a,
		 const struct frame_names *names, const char *copy, const char *root)
{
	const size_t stacks = a->result.stacks;
	struct groups groups;
	struct sorted *to;

	rules->trace = xreallocarray(rules->trace, rules->traces + 1, sizeof(*rules->trace));
	to = &rules->trace[rules->traces++];
	*to = (struct sorted){ xstrdup(copy), xstrdup(root), NULL, stacks };
	groups_build(&groups, &rules->rules, NULL, &a->result, names);
	to->group_of = xcalloc(stacks + 1, sizeof(*to->group_of));
	memcpy(to->group_of, groups.group_of, stacks * sizeof(*to->group_of));
	groups_release(&groups);
}

int anonymous_rules_add(struct anonymous_rules *rules, const char *trace, const char *copy,
			const char *root, const struct options *options, struct err *err)
{
	struct options shown = *options;
	struct analysis a;
	struct trace *other;
	int ret;

	if (analysis_open(&a, trace, err))
		return -1;
	shown.demangle = true;
	ret = trace_open(&other, copy, err);
	if (!ret) {
		const struct symbolizer_options how = analysis_symbols(&shown, a.trace);
		struct frame_names *old = frame_names_new(a.trace, &how);
		struct frame_names *new = names_of_copy(other, root);

		ret = renamed_rules_add(rules->renamed, a.result.tree, old, new, err);
		if (!ret)
			keep(rules, &a, old, copy, root);
		frame_names_free(old);
		frame_names_free(new);
		trace_close(other);
	}
	analysis_close(&a);
	return ret;
}

static int write_text(const char *path, const char *text, struct err *err)
{
	FILE *out = fopen(path, "wxe");

	errno = 0;
	if (out)
		fputs(text, out);
	return !out || ferror(out) | fclose(out)
		       ? err_set(err, "%s: cannot be written: %s", path, strerror(errno))
		       : 0;
}

static int check(const struct sorted *want, const struct rules *rules, struct err *err)
{
	struct frame_names *names;
	struct groups groups;
	struct analysis a;
	int ret = 0;

	if (analysis_open(&a, want->path, err))
		return -1;
	names = names_of_copy(a.trace, want->root);
	groups_build(&groups, rules, NULL, &a.result, names);
	if (a.result.stacks != want->stacks ||
	    memcmp(groups.group_of, want->group_of, want->stacks * sizeof(*want->group_of)))
		ret = err_set(err, "%s: stacks have other groups by other names", want->path);
	groups_release(&groups);
	frame_names_free(names);
	analysis_close(&a);
	return ret;
}

int anonymous_rules_write(const struct anonymous_rules *rules, const char *path, struct err *err)
{
	char *text = renamed_rules_text(rules->renamed);
	struct rules other;
	int ret = write_text(path, text, err);

	free(text);
	if (ret)
		return ret;
	ret = rules_read(&other, path, err);
	for (size_t i = 0; !ret && i < rules->traces; i++)
		ret = check(&rules->trace[i], &other, err);
	rules_release(&other);
	return ret;
}
