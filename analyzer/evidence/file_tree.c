/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/evidence/file_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/mem.h"

#define READ_BYTES (1u << 16)
#define DEPTH_MAX 16 /* of folders: evidence has 3, more with rules that include others */

struct reading {
	struct file_tree *tree;
	struct warnings *wrong;
	struct err *err;
};

static int read_file(struct reading *r, int folder, const char *name, const char *path)
{
	const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct tree_file *file;
	struct sha256 sha;
	uint64_t bytes = 0;
	uint8_t *part;
	ssize_t size;

	if (fd < 0)
		return err_set(r->err, "%s: %s", path, strerror(errno));
	part = xmalloc(READ_BYTES);
	sha256_begin(&sha);
	while ((size = read(fd, part, READ_BYTES)) > 0 || (size < 0 && errno == EINTR)) {
		if (size > 0) {
			sha256_add(&sha, part, (size_t)size);
			bytes += (uint64_t)size;
		}
	}
	free(part);
	close(fd);
	if (size < 0)
		return err_set(r->err, "%s: %s", path, strerror(errno));
	r->tree->file = xreallocarray(r->tree->file, r->tree->count + 1, sizeof(*r->tree->file));
	file = &r->tree->file[r->tree->count++];
	*file = (struct tree_file){ xstrdup(path), bytes, sha256_end(&sha) };
	r->tree->bytes += bytes;
	return 0;
}

static int read_folder(struct reading *r, int folder, const char *name, const char *path,
		       int depth);

static int read_entry(struct reading *r, int folder, const char *name, const char *path, int depth)
{
	struct stat st;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW))
		return err_set(r->err, "%s: %s", path, strerror(errno));
	if (S_ISREG(st.st_mode))
		return read_file(r, folder, name, path);
	if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX)
		return read_folder(r, folder, name, path, depth + 1);
	warnings_add(r->wrong, "%s: it is not a file", path);
	return 0;
}

static bool is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

static int read_folder(struct reading *r, int folder, const char *name, const char *path, int depth)
{
	const int fd =
		openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (depth ? O_NOFOLLOW : 0));
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	bool is_empty = true;
	int ret = 0;

	if (!dir) {
		ret = err_set(r->err, "%s: %s", depth ? path : name, strerror(errno));
		if (fd >= 0)
			close(fd);
		return ret;
	}
	while (!ret && (entry = readdir(dir))) {
		char *below;

		if (is_dots(entry->d_name))
			continue;
		is_empty = false;
		if (!depth && !strcmp(entry->d_name, FILE_TREE_SUMS))
			continue;
		below = xasprintf("%s%s%s", path, *path ? "/" : "", entry->d_name);
		ret = read_entry(r, fd, entry->d_name, below, depth);
		free(below);
	}
	if (is_empty && depth)
		warnings_add(r->wrong, "%s: it is an empty folder, and does not belong there",
			     path);
	closedir(dir);
	return ret;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct tree_file *)a)->path, ((const struct tree_file *)b)->path);
}

int file_tree_read(struct file_tree *tree, const char *folder, struct warnings *wrong,
		   struct err *err)
{
	struct reading reading = { tree, wrong, err };
	int ret;

	*tree = (struct file_tree){ .file = NULL };
	ret = read_folder(&reading, AT_FDCWD, folder, "", 0);
	if (tree->count)
		qsort(tree->file, tree->count, sizeof(*tree->file), by_path);
	return ret;
}

void file_tree_release(struct file_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		free(tree->file[i].path);
	free(tree->file);
	*tree = (struct file_tree){ .file = NULL };
}

char *file_tree_sums(const struct file_tree *tree)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		out_of_memory(size);
	for (size_t i = 0; i < tree->count; i++)
		fprintf(out, "%s  %s\n", tree->file[i].sha256.text, tree->file[i].path);
	if (fclose(out))
		out_of_memory(size);
	return text;
}

static const struct tree_file *find(const struct file_tree *tree, const char *path)
{
	const struct tree_file key = { .path = (char *)path };

	return tree->count ? bsearch(&key, tree->file, tree->count, sizeof(*tree->file), by_path)
			   : NULL;
}

/* One line, without its end: "DIGITS  PATH". *seen: the files of the tree that were told of. */
static void check_line(const struct file_tree *tree, const char *line, bool *seen,
		       struct warnings *wrong)
{
	const struct tree_file *file;

	if (strlen(line) < 2 * SHA256_DIGEST_SIZE + 3) {
		warnings_add(wrong, FILE_TREE_SUMS ": a line is damaged: %s", line);
		return;
	}
	file = find(tree, line + 2 * SHA256_DIGEST_SIZE + 2);
	if (!file) {
		warnings_add(wrong, "%s: it is in " FILE_TREE_SUMS " and is missing",
			     line + 2 * SHA256_DIGEST_SIZE + 2);
		return;
	}
	seen[file - tree->file] = true;
	if (strncmp(line, file->sha256.text, 2 * SHA256_DIGEST_SIZE) ||
	    strncmp(line + 2 * SHA256_DIGEST_SIZE, "  ", 2))
		warnings_add(wrong, "%s: it is not what " FILE_TREE_SUMS " says: its SHA-256 is %s",
			     file->path, file->sha256.text);
}

void file_tree_check(const struct file_tree *tree, const char *sums, struct warnings *wrong)
{
	bool *seen = xcalloc(tree->count + 1, sizeof(*seen));

	while (*sums) {
		const size_t length = strcspn(sums, "\n");
		char *line = xstrndup(sums, length);

		check_line(tree, line, seen, wrong);
		free(line);
		sums += length + (sums[length] == '\n');
	}
	for (size_t i = 0; i < tree->count; i++)
		if (!seen[i])
			warnings_add(wrong, "%s: it is not in " FILE_TREE_SUMS, tree->file[i].path);
	free(seen);
}

void file_tree_compare(const struct file_tree *found, const struct file_tree *right,
		       struct warnings *wrong)
{
	for (size_t i = 0; i < right->count; i++) {
		const struct tree_file *want = &right->file[i], *got = find(found, want->path);

		if (!got)
			warnings_add(wrong, "%s: the originals give it, and it is missing",
				     want->path);
		else if (strcmp(got->sha256.text, want->sha256.text))
			warnings_add(wrong, "%s: it is not what the originals give", want->path);
	}
	for (size_t i = 0; i < found->count; i++)
		if (!find(right, found->file[i].path))
			warnings_add(wrong, "%s: the originals do not give it",
				     found->file[i].path);
}
