/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/rules.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/json_input.h"
#include "analyzer/base/mem.h"
#include "analyzer/base/name_pool.h"
#include "analyzer/base/text_file.h"
#include "analyzer/report/builtin_rules.h"

#define SCHEMA "xalloc-groups/1"

/* A file or a built-in set: each is read once, however often it is included. */
struct rules_file {
	struct rules_file *next;
	char *name; /* for messages */
	char *real; /* what tells it from others */
	bool is_builtin;
	bool is_open; /* what it includes is being read */
};

static const char *const list_names[RULE_LISTS] = { "all", "any", "none" };

static int read_name(struct rules *rules, const struct rules_file *from,
		     const struct json_input_place *place, const char *name, struct err *err);

const char *rule_list_name(enum rule_list list)
{
	return list_names[list];
}

/* --- groups */

/* The position of the pattern of that text in rules.pattern; true: it is new, and to be filled in
 * there, which rules.patterns then counts. */
static bool take_position(struct rules *rules, const char *text, uint32_t *position)
{
	*position = name_pool_add(rules->texts, text);
	if (*position < rules->patterns)
		return false;
	if (rules->patterns == rules->patterns_room) {
		rules->patterns_room = rules->patterns_room * 2 + 64;
		rules->pattern = xreallocarray(rules->pattern, rules->patterns_room,
					       sizeof(*rules->pattern));
	}
	return true;
}

static int find_pattern(struct rules *rules, const char *text, uint32_t *position, struct err *err)
{
	if (!take_position(rules, text, position))
		return 0;
	if (pattern_init(&rules->pattern[*position], text, err))
		return -1;
	rules->patterns++;
	return 0;
}

/* {"full:": [TEXT, ...]}: pattern_init_whole. */
static int find_whole(struct rules *rules, const json_t *value, uint32_t *position, struct err *err)
{
	const char *prefix = json_object_iter_key(json_object_iter((json_t *)value));
	const json_t *list = json_object_get(value, prefix ? prefix : "");
	const size_t count = json_array_size(list);
	const char **texts;
	char *key;
	int ret = 0;

	if (json_object_size(value) != 1 || !json_is_array(list))
		return err_set(err, "a pattern is a text, or an object of one list, "
				    "{\"full:\": [\"f(int)\"]}");
	texts = xcalloc(count + 1, sizeof(*texts));
	for (size_t i = 0; !ret && i < count; i++) {
		texts[i] = json_string_value(json_array_get(list, i));
		if (!texts[i])
			ret = err_set(err, "\"%s\"[%zu]: this is no text", prefix, i);
	}
	key = json_dumps(value, JSON_COMPACT);
	if (!key)
		out_of_memory(0);
	if (!ret && take_position(rules, key, position)) {
		ret = pattern_init_whole(&rules->pattern[*position], prefix, texts, count, err);
		rules->patterns += !ret;
	}
	free(key);
	free(texts);
	return ret;
}

static int read_list(struct rules *rules, struct rule *rule, enum rule_list which,
		     const json_t *list, const struct json_input_place *group, struct err *err)
{
	struct rule_patterns *to = &rule->list[which];
	struct json_input_place place = { .file = group->file };
	struct err why;

	snprintf(place.text, sizeof(place.text), "%s.%s", group->text, list_names[which]);
	if (!json_is_array(list))
		return json_input_error(err, &place, "this is no list of patterns");
	if (!json_array_size(list))
		return json_input_error(err, &place, "the list is empty");
	to->pattern = xcalloc(json_array_size(list), sizeof(*to->pattern));
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *value = json_array_get(list, i);
		const char *text = json_string_value(value);

		snprintf(place.text, sizeof(place.text), "%s.%s[%zu]", group->text,
			 list_names[which], i);
		if (!text && find_whole(rules, value, &to->pattern[i], &why))
			return json_input_error(err, &place, "%s", why.text);
		if (text && find_pattern(rules, text, &to->pattern[i], &why))
			return json_input_error(err, &place, "\"%s\": %s", text, why.text);
		to->count++;
	}
	return 0;
}

static int read_member(struct rules *rules, struct rule *rule, const char *key, const json_t *value,
		       const struct json_input_place *place, struct err *err)
{
	if (!strcmp(key, "name")) {
		if (!json_is_string(value) || !*json_string_value(value))
			return json_input_error(err, place, "\"name\" is not a text");
		rule->name = xstrdup(json_string_value(value));
		return 0;
	}
	if (!strcmp(key, "optional")) {
		if (!json_is_boolean(value))
			return json_input_error(err, place, "\"optional\" is true or false");
		rule->is_optional |= json_is_true(value);
		return 0;
	}
	if (!strcmp(key, "comment"))
		return 0;
	for (enum rule_list list = 0; list < RULE_LISTS; list++)
		if (!strcmp(key, list_names[list]))
			return read_list(rules, rule, list, value, place, err);
	return json_input_error(err, place,
				"\"%s\" is none of name, all, any, none, optional, comment", key);
}

