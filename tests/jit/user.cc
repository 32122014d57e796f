/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library that makes code, registers it, and throws an exception through it. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/hazards/jit-code.h"
#include "tests/jit/owner.h"

extern "C" {
void __register_frame(void *);
void __deregister_frame(void *);
const char *use(void);
}

static void raise()
{
	free(malloc(100));
	throw 7;
}

static int registered_by_another(uint8_t *code)
{
	/* an unwinder that was not told would end the program here */
	return !strncmp(owner((void *)__register_frame), "libother", 8) || !code;
}

extern "C" const char *use(void)
{
	static char said[100];
	uint8_t *memory = (uint8_t *)mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const size_t bytes = jit_write(memory, JIT_RBP, 64);
	int caught = 0;

	jit_write_section(memory + 4096, memory, bytes, JIT_RBP, 64);
	__register_frame(memory + 4096);
	if (!registered_by_another(memory)) {
		try {
			((jit_function *)(void *)memory)(raise);
		} catch (int value) {
			caught = value;
		}
	}
	__deregister_frame(memory + 4096);
	munmap(memory, 8192);
	snprintf(said, sizeof(said), "caught %d, bound to %s", caught,
		 owner((void *)__register_frame));
	return said;
}
