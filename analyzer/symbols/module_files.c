/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/module_files.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/text.h"
#include "analyzer/symbols/debuginfod.h"

#define SYSTEM_DEBUG_DIR "/usr/lib/debug"
#define LINK_MAX 4096 /* bytes of a name in a file, more is none */

struct module_files {
	const struct module *module;
	const struct file_search *search;
	struct warnings *warnings;
	struct elf_file main, debug, shared;
	bool has_looked_for_debug;
	const struct elf_file *shared_of; /* whose the shared one is; NULL: not looked for */
	char *why;
};

/* What a file must be to be taken. */
struct wanted {
	const uint8_t *id; /* NULL: the CRC decides */
	size_t id_bytes;
	uint32_t crc;
};

static int check_wanted(const struct elf_file *file, const struct wanted *wanted, char **why)
{
	uint32_t crc;

	if (wanted->id)
		return elf_file_check_id(file, wanted->id, wanted->id_bytes, why);
	if (elf_file_crc(file, &crc) && crc == wanted->crc)
		return 0;
	*why = xstrdup("its CRC is not that of .gnu_debuglink");
	return -1;
}

/* What is there of it is used. */
static void warn_of_cut(struct module_files *files, const struct elf_file *file)
{
	if (elf_file_is_cut(file))
		warnings_add(files->warnings, "%s is cut short: names may be missing", file->path);
}

/* A file that is not there is no news, one that is another is. */
static bool try_path(struct module_files *files, struct elf_file *file, const char *sysroot,
		     const char *path, const struct wanted *wanted)
{
	char *why = NULL;

	if (elf_file_open(file, sysroot, path, &why)) {
		free(why);
		return false;
	}
	/* A module that names itself has no debug file by that. */
	if (file != &files->main && files->main.fd >= 0 &&
	    files->main.status.st_dev == file->status.st_dev &&
	    files->main.status.st_ino == file->status.st_ino) {
		elf_file_close(file);
		return false;
	}
	if (!check_wanted(file, wanted, &why)) {
		warn_of_cut(files, file);
		return true;
	}
	warnings_add(files->warnings, "%s is not used for %s: %s", file->path, files->module->path,
		     why);
	free(why);
	elf_file_close(file);
	return false;
}

/* The same, below each debug directory and the system's; rest begins with a slash. */
static bool try_debug_dirs(struct module_files *files, struct elf_file *file, const char *rest,
			   const struct wanted *wanted)
{
	const struct file_search *search = files->search;
	bool is_found = false;
	char *path;

	for (size_t i = 0; i < search->debug_dirs && !is_found; i++) {
		path = xasprintf("%s%s", search->debug_dir[i], rest);
		is_found = try_path(files, file, NULL, path, wanted);
		free(path);
	}
	if (is_found)
		return true;
	path = xasprintf("%s%s", SYSTEM_DEBUG_DIR, rest);
	is_found = try_path(files, file, search->sysroot, path, wanted);
	free(path);
	return is_found;
}

static bool find_by_id(struct module_files *files, struct elf_file *file,
		       const struct wanted *wanted, const char *suffix)
{
	char *id, *rest;
	bool is_found;

	if (!wanted->id || wanted->id_bytes < 2)
		return false;
	id = text_hex(wanted->id, wanted->id_bytes);
	rest = xasprintf("/.build-id/%.2s/%s%s", id, id + 2, suffix);
	is_found = try_debug_dirs(files, file, rest, wanted);
	free(rest);
	free(id);
	return is_found;
}

/* A server's answer is a file in debuginfod's own cache. */
static bool find_by_server(struct module_files *files, struct elf_file *file,
			   const struct wanted *wanted, enum debuginfod_kind kind)
{
	char *path, *why = NULL;
	bool is_found;

	if (!files->search->has_debuginfod || !wanted->id)
		return false;
	path = debuginfod_find(wanted->id, wanted->id_bytes, kind, &why);
	if (!path) {
		if (why)
			warnings_add(files->warnings, "--debuginfod: %s", why);
		free(why);
		return false;
	}
	is_found = try_path(files, file, NULL, path, wanted);
	free(path);
	return is_found;
}

static struct wanted wanted_module(const struct module *module)
{
	return (struct wanted){ .id = module->build_id_bytes ? module->build_id : NULL,
				.id_bytes = module->build_id_bytes };
}

bool module_files_is_vdso(const struct module *module)
{
	return !strncmp(module->path, "linux-vdso.so", strlen("linux-vdso.so")) ||
	       !strncmp(module->path, "[vdso]", strlen("[vdso]"));
}

