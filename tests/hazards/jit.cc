/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code made at run time. Registered with libgcc in each of its ways, stacks go through it; the same
 * place is used again for code with another frame, registered and not; and exceptions, which go the
 * way that libgcc was told.
 */
#include <sys/mman.h>

#include "tests/hazards/hazard.h"
#include "tests/hazards/jit-code.h"

extern "C" {
void __register_frame(void *);
void __register_frame_info(const void *, void *);
void __register_frame_table(void *);
void __register_frame_info_table(void *, void *);
void __deregister_frame(void *);
void *__deregister_frame_info(const void *);
}

#define PLACES 3u
#define CODE_PLACE 4096u
#define SECTION_PLACE 512u

struct thrown {
	int value;
};

static struct place {
	uint8_t *code, *section;
	enum jit_kind kind;
	uint32_t frame;
} place[PLACES];

static unsigned long truncated;
static uint64_t objects[PLACES][8]; /* libgcc's struct object */

static SITE void write_code(unsigned i, unsigned round)
{
	struct place *p = &place[i];
	size_t bytes;

	p->kind = (enum jit_kind)((i + round) % JIT_KINDS);
	p->frame = 16 * ((i * 7 + round * 3) % 50 + 1);
	bytes = jit_write(p->code, p->kind, p->frame);
	jit_write_section(p->section, p->code, bytes, p->kind, p->frame);
}

static SITE void call(unsigned i, void (*fn)(void))
{
	((jit_function *)(void *)place[i].code)(fn);
	NOT_LAST;
}

static SITE void leaf(void)
{
	take(10);
	take(20);
	NOT_LAST;
}

static SITE void through_second(void)
{
	take(30);
	call(1, leaf);
	take(40);
	NOT_LAST;
}

static SITE void through_third(void)
{
	call(2, through_second);
	call(2, leaf);
	NOT_LAST;
}

static SITE void all(void)
{
	call(0, through_third);
	take(50);
	call(0, leaf);
	NOT_LAST;
}

/* Nothing is known of the code that it is called from. */
static SITE void below(void)
{
	take(60);
	truncated++;
	NOT_LAST;
}

static SITE void raise(void)
{
	take(70);
	throw thrown{ 7 };
}

static SITE int catch_through(unsigned i)
{
	try {
		call(i, raise);
	} catch (const thrown &t) {
		return t.value;
	}
	return 0;
}

static SITE void register_each(unsigned round)
{
	for (unsigned i = 0; i < PLACES; i++) {
		if ((round + i) % 2)
			__register_frame(place[i].section);
		else
			__register_frame_info(place[i].section, objects[i]);
	}
	all();
	for (unsigned i = 0; i < PLACES; i++)
		NEED(catch_through(i) == 7);
	for (unsigned i = 0; i < PLACES; i++) {
		if ((round + i) % 2)
			__deregister_frame(place[i].section);
		else
			NEED(__deregister_frame_info(place[i].section) == objects[i]);
	}
}

/* It is on the stack while it is registered, and is not. */
static SITE void forgotten(void)
{
	take(80);
	take(81);
	__deregister_frame(place[0].section);
	below();
	__register_frame(place[0].section);
	truncated++; /* libgcc allocates before it is registered */
	take(90);
	NOT_LAST;
}

static SITE void forget_on_stack(void)
{
	__register_frame(place[0].section);
	call(0, forgotten);
	__deregister_frame(place[0].section);
}

static SITE void register_table(unsigned round)
{
	void *sections[PLACES + 1] = { place[0].section, place[1].section, place[2].section, NULL };

	if (round % 2)
		__register_frame_table(sections);
	else
		__register_frame_info_table(sections, objects[0]);
	all();
	NEED(catch_through(0) == 7);
	if (round % 2)
		__deregister_frame(sections);
	else
		NEED(__deregister_frame_info(sections) == objects[0]);
}

int main()
{
	char text[64];
	int length;
	uint8_t *memory = (uint8_t *)mmap(NULL, PLACES * (CODE_PLACE + SECTION_PLACE),
					  PROT_READ | PROT_WRITE | PROT_EXEC,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	NEED(memory != MAP_FAILED);
	for (unsigned i = 0; i < PLACES; i++) {
		place[i].code = memory + i * CODE_PLACE;
		place[i].section = memory + PLACES * CODE_PLACE + i * SECTION_PLACE;
	}
	for (unsigned round = 0; round < 60; round++) {
		for (unsigned i = 0; i < PLACES; i++)
			write_code(i, round);
		if (round % 4 == 0)
			call(round % PLACES, below);
		if (round % 3)
			register_each(round);
		else
			register_table(round);
		forget_on_stack();
		if (round % 4 == 1)
			call(round % PLACES, below);
	}
	length = snprintf(text, sizeof(text), "truncated %lu\n", truncated);
	NEED(write(STDOUT_FILENO, text, (size_t)length) == length);
	return hazard_end();
}
