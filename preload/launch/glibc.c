/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/glibc.h"

#include <fcntl.h>
#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/launch/elf_facts.h"
#include "preload/launch/message.h"
#include "preload/launch/paths.h"

#define BANNER "GNU C Library (" /* "... (PACKAGE) stable release version 2.36." */
#define BANNER_BYTES 256
#define VERSION " release version "

const char *glibc_loader(void)
{
	static struct elf_facts own;
	static bool is_known;
	int fd;

	if (is_known)
		return own.loader;
	is_known = true;
	fd = open(paths_own(), O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return own.loader;
	if (elf_facts_read(&own, fd) < 0)
		own.loader[0] = 0;
	close(fd);
	return own.loader;
}

static struct glibc_version parse(const char *text)
{
	struct glibc_version version = { 0, 0 };

	if (sscanf(text, "%d.%d", &version.major, &version.minor) != 2)
		version.major = 0;
	return version;
}

static struct glibc_version find_banner(const char *bytes, size_t size)
{
	const char *banner = memmem(bytes, size, BANNER, strlen(BANNER)), *number = NULL;
	char text[BANNER_BYTES] = "";

	if (banner) {
		const size_t left = size - (size_t)(banner - bytes);

		memcpy(text, banner, left < sizeof(text) ? left : sizeof(text) - 1);
		number = strstr(text, VERSION);
	}
	return number ? parse(number + strlen(VERSION)) : (struct glibc_version){ 0, 0 };
}

static struct glibc_version read_banner(const char *path)
{
	struct glibc_version version = { 0, 0 };
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *bytes;

	if (fd < 0)
		return version;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
		bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (bytes != MAP_FAILED) {
			version = find_banner(bytes, (size_t)st.st_size);
			munmap(bytes, (size_t)st.st_size);
		}
	}
	close(fd);
	return version;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat first, second;

	return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
	       first.st_ino == second.st_ino;
}

struct glibc_version glibc_version_of(const char *loader)
{
	struct glibc_version version = { 0, 0 };
	char *real, *slash, *libc;

	if (is_same_file(loader, glibc_loader()))
		return parse(gnu_get_libc_version());
	real = realpath(loader, NULL);
	slash = real ? strrchr(real, '/') : NULL;
	if (!slash)
		return version;
	libc = text_new("%.*s/libc.so.6", (int)(slash - real), real);
	version = read_banner(libc);
	free(libc);
	free(real);
	return version;
}

bool glibc_is_new_enough(struct glibc_version version)
{
	return version.major > GLIBC_MAJOR_MIN ||
	       (version.major == GLIBC_MAJOR_MIN && version.minor >= GLIBC_MINOR_MIN);
}