static bool open_by_path(struct module_files *files)
{
	const struct module *module = files->module;
	const char *cwd = *module->path && *module->path != '/' ? files->search->cwd : NULL;
	char *path = cwd ? xasprintf("%s/%s", cwd, module->path) : xstrdup(module->path);
	const int ret =
		module_files_is_vdso(module)
			? elf_file_open_vdso(&files->main, &files->why)
			: elf_file_open(&files->main, files->search->sysroot, path, &files->why);

	free(path);
	if (ret)
		return false;
	if (elf_file_check(&files->main, module, &files->why)) {
		elf_file_close(&files->main);
		return false;
	}
	warn_of_cut(files, &files->main);
	return true;
}

static void open_main(struct module_files *files)
{
	const struct wanted wanted = wanted_module(files->module);

	if (open_by_path(files))
		return;
	if (find_by_id(files, &files->main, &wanted, "") ||
	    find_by_server(files, &files->main, &wanted, DEBUGINFOD_EXECUTABLE)) {
		free(files->why);
		files->why = NULL;
	}
}

struct module_files *module_files_new(const struct module *module, const struct file_search *search,
				      struct warnings *warnings)
{
	struct module_files *files = xcalloc(1, sizeof(*files));

	files->module = module;
	files->search = search;
	files->warnings = warnings;
	files->main.fd = -1;
	files->debug.fd = -1;
	files->shared.fd = -1;
	open_main(files);
	return files;
}

void module_files_free(struct module_files *files)
{
	if (!files)
		return;
	elf_file_close(&files->main);
	elf_file_close(&files->debug);
	elf_file_close(&files->shared);
	free(files->why);
	free(files);
}

/* "name\0", then what else the section holds. Returns how many bytes the name takes with its NUL;
 * 0: it is none. */
static size_t read_link(const char *section, size_t bytes)
{
	const char *end =
		section ? memchr(section, '\0', bytes < LINK_MAX ? bytes : LINK_MAX) : NULL;

	return end && end != section ? (size_t)(end - section) + 1 : 0;
}

/* Beside the module, in .debug/ there, and in the debug directories' copy of the directory. */
static bool try_directory(struct module_files *files, const char *directory, const char *name,
			  const struct wanted *wanted)
{
	char *rest = xasprintf("%s/%s", directory, name);
	char *below = xasprintf("%s/.debug/%s", directory, name);
	const char *sysroot = files->search->sysroot;
	const bool is_found = try_path(files, &files->debug, sysroot, rest, wanted) ||
			      try_path(files, &files->debug, sysroot, below, wanted) ||
			      (*rest == '/' && try_debug_dirs(files, &files->debug, rest, wanted));

	free(rest);
	free(below);
	return is_found;
}

/* The directory of a path; owned by the caller. */
static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? xstrndup(path, (size_t)(slash - path)) : xstrdup(".");
}

/* The file's directory with all links resolved, seen from the sysroot; owned by the caller, NULL:
 * not known. */
static char *real_directory(const struct elf_file *file, const char *sysroot)
{
	char *real = realpath(file->path, NULL);
	char *root = sysroot ? realpath(sysroot, NULL) : NULL;
	const size_t length = root && root[1] ? strlen(root) : 0;
	char *directory = NULL;

	if (real && (!length || (!strncmp(real, root, length) && real[length] == '/')))
		directory = directory_of(real + length);
	free(real);
	free(root);
	return directory;
}

static bool find_by_link(struct module_files *files, struct wanted wanted)
{
	const char *sysroot = files->search->sysroot, *name;
	char *own, *real;
	size_t bytes, length;
	bool is_found;

	if (files->main.fd < 0)
		return false;
	name = elf_file_section(&files->main, ".gnu_debuglink", &bytes);
	length = read_link(name, bytes);
	/* the CRC is in the section's last four bytes */
	if (!length || strchr(name, '/') || bytes < length + sizeof(wanted.crc))
		return false;
	memcpy(&wanted.crc, name + bytes - sizeof(wanted.crc), sizeof(wanted.crc));
	own = directory_of(files->main.path + (sysroot ? strlen(sysroot) : 0));
	real = real_directory(&files->main, sysroot);
	is_found = try_directory(files, own, name, &wanted) ||
		   (real && strcmp(real, own) && try_directory(files, real, name, &wanted));
	free(own);
	free(real);
	return is_found;
}

const struct elf_file *module_files_main(const struct module_files *files)
{
	return files->main.fd >= 0 ? &files->main : NULL;
}

