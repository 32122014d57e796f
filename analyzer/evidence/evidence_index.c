/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/mem.h"
#include "analyzer/evidence/evidence.h"
#include "analyzer/render/json_value.h"

#define SCHEMA "xalloc-evidence/1"
#define INDEX_BYTES_MAX (256 << 20)

static const char *const kind_names[EVIDENCE_KINDS] = {
	[EVIDENCE_TRACE] = "trace",
	[EVIDENCE_RSS] = "rss",
	[EVIDENCE_SYMBOLS] = "symbols",
	[EVIDENCE_RULES] = "rules",
};

static void set_pieces(json_t *value, const struct pieces *pieces)
{
	json_t *list = json_array();

	json_value_set(value, "bytes", json_value_count(pieces->bytes));
	json_value_set(value, "sha256", json_value_text(pieces->sha256.text));
	for (size_t i = 0; i < pieces->count; i++) {
		const struct piece *piece = &pieces->piece[i];
		json_t *one = json_object();

		if (piece->path) {
			json_value_set(one, "path", json_value_text(piece->path));
			json_value_set(one, "bytes", json_value_count(piece->bytes));
			json_value_set(one, "sha256", json_value_text(piece->sha256.text));
		} else {
			json_value_set(one, "zeros", json_value_count(piece->bytes));
		}
		json_value_append(list, one);
	}
	json_value_set(value, "pieces", list);
}

static json_t *build_original(const struct evidence_original *original)
{
	json_t *value = json_object();

	json_value_set(value, "name", json_value_text(original->name));
	json_value_set(value, "kind", json_value_text(kind_names[original->kind]));
	if (original->facts)
		json_value_set(value, "facts", json_incref(original->facts));
	set_pieces(value, &original->pieces);
	return value;
}

static json_t *build_table(const struct evidence_table *table)
{
	json_t *value = json_object();

	json_value_set(value, "path", json_value_text(table->path));
	json_value_set(value, "command", json_value_text(table->command));
	set_pieces(value, &table->pieces);
	return value;
}

static json_t *build(const struct evidence *evidence)
{
	json_t *value = json_object(), *originals = json_array(), *tables = json_array();

	json_value_set(value, "schema", json_value_text(SCHEMA));
	json_value_set(value, "version", json_value_text(evidence->version));
	json_value_set(value, "max_size", json_value_count(evidence->max_bytes));
	json_value_set(value, "top", json_value_count(evidence->top));
	json_value_set(value, "anonymized", json_boolean(evidence->is_anonymous));
	for (size_t i = 0; i < evidence->originals; i++)
		json_value_append(originals, build_original(&evidence->original[i]));
	for (size_t i = 0; i < evidence->tables; i++)
		json_value_append(tables, build_table(&evidence->table[i]));
	json_value_set(value, "originals", originals);
	json_value_set(value, "tables", tables);
	return value;
}

int evidence_write(const struct evidence *evidence, const char *folder, struct err *err)
{
	char *path = xasprintf("%s/" EVIDENCE_INDEX, folder);
	json_t *value = build(evidence);
	char *text = json_value_dump(value, JSON_INDENT(2));
	FILE *out = fopen(path, "wxe");
	int ret = 0;

	if (out)
		fprintf(out, "%s\n", text);
	if (!out || ferror(out) | fclose(out))
		ret = err_set(err, "%s: cannot be written: %s", path, strerror(errno));
	free(text);
	json_decref(value);
	free(path);
	return ret;
}

/* A member that must be there with that type; NULL, and a line in err. */
static const json_t *get(const json_t *object, const char *key, json_type type, struct err *err)
{
	const json_t *value = json_object_get(object, key);

	if (!value || json_typeof(value) != type) {
		err_set(err, EVIDENCE_INDEX ": \"%s\" is missing, or no %s", key,
			type == JSON_STRING    ? "string"
			: type == JSON_INTEGER ? "integer"
			: type == JSON_ARRAY   ? "list"
					       : "boolean");
		return NULL;
	}
	return value;
}

/* An integer from low to high. */
static int get_count(uint64_t *count, const json_t *object, const char *key, uint64_t low,
		     uint64_t high, struct err *err)
{
	const json_t *value = get(object, key, JSON_INTEGER, err);

	if (!value)
		return -1;
	*count = (uint64_t)json_integer_value(value);
	if (json_integer_value(value) < 0 || *count < low || *count > high)
		return err_set(err, EVIDENCE_INDEX ": \"%s\" is %" JSON_INTEGER_FORMAT, key,
			       json_integer_value(value));
	return 0;
}

static int get_sha256(struct sha256_hex *sha256, const json_t *object, struct err *err)
{
	const json_t *value = get(object, "sha256", JSON_STRING, err);
	const char *text = value ? json_string_value(value) : "";

	if (!value)
		return -1;
	if (strlen(text) != sizeof(sha256->text) - 1 ||
	    strspn(text, "0123456789abcdef") != sizeof(sha256->text) - 1)
		return err_set(err, EVIDENCE_INDEX ": \"sha256\" is no SHA-256: %s", text);
	memcpy(sha256->text, text, sizeof(sha256->text));
	return 0;
}