static int check_rule(const struct rules *rules, const struct rule *rule,
		      const struct json_input_place *place, struct err *err)
{
	if (!rule->name)
		return json_input_error(err, place, "the group has no \"name\"");
	if (!strcmp(rule->name, "other"))
		return json_input_error(err, place, "\"other\" is the group of what no rule takes");
	for (size_t i = 0; i + 1 < rules->rules; i++)
		if (!strcmp(rules->rule[i].name, rule->name))
			return json_input_error(
				err, place, "there is a group \"%s\" already: groups[%zu] of %s",
				rule->name, rules->rule[i].position, rules->rule[i].file);
	if (!rule->list[RULE_ALL].count && !rule->list[RULE_ANY].count &&
	    !rule->list[RULE_NONE].count)
		return json_input_error(err, place,
					"it needs one of \"all\", \"any\" and \"none\"");
	return 0;
}

static struct rule *add_rule(struct rules *rules)
{
	if (rules->rules == rules->rules_room) {
		rules->rules_room = rules->rules_room * 2 + 16;
		rules->rule = xreallocarray(rules->rule, rules->rules_room, sizeof(*rules->rule));
	}
	return &rules->rule[rules->rules++];
}

static int read_group(struct rules *rules, const struct rules_file *file, size_t position,
		      json_t *group, struct err *err)
{
	struct json_input_place place = { .file = file->name };
	struct rule *rule;
	const char *key;
	json_t *value;

	snprintf(place.text, sizeof(place.text), "groups[%zu]", position);
	if (!json_is_object(group))
		return json_input_error(err, &place, "a group is an object");
	rule = add_rule(rules);
	*rule = (struct rule){ .file = file->name,
			       .position = position,
			       .is_optional = file->is_builtin };
	json_object_foreach(group, key,
			    value) if (read_member(rules, rule, key, value, &place, err)) return -1;
	return check_rule(rules, rule, &place, err);
}

/* --- files */

static int check_keys(const struct rules_file *file, json_t *top, struct err *err)
{
	struct json_input_place place = { file->name, "the whole file" };
	const char *schema = json_string_value(json_object_get(top, "schema"));
	const char *key;
	json_t *value;

	if (!json_is_object(top))
		return json_input_error(err, &place, "it is no object");
	if (!schema || strcmp(schema, SCHEMA))
		return json_input_error(err, &place, "its \"schema\" is not \"%s\"", SCHEMA);
	json_object_foreach(top, key, value)
	{
		if (strcmp(key, "schema") && strcmp(key, "comment") && strcmp(key, "groups") &&
		    strcmp(key, "include"))
			return json_input_error(
				err, &place, "\"%s\" is none of schema, groups, include, comment",
				key);
		if ((!strcmp(key, "groups") || !strcmp(key, "include")) && !json_is_array(value))
			return json_input_error(err, &place, "\"%s\" is no list", key);
	}
	return 0;
}

static int read_object(struct rules *rules, const struct rules_file *file, json_t *top,
		       struct err *err)
{
	const json_t *groups = json_object_get(top, "groups");
	const json_t *include = json_object_get(top, "include");

	if (check_keys(file, top, err))
		return -1;
	for (size_t i = 0; i < json_array_size(groups); i++)
		if (read_group(rules, file, i, json_array_get(groups, i), err))
			return -1;
	for (size_t i = 0; i < json_array_size(include); i++) {
		const char *name = json_string_value(json_array_get(include, i));
		struct json_input_place place = { .file = file->name };

		snprintf(place.text, sizeof(place.text), "include[%zu]", i);
		if (!name || !*name)
			return json_input_error(err, &place, "this is no name of a set or file");
		if (read_name(rules, file, &place, name, err))
			return -1;
	}
	return 0;
}

static int read_json(struct rules *rules, struct rules_file *file, const char *text, size_t bytes,
		     struct err *err)
{
	json_t *top = json_input_parse(text, bytes, file->name, err);
	int ret;

	if (!top)
		return -1;
	file->is_open = true;
	ret = read_object(rules, file, top, err);
	file->is_open = false;
	json_decref(top);
	return ret;
}

static struct rules_file *find_file(const struct rules *rules, const char *real)
{
	struct rules_file *file = rules->files;

	while (file && strcmp(file->real, real))
		file = file->next;
	return file;
}

static struct rules_file *add_file(struct rules *rules, char *name, char *real, bool is_builtin)
{
	struct rules_file *file = xcalloc(1, sizeof(*file));

	*file = (struct rules_file){ rules->files, name, real, is_builtin, false };
	rules->files = file;
	return file;
}

/* place: of the include that names it; NULL: the command line did. */
static int read_file(struct rules *rules, const char *path, const struct json_input_place *place,
		     struct err *err)
{
	char *real = realpath(path, NULL), *text;
	struct rules_file *file;
	size_t bytes;
	int ret;

