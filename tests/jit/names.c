/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code made at run time, called as it is and registered, whose names stand in a perf map or a
 * jitdump. Arguments: none, map, stranger (the map is another user's), dump, kill (it ends so), and
 * a folder for the dump. Prints the process's number.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/hazards/jit-code.h"

extern void __register_frame(void *);

#define BARE_FRAME 32
#define KNOWN_FRAME 640

static uint8_t *code[2]; /* without unwind information, and with it */
static size_t bytes[2];

static __attribute__((noipa)) void leaf(void)
{
	free(malloc(1000));
}

static void make(void)
{
	uint8_t *memory = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		exit(2);
	code[0] = memory;
	code[1] = memory + 4096;
	bytes[0] = jit_write(code[0], JIT_RSP, BARE_FRAME);
	bytes[1] = jit_write(code[1], JIT_RBP, KNOWN_FRAME);
	jit_write_section(memory + 8192, code[1], bytes[1], JIT_RBP, KNOWN_FRAME);
	__register_frame(memory + 8192);
}

static void write_map(int is_stranger)
{
	char name[64];
	FILE *map;

	snprintf(name, sizeof(name), "/tmp/perf-%d.map", getpid());
	map = fopen(name, "wx");
	if (!map)
		exit(2);
	fprintf(map, "%" PRIxPTR " 20 old name\n", (uintptr_t)code[0]);
	fprintf(map, "0x%" PRIXPTR " 0x%zx second;of map\n", (uintptr_t)code[1], bytes[1]);
	fprintf(map, "not a line\n%" PRIxPTR "\n", (uintptr_t)code[1]);
	for (int i = 0; i < 20000; i++) /* more than one buffer of the reader */
		fprintf(map, "%x 10 elsewhere %d\n", 0x1000 + 16 * i, i);
	/* ends where the code does, and at the first byte of the other */
	fprintf(map, "%" PRIxPTR " %zx first of map\n", (uintptr_t)code[0], bytes[0]);
	fprintf(map, "%" PRIxPTR " %zx neighbour\n", (uintptr_t)code[0] + bytes[0],
		4096 - bytes[0]);
	fprintf(map, "%" PRIxPTR " 20 not finished", (uintptr_t)code[1]);
	if (is_stranger && fchown(fileno(map), 65534, 65534))
		exit(3);
	fclose(map);
}

struct dump_load {
	uint32_t type, size;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, start, bytes, index;
};

static void put_load(int file, unsigned i, const char *name)
{
	const struct dump_load load = {
		.size = (uint32_t)(sizeof(load) + strlen(name) + 1 + bytes[i]),
		.pid = (uint32_t)getpid(),
		.vma = (uintptr_t)code[i],
		.start = (uintptr_t)code[i],
		.bytes = bytes[i],
	};

	if (write(file, &load, sizeof(load)) < 0 || write(file, name, strlen(name) + 1) < 0 ||
	    write(file, code[i], bytes[i]) < 0)
		exit(2);
}

static void write_dump(const char *folder)
{
	const uint32_t header[10] = { 0x4A695444, 1, 40, 62, 0, (uint32_t)getpid() };
	const uint32_t other_record[6] = { 2, 24 }; /* debug information */
	char name[4096];
	int file;

	snprintf(name, sizeof(name), "%s/jit-%d.dump", folder, getpid());
	file = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (file < 0 || write(file, header, sizeof(header)) != sizeof(header) ||
	    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) == MAP_FAILED)
		exit(2);
	put_load(file, 0, "old of dump");
	if (write(file, other_record, sizeof(other_record)) < 0)
		exit(2);
	put_load(file, 1, "second of dump");
	put_load(file, 0, "first of dump");
	close(file);
}

int main(int argc, char **argv)
{
	int is_killed = 0;

	make();
	for (int i = 0; i < 3; i++) {
		((jit_function *)(void *)code[0])(leaf);
		((jit_function *)(void *)code[1])(leaf);
	}
	for (int i = 1; i < argc - 1; i++) {
		if (!strcmp(argv[i], "dump"))
			write_dump(argv[argc - 1]);
		else if (!strcmp(argv[i], "kill"))
			is_killed = 1;
		else if (strcmp(argv[i], "none"))
			write_map(!strcmp(argv[i], "stranger"));
	}
	printf("%d\n", getpid());
	fflush(stdout);
	if (is_killed)
		raise(SIGKILL);
	return 0;
}
