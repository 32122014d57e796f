/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/rss/mapped.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/launch/elf_facts.h"
#include "preload/launch/message.h"

#define FILES_MAX 1000
#define NAMES_MAX 1000

static struct {
	struct known {
		struct mapped_file file;
		uint64_t inode;
	} * file[FILES_MAX];
	size_t count, latest; /* the same file comes several times in a row */
	char *name[NAMES_MAX];
	size_t names;
} mapped;

/* Only what is there now and is what was mapped: it may have been replaced. */
static void look_at(struct known *known)
{
	struct elf_facts facts;
	struct stat st;
	const int fd = open(known->file.path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	known->file.build_id = text_new("%s", "");
	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_ino == known->inode &&
	    elf_facts_read(&facts, fd) == 0) {
		known->file.build_id = text_new("%s", facts.build_id);
		known->file.image_bytes = facts.image_bytes;
	}
	close(fd);
}

static int is(const struct known *known, const char *path, uint64_t inode)
{
	return known->inode == inode && strcmp(known->file.path, path) == 0;
}

const struct mapped_file *mapped_find(const char *path, uint64_t inode, uint64_t start,
				      uint64_t offset)
{
	struct known *known;

	if (mapped.count && is(mapped.file[mapped.latest], path, inode))
		return &mapped.file[mapped.latest]->file;
	for (size_t i = 0; i < mapped.count; i++)
		if (is(mapped.file[i], path, inode)) {
			mapped.latest = i;
			return &mapped.file[i]->file;
		}
	if (mapped.count == FILES_MAX)
		return NULL;
	known = memory_new(1, sizeof(*known));
	known->file.path = text_new("%s", path);
	known->file.base = start - offset;
	known->inode = inode;
	look_at(known);
	mapped.latest = mapped.count;
	mapped.file[mapped.count++] = known;
	return &known->file;
}

size_t mapped_count(void)
{
	return mapped.count;
}

const struct mapped_file *mapped_get(size_t i)
{
	return &mapped.file[i]->file;
}

const char *mapped_name(const char *name)
{
	for (size_t i = 0; i < mapped.names; i++)
		if (strcmp(mapped.name[i], name) == 0)
			return mapped.name[i];
	if (mapped.names == NAMES_MAX)
		return NULL;
	return mapped.name[mapped.names++] = text_new("%s", name);
}
