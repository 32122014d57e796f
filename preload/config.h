/* SPDX-License-Identifier: Apache-2.0 */
/* The XALLOC_ variables, read once. A bad value and an unknown name are said by the first program
 * of a session, and the default is used. */
#ifndef XALLOC_CONFIG_H
#define XALLOC_CONFIG_H

#include <stdint.h>

struct config {
	const char *out;     /* XALLOC_OUT, a pattern */
	const char *session; /* XALLOC_SESSION as found, or NULL */
	uint64_t max_size;   /* XALLOC_MAX_SIZE, bytes */
	uint64_t reserve;    /* XALLOC_RESERVE, bytes */
	uint32_t depth;      /* XALLOC_DEPTH, frames */
	int level;           /* XALLOC_LEVEL, 0 is raw */
	int follow, verbose;
	int start; /* XALLOC_START: 0: paused until the program resumes */
	int mmap;  /* XALLOC_MMAP: the program's own mappings, too */
	uint32_t residency; /* XALLOC_RESIDENCY: milliseconds, or one of these */
#define CONFIG_RESIDENCY_OFF 0u
#define CONFIG_RESIDENCY_AUTO UINT32_MAX
	int unwind_by_libunwind; /* XALLOC_UNWIND=libunwind */
};

extern struct config config;

/* env is the process's environment as it began; what is kept of it is copied, for programs write
 * over it. */
void config_read(char *const *env);

/* Calls fn(text) for each XALLOC_ variable that was given, NAME=VALUE. */
void config_each(void (*fn)(const char *text));

#endif
