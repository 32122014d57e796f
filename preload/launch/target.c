/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/target.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <paths.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "preload/launch/elf_facts.h"
#include "preload/launch/elf_names.h"
#include "preload/launch/glibc.h"
#include "preload/launch/message.h"

#define SCRIPTS_MAX 5        /* that name each other: the kernel's limit */
#define FIRST_LINE_BYTES 256 /* of a script, that the kernel looks at */

/* 0, or an errno as execve would give it. */
static int try_path(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	if (!S_ISREG(st.st_mode))
		return EACCES;
	return eaccess(path, X_OK) < 0 ? errno : 0;
}

/* The first in PATH that can be executed; NULL, and *error is EACCES when there are only others. */
static char *search(const char *name, int *error)
{
	char standard[64];
	const char *at = getenv("PATH");

	*error = ENOENT;
	if (!at) {
		confstr(_CS_PATH, standard, sizeof(standard));
		at = standard;
	}
	for (;;) {
		const size_t bytes = strcspn(at, ":");
		char *path = text_new("%.*s%s%s", (int)bytes, at, bytes ? "/" : "", name);
		int result = try_path(path);

		if (!result)
			return path;
		if (result == EACCES || result == EISDIR)
			*error = EACCES;
		free(path);
		if (!at[bytes])
			return NULL;
		at += bytes + 1;
	}
}

void target_cannot_execute(int error, const char *what)
{
	refuse(error == ENOENT || error == ENOTDIR ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE, "%s: %s",
	       what, strerror(error));
}

void target_find(struct target *target, char **argv)
{
	const char *name = argv[0];
	size_t count = 0;
	int error;

	if (strchr(name, '/')) {
		error = try_path(name);
		if (error)
			target_cannot_execute(error, name);
		target->path = text_new("%s", name);
	} else {
		error = ENOENT;
		target->path = *name ? search(name, &error) : NULL;
		if (!target->path && error == ENOENT)
			refuse(EXIT_NOT_FOUND, "%s: command not found", name);
		if (!target->path)
			target_cannot_execute(error, name);
	}
	target->argv = argv;
	while (argv[count])
		count++;
	target->sh_argv = memory_new(count + 2, sizeof(*argv));
	target->sh_argv[0] = (char *)(uintptr_t)_PATH_BSHELL;
	target->sh_argv[1] = target->path;
	memcpy(target->sh_argv + 2, argv + 1, count * sizeof(*argv));
}

static const char *machine_name(const struct elf_facts *facts)
{
	switch (facts->machine) {
	case EM_386:
		return "i386";
	case EM_X86_64:
		return "x86-64, 32-bit pointers";
	case EM_ARM:
		return "ARM";
	case EM_AARCH64:
		return "AArch64";
	case EM_RISCV:
		return "RISC-V";
	case EM_PPC64:
		return "PowerPC";
	case EM_S390:
		return "s390";
	default:
		return text_new("ELF machine %u", facts->machine);
	}
}

static const char *privileges(const char *path, const struct stat *st)
{
	if (st->st_mode & S_ISUID)
		return "is setuid";
	if ((st->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP))
		return "is setgid";
	if (getxattr(path, "security.capability", NULL, 0) > 0)
		return "has file capabilities";
	return NULL;
}

const char *target_privileges(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? privileges(path, &st) : NULL;
}

/* Why ld.so would not preload anything into it. */
static void check_privileges(const char *path, const struct stat *st, const char *name)
{
	const char *what = privileges(path, st);

	if (what)
		refuse(EXIT_REFUSED,
		       "%s %s, so the loader ignores LD_PRELOAD: record a copy without that", name,
		       what);
}

static void check_loader(const struct elf_facts *facts, const char *name)
{
	const char *loader = strrchr(facts->loader, '/');
	struct glibc_version version;

	if (!facts->loader[0] || !facts->is_dynamic)
		refuse(EXIT_REFUSED, "%s is statically linked: no library can be preloaded into it",
		       name);
	loader = loader ? loader + 1 : facts->loader;
	if (strncmp(loader, "ld-musl", 7) == 0)
		refuse(EXIT_REFUSED, "%s is linked with musl (%s): only glibc %d.%d and later",
		       name, facts->loader, GLIBC_MAJOR_MIN, GLIBC_MINOR_MIN);
	if (access(facts->loader, F_OK) < 0)
		refuse(EXIT_NOT_FOUND, "%s: its loader %s: %s", name, facts->loader,
		       strerror(errno));
	version = glibc_version_of(facts->loader);
	if (version.major && !glibc_is_new_enough(version))
		refuse(EXIT_REFUSED, "%s runs with glibc %d.%d (%s): only %d.%d and later", name,
		       version.major, version.minor, facts->loader, GLIBC_MAJOR_MIN,
		       GLIBC_MINOR_MIN);
}

