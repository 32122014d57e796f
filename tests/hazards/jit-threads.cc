/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that make, register and give up code at once, each with a place of its own, which gets
 * other code each time. */
#include <pthread.h>
#include <sys/mman.h>

#include "tests/hazards/hazard.h"
#include "tests/hazards/jit-code.h"

extern "C" {
void __register_frame(void *);
void __deregister_frame(void *);
}

#define THREADS 3u
#define ROUNDS 200u

static SITE void leaf(void)
{
	take(10);
	take(20);
	NOT_LAST;
}

static SITE void *work(void *arg)
{
	uint8_t *const code = (uint8_t *)arg, *const section = code + 4096;

	for (unsigned round = 0; round < ROUNDS; round++) {
		const enum jit_kind kind = (enum jit_kind)(round % JIT_KINDS);
		const uint32_t frame = 16 * (round % 50 + 1);

		jit_write_section(section, code, jit_write(code, kind, frame), kind, frame);
		__register_frame(section);
		((jit_function *)(void *)code)(leaf);
		__deregister_frame(section);
	}
	return NULL;
}

int main()
{
	uint8_t *memory = (uint8_t *)mmap(NULL, THREADS * 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t thread[THREADS];

	NEED(memory != MAP_FAILED);
	for (unsigned i = 0; i < THREADS; i++)
		NEED(pthread_create(&thread[i], NULL, work, memory + i * 8192) == 0);
	for (unsigned i = 0; i < THREADS; i++)
		NEED(pthread_join(thread[i], NULL) == 0);
	return hazard_end();
}
