/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/symbol_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/seed.h"

#define FILE_MAX ((uint64_t)64 << 20) /* bytes of one file in memory; a larger one begins anew */
#define ALL_MAX ((uint64_t)256 << 20) /* bytes of all files, as they are on disk */

struct symbol_cache {
	int fd; /* the directory */
	bool has_grown;
};

/* Is it ours alone? */
static bool is_own(const struct stat *status)
{
	return status->st_uid == geteuid() && !(status->st_mode & (S_IWGRP | S_IWOTH));
}

/* XDG's rule: a relative path is none. Owned by the caller. */
static char *find_place(void)
{
	const char *home = getenv("HOME"), *place = getenv("XDG_CACHE_HOME");

	if (place && *place == '/')
		return xstrdup(place);
	return home && *home == '/' ? xasprintf("%s/.cache", home) : NULL;
}

struct symbol_cache *symbol_cache_open(void)
{
	char *place = find_place(), *path;
	struct symbol_cache *cache = NULL;
	struct stat status;
	int fd;

	if (!place)
		return NULL;
	path = xasprintf("%s/xalloc", place);
	if (mkdir(place, S_IRWXU) && errno != EEXIST)
		fd = -1;
	else if (mkdir(path, S_IRWXU) && errno != EEXIST)
		fd = -1;
	else
		fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	free(path);
	free(place);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &status) || !is_own(&status)) {
		close(fd);
		return NULL;
	}
	cache = xcalloc(1, sizeof(*cache));
	cache->fd = fd;
	return cache;
}

/* A key's own file; keys that share one push each other out. Owned by the caller. */
static char *file_name(const char *key)
{
	uint64_t hash = 0;

	for (; *key; key++)
		hash = seed_hash(hash, (unsigned char)*key);
	return xasprintf("%016" PRIx64 ".symbols", hash);
}

struct symbol_file *symbol_cache_read(const struct symbol_cache *cache, const char *key)
{
	char *name = file_name(key), *why = NULL;
	const int fd = openat(cache->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct symbol_file *file = NULL;
	struct stat status;

	free(name);
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &status) && is_own(&status))
		file = symbol_file_read(fd, FILE_MAX, &why);
	free(why);
	if (file && (symbol_file_count(file) != 1 || !symbol_file_find(file, key))) {
		symbol_file_free(file);
		file = NULL;
	}
	if (file)
		futimens(fd, NULL); /* it was used */
	close(fd);
	return file;
}

void symbol_cache_write(struct symbol_cache *cache, struct symbol_table *table)
{
	char *name = file_name(symbol_table_key(table));
	char *new_name = xasprintf("%s.new.%d", name, (int)getpid());
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd, ret = -1;
	FILE *out;

	unlinkat(cache->fd, new_name, 0); /* of a process that was killed, and had our number */
	fd = openat(cache->fd, new_name, flags, S_IRUSR | S_IWUSR);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (out) {
		ret = symbol_file_write(out, &table, 1, FILE_MAX);
		ret |= fclose(out);
	} else if (fd >= 0) {
		close(fd);
	}
	if (ret || renameat(cache->fd, new_name, cache->fd, name))
		unlinkat(cache->fd, new_name, 0);
	else
		cache->has_grown = true;
	free(new_name);
	free(name);
}

struct cached {
	char *name;
	struct timespec used;
	uint64_t bytes;
};

struct cached_list {
	struct cached *at;
	size_t count, room;
	uint64_t bytes;
};

static int compare_use(const void *left, const void *right)
{
	const struct timespec *a = &((const struct cached *)left)->used;
	const struct timespec *b = &((const struct cached *)right)->used;

	if (a->tv_sec != b->tv_sec)
		return a->tv_sec < b->tv_sec ? -1 : 1;
	return a->tv_nsec < b->tv_nsec ? -1 : a->tv_nsec > b->tv_nsec;
}

static void list_files(int fd, DIR *directory, struct cached_list *list)
{
	const struct dirent *entry;
	struct stat status;

	while ((entry = readdir(directory))) {
		if (!strstr(entry->d_name, ".symbols") ||
		    fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW))
			continue;
		if (list->count == list->room) {
			list->room = list->room * 2 + 64;
			list->at = xreallocarray(list->at, list->room, sizeof(*list->at));
		}
		list->at[list->count++] = (struct cached){ .name = xstrdup(entry->d_name),
							   .used = status.st_mtim,
							   .bytes = (uint64_t)status.st_size };
		list->bytes += (uint64_t)status.st_size;
	}
}

/* What was not used for longest goes, until there is room for a while. */
static void remove_oldest(int fd, struct cached_list *list)
{
	if (list->bytes > ALL_MAX)
		qsort(list->at, list->count, sizeof(*list->at), compare_use);
	for (size_t i = 0, bytes = list->bytes; i < list->count; i++) {
		if (list->bytes > ALL_MAX && bytes > ALL_MAX / 4 * 3) {
			unlinkat(fd, list->at[i].name, 0);
			bytes -= list->at[i].bytes;
		}
		free(list->at[i].name);
	}
	free(list->at);
}

static void bound_size(const struct symbol_cache *cache)
{
	const int fd = dup(cache->fd);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	struct cached_list list = { 0 };

	if (directory) {
		list_files(cache->fd, directory, &list);
		remove_oldest(cache->fd, &list);
		closedir(directory);
	} else if (fd >= 0) {
		close(fd);
	}
}

void symbol_cache_close(struct symbol_cache *cache)
{
	if (!cache)
		return;
	if (cache->has_grown)
		bound_size(cache);
	close(cache->fd);
	free(cache);
}
