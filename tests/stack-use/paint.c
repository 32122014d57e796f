/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many bytes of stack an allocation call takes: it is made on a stack that was painted, and the
 * paint is looked at afterwards. Says a line "CIRCUMSTANCE BYTES", the most of all its calls,
 * without the return address. To be run with LD_BIND_NOW. With
 * tests/hazards/{stack-switch,other-cfa}.S.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone, noipa))
#define STACK_BYTES 65536u
#define PAINT_WORDS 1024u /* from the top; what goes deeper counts as so much */
#define PAINT 0xA5A5F00DA5A5F00Dull
#define ROUNDS 30000 /* enough to fill what a recorder fills */
#define KEPT 64

void call_on(void *top, void (*fn)(void));
void by_rbx(void (*fn)(void));

static uint64_t *top;
static void *block;
static size_t bytes;
static uint64_t here; /* rsp of the function that makes the call */

/* A function that makes one call. */
#define CALL(name, call)                                        \
	static APART void name(void)                            \
	{                                                       \
		uint64_t rsp;                                   \
                                                                \
		__asm__ volatile("movq %%rsp, %0" : "=r"(rsp)); \
		here = rsp;                                     \
		call;                                           \
		__asm__ volatile("" : : : "memory");            \
	}

CALL(by_malloc, block = malloc(bytes))
CALL(by_calloc, block = calloc(2, bytes))
CALL(by_realloc, block = realloc(block, bytes))
CALL(by_reallocarray, block = reallocarray(block, 2, bytes))
CALL(by_posix_memalign, block = posix_memalign(&block, 64, bytes) ? NULL : block)
CALL(by_aligned_alloc, block = aligned_alloc(64, bytes))
CALL(by_memalign, block = memalign(64, bytes))
CALL(by_valloc, block = valloc(bytes))
CALL(by_pvalloc, block = pvalloc(bytes))
CALL(by_free, free(block))
CALL(nothing, (void)0)

/* Addresses that are seen once. */
CALL(new_1, block = malloc(bytes))
CALL(new_2, block = realloc(NULL, bytes))
CALL(new_3, block = malloc(bytes))
CALL(new_4, block = calloc(1, bytes))
CALL(first, block = malloc(bytes))
CALL(outside, block = malloc(bytes))

static void below_by_rbx(void)
{
	by_rbx(outside);
	__asm__ volatile("" : : : "memory");
}

static uint64_t measure(void (*fn)(void))
{
	uint64_t *lowest = top - PAINT_WORDS;
	unsigned i;

	for (i = 1; i <= PAINT_WORDS; i++)
		top[-(long)i] = PAINT;
	call_on(top, fn);
	while (*lowest == PAINT)
		lowest++;
	/* what lies below rsp - 8 is not the caller's, nor the return address */
	return here - 8 > (uint64_t)(uintptr_t)lowest ? here - 8 - (uint64_t)(uintptr_t)lowest : 0;
}

static void say(const char *what, uint64_t most)
{
	char text[64];
	int length = snprintf(text, sizeof(text), "%s %lu\n", what, (unsigned long)most);

	if (write(STDOUT_FILENO, text, (size_t)length) != length)
		_exit(3);
}

static void new_block(void (*fn)(void), const char *what)
{
	uint64_t most;

	block = NULL;
	most = measure(fn);
	if (!block)
		_exit(2);
	say(what, most);
	free(block);
}

/* Over and over, so that each thing that happens now and then happens in one of them. */
static void many(void (*fn)(void), int moves, const char *what)
{
	static void *kept[KEPT];
	uint64_t most = 0, of_free = 0, used;
	unsigned i;

	for (i = 0; i < ROUNDS; i++) {
		block = kept[i % KEPT];
		if (block && !moves) {
			used = measure(by_free);
			of_free = used > of_free ? used : of_free;
		}
		bytes = i % 700 + 1;
		used = measure(fn);
		most = used > most ? used : most;
		if (!block)
			_exit(2);
		kept[i % KEPT] = block;
	}
	for (i = 0; i < KEPT; i++) {
		free(kept[i]);
		kept[i] = NULL;
	}
	say(what, most);
	if (!moves)
		say("free", of_free);
}

static void *thread(void *unused)
{
	(void)unused;
	bytes = 100;
	new_block(first, "first-of-a-thread");
	return NULL;
}

int main(void)
{
	char *memory =
		mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t other;

	if (memory == MAP_FAILED)
		return 2;
	top = (uint64_t *)(void *)(memory + STACK_BYTES);
	bytes = 100;
	if (measure(nothing))
		return 2;
	new_block(new_1, "first-of-all");
	new_block(new_2, "new-address");
	new_block(new_3, "new-address");
	new_block(new_4, "new-address");
	new_block(below_by_rbx, "other-frames");
	new_block(below_by_rbx, "other-frames");
	many(by_malloc, 0, "malloc");
	many(by_calloc, 0, "calloc");
	many(by_realloc, 1, "realloc");
	many(by_reallocarray, 1, "reallocarray");
	many(by_posix_memalign, 0, "posix_memalign");
	many(by_aligned_alloc, 0, "aligned_alloc");
	many(by_memalign, 0, "memalign");
	many(by_valloc, 0, "valloc");
	many(by_pvalloc, 0, "pvalloc");
	if (pthread_create(&other, NULL, thread, NULL) || pthread_join(other, NULL))
		return 2;
	many(by_malloc, 0, "malloc-with-threads");
	return 0;
}