/* A server need not be asked for what is there. */
static bool is_whole(const struct elf_file *file)
{
	size_t bytes;

	return file->fd >= 0 && elf_file_section(file, ".symtab", &bytes) &&
	       elf_file_section(file, ".debug_info", &bytes);
}

const struct elf_file *module_files_debug(struct module_files *files)
{
	const struct wanted wanted = wanted_module(files->module);

	if (!files->has_looked_for_debug && !find_by_id(files, &files->debug, &wanted, ".debug") &&
	    !find_by_link(files, wanted) && !is_whole(&files->main))
		find_by_server(files, &files->debug, &wanted, DEBUGINFOD_DEBUGINFO);
	files->has_looked_for_debug = true;
	return files->debug.fd >= 0 ? &files->debug : NULL;
}

/* A relative name is meant from the file that has it. */
static bool find_shared_by_name(struct module_files *files, const struct elf_file *of,
				const char *name, const struct wanted *wanted)
{
	char *directory, *path;
	bool is_found;

	if (*name == '/')
		return try_path(files, &files->shared, files->search->sysroot, name, wanted);
	directory = directory_of(of->path);
	path = xasprintf("%s/%s", directory, name);
	is_found = try_path(files, &files->shared, NULL, path, wanted);
	free(path);
	free(directory);
	return is_found;
}

static void find_shared(struct module_files *files, const struct elf_file *of)
{
	struct wanted wanted = { 0 };
	size_t bytes, length;
	const char *name = elf_file_section(of, ".gnu_debugaltlink", &bytes);

	length = read_link(name, bytes);
	if (!length || length == bytes)
		return;
	wanted.id = (const uint8_t *)name + length;
	wanted.id_bytes = bytes - length;
	if (!find_by_id(files, &files->shared, &wanted, ".debug") &&
	    !find_shared_by_name(files, of, name, &wanted) &&
	    !find_by_server(files, &files->shared, &wanted, DEBUGINFOD_DEBUGINFO))
		warnings_add(files->warnings,
			     "%s: the file that it shares with others is not "
			     "there: %s",
			     of->path, name);
}

const struct elf_file *module_files_shared(struct module_files *files, const struct elf_file *of)
{
	if (files->shared_of != of) {
		elf_file_close(&files->shared);
		find_shared(files, of);
	}
	files->shared_of = of;
	return files->shared.fd >= 0 ? &files->shared : NULL;
}

const char *module_files_why(const struct module_files *files)
{
	return files->main.fd >= 0 ? NULL : files->why;
}

bool module_files_has_any(struct module_files *files)
{
	return module_files_main(files) || module_files_debug(files);
}

/* A line for a file. False: it changed within the last two seconds, which is how coarse the times
 * of some file systems are. */
static bool put_file(FILE *out, const char *what, const struct elf_file *file)
{
	const struct stat *st = &file->status;
	struct timespec now;

	fprintf(out, "\n%s %ju:%ju, %jd bytes, %jd.%09ld, %jd.%09ld", what, (uintmax_t)st->st_dev,
		(uintmax_t)st->st_ino, (intmax_t)st->st_size, (intmax_t)st->st_mtim.tv_sec,
		st->st_mtim.tv_nsec, (intmax_t)st->st_ctim.tv_sec, st->st_ctim.tv_nsec);
	return !clock_gettime(CLOCK_REALTIME, &now) && st->st_ctim.tv_sec + 2 < now.tv_sec;
}

/* What is read depends on who reads. */
static void put_reader(FILE *out)
{
	struct stat st = { 0 };

	stat("/proc/self/exe", &st);
	fprintf(out, "\nxalloc-report " XALLOC_VERSION " %jd bytes, %jd.%09ld",
		(intmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

char *module_files_key(struct module_files *files, const char *own)
{
	const struct elf_file *main = module_files_main(files), *debug = module_files_debug(files);
	const struct elf_file *shared;
	char *key = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&key, &size);
	bool is_settled = main || debug;

	if (!out)
		out_of_memory(size);
	fputs(own, out);
	put_reader(out);
	if (main) {
		is_settled &= put_file(out, "main", main);
		shared = module_files_shared(files, main);
		is_settled &= !shared || put_file(out, "shared", shared);
	}
	if (debug) {
		is_settled &= put_file(out, "debug", debug);
		shared = module_files_shared(files, debug);
		is_settled &= !shared || put_file(out, "shared", shared);
	}
	if (fclose(out))
		out_of_memory(size);
	if (is_settled)
		return key;
	free(key);
	return NULL;
}