/* ld.so itself, with a program behind it: it preloads as ever. */
static bool is_loader(const struct stat *st)
{
	struct stat loader;
	const char *ours = glibc_loader();

	return *ours && stat(ours, &loader) == 0 && loader.st_dev == st->st_dev &&
	       loader.st_ino == st->st_ino;
}

static void check_elf(int fd, const char *name)
{
	struct elf_facts facts;
	struct elf_names names;
	struct stat st;

	if (elf_facts_read(&facts, fd) < 0)
		refuse(EXIT_NOT_EXECUTABLE, "%s is a damaged ELF file", name);
	if (facts.class != ELFCLASS64 || facts.machine != EM_X86_64 || facts.data != ELFDATA2LSB)
		refuse(EXIT_REFUSED, "%s is for another architecture (%s): only x86-64", name,
		       machine_name(&facts));
	if (fstat(fd, &st) == 0 && is_loader(&st))
		return;
	check_loader(&facts, name);
	names = elf_names_read(fd);
	if (names.needs_asan)
		refuse(EXIT_REFUSED,
		       "%s is built with AddressSanitizer, which has an allocator of its own "
		       "and takes no library before it",
		       name);
	if (names.defines_malloc)
		message("%s defines malloc itself: calls of it are not recorded", name);
}

/* The interpreter in a first line "#! NAME ...", or NULL; line is changed. */
static char *interpreter(char *line)
{
	char *name;

	if (line[0] != '#' || line[1] != '!')
		return NULL;
	name = line + 2 + strspn(line + 2, " \t");
	name[strcspn(name, " \t\n")] = 0;
	return *name ? name : NULL;
}

/* The program that the kernel starts for a file that is no ELF file; `line` is its first one. */
static char *next_program(const char *name, char *line)
{
	char *next = interpreter(line);
	int error;

	next = text_new("%s", next ? next : _PATH_BSHELL);
	error = try_path(next);
	if (error)
		target_cannot_execute(error, text_new("%s: its interpreter %s", name, next));
	return next;
}

char *target_elf(const struct target *target)
{
	char *path = target->path;

	for (int scripts = 0; scripts <= SCRIPTS_MAX; scripts++) {
		char line[FIRST_LINE_BYTES + 1] = "";
		const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		const bool is_read = fd >= 0 && pread(fd, line, FIRST_LINE_BYTES, 0) > 0;

		if (fd >= 0)
			close(fd);
		if (!is_read)
			return NULL;
		if (memcmp(line, ELFMAG, SELFMAG) == 0)
			return path;
		path = interpreter(line);
		path = text_new("%s", path ? path : _PATH_BSHELL);
	}
	return NULL;
}

void target_check(const struct target *target)
{
	char *path[SCRIPTS_MAX + 1] = { target->path }, *name = target->path;

	for (int scripts = 0; scripts <= SCRIPTS_MAX; scripts++) {
		char line[FIRST_LINE_BYTES + 1] = "";
		const int fd = open(path[scripts], O_RDONLY | O_CLOEXEC | O_NOCTTY);
		struct stat st;

		if (fd < 0) { /* may be executed, not read: then it is the kernel's to say */
			if (stat(path[scripts], &st) == 0)
				check_privileges(path[scripts], &st, name);
			return;
		}
		if (pread(fd, line, FIRST_LINE_BYTES, 0) < 0)
			refuse(EXIT_NOT_EXECUTABLE, "%s: %s", name, strerror(errno));
		if (memcmp(line, ELFMAG, SELFMAG) == 0) {
			if (fstat(fd, &st) == 0)
				check_privileges(path[scripts], &st, name);
			check_elf(fd, name);
			close(fd);
			return;
		}
		close(fd);
		if (scripts == SCRIPTS_MAX)
			break;
		path[scripts + 1] = next_program(name, line);
		for (int i = 0; i <= scripts; i++)
			if (strcmp(path[i], path[scripts + 1]) == 0)
				refuse(EXIT_NOT_EXECUTABLE, "%s: its #! lines go round in a circle",
				       target->path);
		name = text_new("%s: its interpreter %s", name, path[scripts + 1]);
	}
	refuse(EXIT_NOT_EXECUTABLE, "%s: more than %d interpreters by #! lines", target->path,
	       SCRIPTS_MAX);
}
