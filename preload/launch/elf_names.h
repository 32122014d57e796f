/* SPDX-License-Identifier: Apache-2.0 */
/* Which names a program defines and needs, as far as they keep its calls from a preloaded library,
 * or it from being traced. */
#ifndef XALLOC_LAUNCH_ELF_NAMES_H
#define XALLOC_LAUNCH_ELF_NAMES_H

#include <stdbool.h>

struct elf_names {
	bool needs_asan; /* AddressSanitizer, which ends a program that has a library before it */
	bool defines_malloc; /* what it and its libraries call is its own */
	bool uses_ptrace;    /* it calls ptrace, by libc's function */
	bool checks_leaks; /* LeakSanitizer, alone or within another: at its end it traces itself */
};

/* fd: a 64-bit little-endian ELF file. Without section headers nothing is found. */
struct elf_names elf_names_read(int fd);

#endif
