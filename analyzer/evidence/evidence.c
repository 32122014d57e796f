/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/evidence/evidence.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/mem.h"

void evidence_init(struct evidence *evidence)
{
	*evidence = (struct evidence){ .version = xstrdup(XALLOC_VERSION) };
}

void evidence_release(struct evidence *evidence)
{
	for (size_t i = 0; i < evidence->originals; i++) {
		free(evidence->original[i].name);
		pieces_release(&evidence->original[i].pieces);
		json_decref(evidence->original[i].facts);
	}
	for (size_t i = 0; i < evidence->tables; i++) {
		free(evidence->table[i].path);
		free(evidence->table[i].command);
		pieces_release(&evidence->table[i].pieces);
	}
	free(evidence->original);
	free(evidence->table);
	free(evidence->version);
	*evidence = (struct evidence){ .version = NULL };
}

static const char *const name_bytes =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-";

bool evidence_has_name_form(const char *name)
{
	const size_t length = strspn(name, name_bytes);

	return length && length < 200 && !name[length] && !strchr(".+-", *name);
}

bool evidence_has_path_form(const char *path)
{
	const char *slash = strchr(path, '/');

	for (unsigned parts = 1; slash && parts < EVIDENCE_PARTS_MAX; parts++) {
		char *part = xstrndup(path, (size_t)(slash - path));
		const bool has_form = evidence_has_name_form(part);

		free(part);
		if (!has_form)
			return false;
		path = slash + 1;
		slash = strchr(path, '/');
	}
	return !slash && evidence_has_name_form(path);
}

char *evidence_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = xstrndup(slash ? slash + 1 : path, 190);

	for (char *at = name; *at; at++)
		if (!strchr(name_bytes, *at) || (at == name && strchr(".+-", *at)))
			*at = '_';
	return name;
}

char *evidence_free_name(const struct evidence *evidence, const char *plain)
{
	char *name = xstrdup(plain);

	for (unsigned number = 2;; number++) {
		char *symbols = xasprintf("%s.symbols", name);
		const bool is_free =
			!evidence_find(evidence, name) && !evidence_find(evidence, symbols);

		free(symbols);
		if (is_free)
			return name;
		free(name);
		name = xasprintf("%u-%s", number, plain);
	}
}

int evidence_make_folders(const char *folder, const char *path, struct err *err)
{
	int ret = 0;

	for (const char *at = strchr(path, '/'); at && !ret; at = strchr(at + 1, '/')) {
		char *whole = xasprintf("%s/%.*s", folder, (int)(at - path), path);

		if (mkdir(whole, 0777) && errno != EEXIST)
			ret = err_set(err, "%s: cannot be written: %s", whole, strerror(errno));
		free(whole);
	}
	return ret;
}

char *evidence_original_path(const char *name)
{
	return xasprintf("originals/%s", name);
}

struct evidence_original *evidence_add_original(struct evidence *evidence, char *name,
						enum evidence_kind kind)
{
	struct evidence_original *one;

	evidence->original = xreallocarray(evidence->original, evidence->originals + 1,
					   sizeof(*evidence->original));
	one = &evidence->original[evidence->originals++];
	*one = (struct evidence_original){ .name = name, .kind = kind };
	return one;
}

struct evidence_table *evidence_add_table(struct evidence *evidence, char *path, char *command)
{
	struct evidence_table *one;

	evidence->table =
		xreallocarray(evidence->table, evidence->tables + 1, sizeof(*evidence->table));
	one = &evidence->table[evidence->tables++];
	*one = (struct evidence_table){ .path = path, .command = command };
	return one;
}

const struct evidence_original *evidence_find(const struct evidence *evidence, const char *name)
{
	for (size_t i = 0; i < evidence->originals; i++)
		if (!strcmp(evidence->original[i].name, name))
			return &evidence->original[i];
	return NULL;
}

const struct evidence_original *evidence_first(const struct evidence *evidence,
					       enum evidence_kind kind)
{
	for (size_t i = 0; i < evidence->originals; i++)
		if (evidence->original[i].kind == kind)
			return &evidence->original[i];
	return NULL;
}
