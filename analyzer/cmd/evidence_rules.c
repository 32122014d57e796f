/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/evidence_rules.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/report/rules.h"

#define FOLDER "rules"

/* The path without `.` and `..`; ups: how many `..` it would begin with. Owned by the caller. */
static char *settle(const char *path, size_t *ups)
{
	char *settled = xcalloc(strlen(path) + 2, 1);
	size_t at = 0, length;

	*ups = 0;
	for (; *path; path += length + (path[length] == '/')) {
		length = strcspn(path, "/");
		if (!length || (length == 1 && *path == '.'))
			continue;
		if (length == 2 && !strncmp(path, "..", 2)) {
			*ups += !at;
			while (at && settled[--at] != '/')
				continue;
			settled[at] = '\0';
			continue;
		}
		if (at)
			settled[at++] = '/';
		memcpy(settled + at, path, length);
		at += length;
		settled[at] = '\0';
	}
	return settled;
}

static int add(struct evidence *evidence, const struct workshop *workshop, const char *from,
	       char *name, struct err *err)
{
	char *copy = xasprintf("%s/%s", workshop->in, name);
	int ret = evidence_make_folders(workshop->in, name, err);

	if (!ret)
		ret = workshop_copy(from, copy, err);
	evidence_add_original(evidence, name, EVIDENCE_RULES);
	free(copy);
	return ret;
}

/* path: from the folder of the file that includes it, which is copied to `base`. */
static int add_included(struct evidence *evidence, const struct workshop *workshop,
			const char *from, const char *base, const char *path, struct err *err)
{
	char *whole = xasprintf("%s/%s", base, path);
	size_t ups;
	char *name = settle(whole, &ups);
	int ret;

	free(whole);
	if (!evidence_has_path_form(name) || evidence_find(evidence, name)) {
		ret = err_set(err,
			      "%s: a file that is included by such a path cannot be packed: "
			      "letters, digits and ._+- between slashes, and each file by one path",
			      from);
		free(name);
		return ret;
	}
	return add(evidence, workshop, from, name, err);
}

static int add_files(struct evidence *evidence, const struct workshop *workshop,
		     const struct strlist *files, struct err *err)
{
	const char *main = files->text[0], *slash = strrchr(main, '/');
	const size_t folder = slash ? (size_t)(slash + 1 - main) : 0;
	char *name = evidence_name(main), *base;
	size_t deepest = 0, ups;
	int ret = 0;

	if (files->count == 1) {
		ret = add(evidence, workshop, main, evidence_free_name(evidence, name), err);
		free(name);
		return ret;
	}
	for (size_t i = 1; i < files->count; i++) {
		if (strncmp(files->text[i], main, folder) || files->text[i][folder] == '/')
			ret = err_set(
				err,
				"%s: a file that is included by a path from / cannot be packed",
				files->text[i]);
		else
			free(settle(files->text[i] + folder, &ups));
		if (ret)
			break;
		deepest = ups > deepest ? ups : deepest;
	}
	base = evidence_free_name(evidence, FOLDER);
	for (; !ret && deepest; deepest--) {
		char *deeper = xasprintf("%s/up", base);

		free(base);
		base = deeper;
	}
	if (!ret)
		ret = add(evidence, workshop, main, xasprintf("%s/%s", base, name), err);
	for (size_t i = 1; !ret && i < files->count; i++)
		ret = add_included(evidence, workshop, files->text[i], base,
				   files->text[i] + folder, err);
	free(base);
	free(name);
	return ret;
}

int evidence_add_rules(struct evidence *evidence, const struct workshop *workshop, const char *path,
		       struct err *err)
{
	struct strlist files = { .text = NULL };
	struct rules rules;
	int ret = rules_read(&rules, path, err);

	rules_list_files(&rules, &files);
	rules_release(&rules);
	if (!ret)
		ret = add_files(evidence, workshop, &files, err);
	strlist_release(&files);
	return ret;
}