	if (!real) /* a pipe has none, either */
		real = xstrdup(path);
	file = find_file(rules, real);
	if (file) {
		free(real);
		return file->is_open ? json_input_error(err, place, "%s includes itself", path) : 0;
	}
	text = text_file_read(path, &bytes);
	if (!text) {
		const char *why = strerror(errno);

		free(real);
		return place ? json_input_error(err, place, "%s: %s", path, why)
			     : err_set(err, "%s: %s", path, why);
	}
	ret = read_json(rules, add_file(rules, xstrdup(path), real, false), text, bytes, err);
	free(text);
	return ret;
}

static int read_builtin(struct rules *rules, const struct builtin_rules *set, struct err *err)
{
	char *name = xasprintf("built-in %s", set->name);

	if (find_file(rules, name)) {
		free(name);
		return 0;
	}
	return read_json(rules, add_file(rules, name, xstrdup(name), true), set->json,
			 strlen(set->json), err);
}

/* By its words alone: where the files are copies no folder is a link. */
static bool leads_above(const char *path)
{
	size_t depth = 0, length;

	if (*path == '/')
		return true;
	for (; *path; path += length + (path[length] == '/')) {
		length = strcspn(path, "/");
		if (length == 2 && !strncmp(path, "..", 2)) {
			if (!depth)
				return true;
			depth--;
		} else if (length && (length != 1 || *path != '.')) {
			depth++;
		}
	}
	return false;
}

/* A name in `include`: a built-in set, or a path from the directory of the file that names it. */
static int read_name(struct rules *rules, const struct rules_file *from,
		     const struct json_input_place *place, const char *name, struct err *err)
{
	const char *slash = strrchr(from->name, '/');
	char *path;
	int ret;

	for (const struct builtin_rules *set = builtin_rules; set->name; set++)
		if (!strcmp(set->name, name))
			return read_builtin(rules, set, err);
	if (!strpbrk(name, "/."))
		return json_input_error(err, place, "there is no built-in set \"%s\"", name);
	if (*name == '/' || !slash)
		path = xstrdup(name);
	else
		path = xasprintf("%.*s%s", (int)(slash + 1 - from->name), from->name, name);
	if (rules->is_below && leads_above(path))
		ret = json_input_error(err, place, "%s is not below the folder of the originals",
				       name);
	else
		ret = read_file(rules, path, place, err);
	free(path);
	return ret;
}

void rules_init(struct rules *rules)
{
	*rules = (struct rules){ .texts = name_pool_new() };
}

int rules_init_all(struct rules *rules, const char *name, const char *const *pattern,
		   size_t patterns, struct err *err)
{
	rules_init(rules);
	return rules_add_all(rules, name, pattern, patterns, err);
}

int rules_add_all(struct rules *rules, const char *name, const char *const *pattern,
		  size_t patterns, struct err *err)
{
	struct rule *rule = add_rule(rules);
	struct rule_patterns *all = &rule->list[RULE_ALL];

	*rule = (struct rule){ .name = xstrdup(name), .file = "the command line" };
	all->pattern = xcalloc(patterns + 1, sizeof(*all->pattern));
	for (; all->count < patterns; all->count++)
		if (find_pattern(rules, pattern[all->count], &all->pattern[all->count], err))
			return -1;
	return 0;
}

int rules_read(struct rules *rules, const char *path, struct err *err)
{
	rules_init(rules);
	return read_file(rules, path, NULL, err);
}

bool rules_has_group(const struct rules *rules, const char *name)
{
	for (size_t i = 0; i < rules->rules; i++)
		if (!strcmp(rules->rule[i].name, name))
			return true;
	return !strcmp(name, "other");
}

int rules_read_below(struct rules *rules, const char *path, struct err *err)
{
	rules_init(rules);
	rules->is_below = true;
	return read_file(rules, path, NULL, err);
}

void rules_list_files(const struct rules *rules, struct strlist *paths)
{
	const size_t first = paths->count;

	for (const struct rules_file *file = rules->files; file; file = file->next)
		if (!file->is_builtin)
			strlist_take(paths, xstrdup(file->name));
	/* the latest one was first */
	for (size_t i = first, k = paths->count; i + 1 < k; i++) {
		char *text = paths->text[--k];

		paths->text[k] = paths->text[i];
		paths->text[i] = text;
	}
}

void rules_release(struct rules *rules)
{
	struct rules_file *next;

	for (size_t i = 0; i < rules->rules; i++) {
		for (enum rule_list list = 0; list < RULE_LISTS; list++)
			free(rules->rule[i].list[list].pattern);
		free(rules->rule[i].name);
	}
	for (uint32_t i = 0; i < rules->patterns; i++)
		pattern_release(&rules->pattern[i]);
	for (struct rules_file *file = rules->files; file; file = next) {
		next = file->next;
		free(file->name);
		free(file->real);
		free(file);
	}
	free(rules->rule);
	free(rules->pattern);
	name_pool_free(rules->texts);
}
