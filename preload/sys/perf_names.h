/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of code made at run time, as compilers tell them to perf: in /tmp/perf-PID.map, lines START
 * SIZE NAME, and in a jitdump, jit-PID.dump, which perf finds by an executable mapping of the file,
 * and so do we. Only files of our own user are read, and of each at most 256 MiB. No lock, no
 * memory; little stack.
 */
#ifndef XALLOC_SYS_PERF_NAMES_H
#define XALLOC_SYS_PERF_NAMES_H

#include <stdint.h>

#define PERF_NAME_BYTES_MAX 1024u
#define PERF_BUFFER_BYTES (65536u + 4096u)

/* An address, and where its name stands. */
struct perf_name {
	uint64_t address, offset;
	uint32_t id;    /* the caller's own */
	uint32_t bytes; /* of the name: at most PERF_NAME_BYTES_MAX */
	long file;      /* negative: it has none */
};

struct perf_names {
	struct perf_name *name; /* [count], the caller's */
	uint32_t count;
	char *buffer;   /* [PERF_BUFFER_BYTES], the caller's, aligned to 8 */
	long map, dump; /* descriptors; -1 */
};

/* To be called first, with address and id filled in. */
void perf_names_sort(struct perf_names *n);

/* Looks for the addresses' names in the perf map of a process. The last entry of a place counts. */
void perf_names_of_map(struct perf_names *n, uint32_t pid);

/* In the jitdump of the calling process, whose number is pid. What is found replaces what was. */
void perf_names_of_dump(struct perf_names *n, uint32_t pid);

/* The name, name->bytes long, in the buffer; NULL: there is none. */
const char *perf_names_get(const struct perf_names *n, const struct perf_name *name);

void perf_names_close(const struct perf_names *n);

#endif
