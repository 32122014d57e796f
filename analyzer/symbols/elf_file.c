/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/elf_file.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/text.h"
#include "preload/trace/format.h"

#define SYSTEM_DEBUG_DIR "/usr/lib/debug"

int elf_file_open(struct elf_file *file, const char *path, char **why)
{
	/* A path of the trace may by now be a FIFO or a device: never wait for one. */
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0) {
		*why = xstrdup(strerror(errno));
		return -1;
	}
	elf_version(EV_CURRENT);
	file->fd = fd;
	file->elf = NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		file->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF) {
		elf_file_close(file);
		*why = xstrdup("not an ELF file");
		return -1;
	}
	return 0;
}

void elf_file_close(struct elf_file *file)
{
	elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	file->elf = NULL;
	file->fd = -1;
}

static bool has_segment(Elf *elf, size_t headers, const struct xt_segment *wanted)
{
	for (size_t i = 0; i < headers; i++) {
		GElf_Phdr head;

		if (gelf_getphdr(elf, (int)i, &head) && head.p_type == PT_LOAD &&
		    head.p_vaddr == wanted->vaddr && head.p_memsz == wanted->memory_bytes &&
		    head.p_offset == wanted->file_offset)
			return true;
	}
	return false;
}

static bool has_same_layout(Elf *elf, const struct module *module)
{
	size_t headers;
	GElf_Ehdr head;

	if (!gelf_getehdr(elf, &head) || head.e_entry != module->entry ||
	    elf_getphdrnum(elf, &headers))
		return false;
	for (size_t i = 0; i < module->segments; i++)
		if (module->segment[i].flags & PF_X &&
		    !has_segment(elf, headers, &module->segment[i]))
			return false;
	return true;
}

static bool has_build_id(Elf *elf, const struct module *module, const void **id, ssize_t *bytes)
{
	*bytes = dwelf_elf_gnu_build_id(elf, id);
	return *bytes > 0 && (size_t)*bytes == module->build_id_bytes &&
	       !memcmp(*id, module->build_id, module->build_id_bytes);
}

int elf_file_check(const struct elf_file *file, const struct module *module, char **why)
{
	const void *id;
	ssize_t bytes;
	char *found, *traced;

	if (has_build_id(file->elf, module, &id, &bytes))
		return 0;
	if (!module->build_id_bytes) {
		if (bytes <= 0 && has_same_layout(file->elf, module))
			return 0;
		*why = xstrdup("the file has changed since the recording");
		return -1;
	}
	if (bytes <= 0) {
		*why = xstrdup("the file has no build ID, the recorded one had");
		return -1;
	}
	found = text_hex(id, (size_t)bytes);
	traced = text_hex(module->build_id, module->build_id_bytes);
	*why = xasprintf("the file's build ID is %s, the recorded one was %s", found, traced);
	free(found);
	free(traced);
	return -1;
}

static int open_debug_in(struct elf_file *file, const struct module *module, const char *dir)
{
	char *id = text_hex(module->build_id, module->build_id_bytes);
	char *path = xasprintf("%s/.build-id/%.2s/%s.debug", dir, id, id + 2);
	char *why = NULL;
	const void *found;
	ssize_t bytes;
	int ret = elf_file_open(file, path, &why);

	if (!ret && !has_build_id(file->elf, module, &found, &bytes)) {
		elf_file_close(file);
		ret = -1;
	}
	free(why);
	free(path);
	free(id);
	return ret;
}

int elf_file_open_debug(struct elf_file *file, const struct module *module, const char *debug_dir)
{
	if (module->build_id_bytes < 2)
		return -1;
	if (debug_dir && !open_debug_in(file, module, debug_dir))
		return 0;
	return open_debug_in(file, module, SYSTEM_DEBUG_DIR);
}
