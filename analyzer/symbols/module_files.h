/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The files that say how a module of a trace is called: the module itself, its separate debug file,
 * and the file that several debug files share (dwz).
 *
 * Each is taken only when it is the one that was recorded. The module: elf_file_check. Its debug
 * file: the same build ID; without one in the trace, the CRC that the module's .gnu_debuglink
 * tells. The shared file: the build ID that .gnu_debugaltlink tells.
 *
 * Where they are looked for, ID being the build ID in hex, XX its first two digits, YY the rest:
 *
 * - the module: its path; DIR/.build-id/XX/YY, for DIR each debug directory, then the system's
 * place;
 * - its debug file: DIR/.build-id/XX/YY.debug, DIR as above; by the name in .gnu_debuglink beside
 * the module, in .debug/ there, and in DIR/PATH for each DIR, PATH being the module's directory; a
 *   debuginfod server, if the module lacks symbols or DWARF;
 * - the shared one: by build ID as above; by the name in .gnu_debugaltlink, which is relative to
 * the file that has it; a debuginfod server.
 *
 * The system's place is /usr/lib/debug.
 */
#ifndef XALLOC_SYMBOLS_MODULE_FILES_H
#define XALLOC_SYMBOLS_MODULE_FILES_H

#include <stdbool.h>

#include "analyzer/base/warnings.h"
#include "analyzer/symbols/elf_file.h"
#include "analyzer/symbols/file_search.h"
#include "analyzer/trace/module_map.h"

struct module_files;

/* Opens the module, if it is there. All are borrowed and must outlive what is returned. Warned of
 * is a file that was found and may not be used. */
struct module_files *module_files_new(const struct module *module, const struct file_search *search,
				      struct warnings *warnings);
void module_files_free(struct module_files *files); /* NULL is fine */

/* All live as long as the files; NULL: there is none. The latter two are looked for at the first
 * call. */
const struct elf_file *module_files_main(const struct module_files *files);
const struct elf_file *module_files_debug(struct module_files *files);
/* The one that `of`, one of the above, refers to. */
const struct elf_file *module_files_shared(struct module_files *files, const struct elf_file *of);

/* The kernel's own module, which has no file: this kernel's is taken, if it is the same. */
bool module_files_is_vdso(const struct module *module);

/* Whether there is a main or a debug file. */
bool module_files_has_any(struct module_files *files);

/*
 * A text that says which files these are, and which program reads them, behind a module's own key:
 * what was found in them holds as long as it is the same. NULL: there are none, or one was changed
 * so lately that another change might not show. Owned by the caller.
 */
char *module_files_key(struct module_files *files, const char *own);

/* Why there is no main file, in words; NULL: there is one. */
const char *module_files_why(const struct module_files *files);

#endif
