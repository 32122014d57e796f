/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * symbolize [--demangle] FILE [DEBUG-DIR] <ADDRESSES: what the analyzer calls addresses of a file,
 * without a trace. ADDRESSES are hexadecimal, at link time, one a line; each is looked up as it is.
 *
 * Prints for each "0xADDRESS", then a line for each frame, the innermost first: function, file and
 * line with tabs between them. Warnings go to standard error.
 */
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/warnings.h"
#include "analyzer/symbols/symbolizer.h"
#include "analyzer/trace/jit_names.h"
#include "analyzer/trace/module_map.h"

static void read_identity(struct module *module, Elf *elf)
{
	const void *id;
	const ssize_t bytes = dwelf_elf_gnu_build_id(elf, &id);
	GElf_Ehdr head;
	GElf_Phdr program;

	if (bytes > 0) {
		module->build_id = xmalloc((size_t)bytes);
		memcpy(module->build_id, id, (size_t)bytes);
		module->build_id_bytes = (uint32_t)bytes;
	}
	if (gelf_getehdr(elf, &head))
		module->entry = head.e_entry;
	for (int i = 0; gelf_getphdr(elf, i, &program); i++) {
		if (program.p_type != PT_LOAD)
			continue;
		module->segment = xreallocarray(module->segment, module->segments + 1,
						sizeof(*module->segment));
		module->segment[module->segments++] =
			(struct xt_segment){ program.p_vaddr, program.p_memsz, program.p_offset,
					     program.p_flags, 0 };
	}
}

/* A module that takes up all of the address space and was loaded at its own addresses. */
static void read_module(struct module *module, const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	*module = (struct module){ .map_end = UINT64_MAX, .path = xstrdup(path), .is_main = true };
	if (elf)
		read_identity(module, elf);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
}

static void put_frames(const struct frame_name *frame)
{
	for (; frame; frame = frame->outer) {
		const struct source_line source = frame->line;

		printf("%s\t%s\t%" PRIu32 "\n", frame->function, source.file, source.line);
	}
}

int main(int argc, char **argv)
{
	struct symbolizer_options options = { .demangle = false };
	struct module_map *map = module_map_new();
	struct jit_names names;
	struct symbolizer *symbolizer;
	struct warnings warnings = { 0 };
	struct module module;
	char line[64];
	uint32_t id = XT_ID_FIRST;

	if (argc > 1 && !strcmp(argv[1], "--demangle")) {
		options.demangle = true;
		argv++;
		argc--;
	}
	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: symbolize [--demangle] FILE [DEBUG-DIR] <ADDRESSES\n");
		return 2;
	}
	if (argc == 3)
		options.search = (struct file_search){ .debug_dir = (const char *const *)argv + 2,
						       .debug_dirs = 1 };
	jit_names_init(&names);
	read_module(&module, argv[1]);
	module_map_add(map, &module);
	module_map_seal(map);
	symbolizer = symbolizer_new(map, &names, &options, &warnings);
	while (fgets(line, sizeof(line), stdin)) {
		const struct xt_id entry = { .pc = strtoull(line, NULL, 16),
					     .flags = XT_IDF_EXACT };

		printf("0x%" PRIx64 "\n", (uint64_t)entry.pc);
		put_frames(symbolizer_get(symbolizer, id++, &entry));
	}
	for (size_t i = 0; i < warnings.count; i++)
		fprintf(stderr, "%s\n", warnings.text[i]);
	symbolizer_free(symbolizer);
	warnings_release(&warnings);
	jit_names_release(&names);
	module_map_free(map);
	return 0;
}