/* The paths are those that cutting gives, so that none leads anywhere else. */
static int read_piece(struct piece *piece, const json_t *value, const char *name, size_t number,
		      size_t pieces, struct err *err)
{
	const json_t *path;
	char *want;
	int ret = 0;

	if (json_object_get(value, "zeros"))
		return get_count(&piece->bytes, value, "zeros", 1, PIECES_BYTES_MAX, err);
	if (get_count(&piece->bytes, value, "bytes", 0, PIECES_BYTES_MAX, err) ||
	    get_sha256(&piece->sha256, value, err))
		return -1;
	path = get(value, "path", JSON_STRING, err);
	if (!path)
		return -1;
	want = pieces == 1 ? xasprintf("originals/%s", name)
			   : xasprintf("originals/%s.%04zu", name, number);
	if (strcmp(want, json_string_value(path)))
		ret = err_set(err, EVIDENCE_INDEX ": \"path\" is %s, and should be %s",
			      json_string_value(path), want);
	piece->path = want;
	return ret;
}

static int read_pieces(struct pieces *pieces, const json_t *object, const char *name,
		       struct err *err)
{
	const json_t *list = get(object, "pieces", JSON_ARRAY, err);
	uint64_t sum = 0;
	size_t number = 0;

	if (!list || get_count(&pieces->bytes, object, "bytes", 0, PIECES_BYTES_MAX, err) ||
	    get_sha256(&pieces->sha256, object, err))
		return -1;
	pieces->piece = xcalloc(json_array_size(list) + 1, sizeof(*pieces->piece));
	for (size_t i = 0; i < json_array_size(list); i++) {
		struct piece *piece = &pieces->piece[pieces->count++];

		if (read_piece(piece, json_array_get(list, i), name, number, json_array_size(list),
			       err))
			return -1;
		number += piece->path != NULL;
		sum += piece->bytes;
		if (sum > pieces->bytes)
			break;
	}
	if (sum != pieces->bytes)
		return err_set(err, EVIDENCE_INDEX ": the pieces of %s are not its bytes", name);
	return 0;
}

static enum evidence_kind find_kind(const char *name)
{
	enum evidence_kind kind = 0;

	while (kind < EVIDENCE_KINDS && strcmp(kind_names[kind], name))
		kind++;
	return kind;
}

static int read_original(struct evidence *evidence, const json_t *value, struct err *err)
{
	const json_t *name = get(value, "name", JSON_STRING, err);
	const json_t *kind = name ? get(value, "kind", JSON_STRING, err) : NULL;
	struct evidence_original *original;

	if (!kind)
		return -1;
	if (strcmp(json_string_value(kind), kind_names[EVIDENCE_RULES])
		    ? !evidence_has_name_form(json_string_value(name))
		    : !evidence_has_path_form(json_string_value(name)))
		return err_set(err, EVIDENCE_INDEX ": \"name\" is no name of an original: %s",
			       json_string_value(name));
	if (evidence_find(evidence, json_string_value(name)))
		return err_set(err, EVIDENCE_INDEX ": two originals are called %s",
			       json_string_value(name));
	if (find_kind(json_string_value(kind)) == EVIDENCE_KINDS)
		return err_set(err, EVIDENCE_INDEX ": \"kind\" is %s", json_string_value(kind));
	original = evidence_add_original(evidence, xstrdup(json_string_value(name)),
					 find_kind(json_string_value(kind)));
	return read_pieces(&original->pieces, value, original->name, err);
}

static int read_root(struct evidence *evidence, const json_t *root, struct err *err)
{
	const json_t *schema = get(root, "schema", JSON_STRING, err);
	const json_t *version = schema ? get(root, "version", JSON_STRING, err) : NULL;
	const json_t *originals = version ? get(root, "originals", JSON_ARRAY, err) : NULL;

	if (!originals)
		return -1;
	if (strcmp(json_string_value(schema), SCHEMA))
		return err_set(err, EVIDENCE_INDEX ": \"schema\" is %s, and not " SCHEMA,
			       json_string_value(schema));
	evidence->version = xstrdup(json_string_value(version));
	evidence->is_anonymous = json_is_true(json_object_get(root, "anonymized"));
	if (get_count(&evidence->max_bytes, root, "max_size", EVIDENCE_MAX_BYTES_MIN,
		      PIECES_BYTES_MAX, err) ||
	    get_count(&evidence->top, root, "top", 0, INT64_MAX, err))
		return -1;
	for (size_t i = 0; i < json_array_size(originals); i++)
		if (read_original(evidence, json_array_get(originals, i), err))
			return -1;
	return 0;
}

static json_t *load(const char *path, struct err *err)
{
	const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	json_error_t error;
	struct stat st;
	json_t *root;

	if (fd < 0) {
		err_set(err, EVIDENCE_INDEX ": %s", strerror(errno));
		return NULL;
	}
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > INDEX_BYTES_MAX) {
		err_set(err, EVIDENCE_INDEX ": it is no file of a size that an index has");
		close(fd);
		return NULL;
	}
	root = json_loadfd(fd, JSON_REJECT_DUPLICATES, &error);
	close(fd);
	if (!root)
		err_set(err, EVIDENCE_INDEX ": line %d, column %d: %s", error.line, error.column,
			error.text);
	return root;
}

int evidence_read(struct evidence *evidence, const char *folder, struct err *err)
{
	char *path = xasprintf("%s/" EVIDENCE_INDEX, folder);
	json_t *root = load(path, err);
	int ret = -1;

	free(path);
	*evidence = (struct evidence){ .version = NULL };
	if (root)
		ret = read_root(evidence, root, err);
	json_decref(root);
	return ret;
}
