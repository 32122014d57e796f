/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Machine code made at run time, with its unwind information: functions f(void (*fn)(void)) that
 * call fn from a frame of a given size.
 */
#ifndef HAZARDS_JIT_CODE_H
#define HAZARDS_JIT_CODE_H

#include <stdint.h>
#include <string.h>

#define JIT_CODE_BYTES 64u
#define JIT_SECTION_BYTES 128u

enum jit_kind {
	JIT_RSP, /* the CFA counts from rsp */
	JIT_RBP,
	JIT_RBX, /* no row's */
	JIT_KINDS
};

typedef void jit_function(void (*fn)(void));

static uint8_t *jit_put(uint8_t *at, const void *bytes, size_t size)
{
	memcpy(at, bytes, size);
	return at + size;
}

static uint8_t *jit_put32(uint8_t *at, uint32_t value)
{
	return jit_put(at, &value, 4);
}

/* frame: 16 * n. Returns the bytes of code. */
static size_t jit_write(uint8_t *code, enum jit_kind kind, uint32_t frame)
{
	uint8_t *at = code;

	if (kind == JIT_RSP) {
		at = jit_put32(jit_put(at, "\x48\x81\xEC", 3),
			       frame + 8);       /* sub $frame + 8, %rsp */
		at = jit_put(at, "\xFF\xD7", 2); /* call *%rdi */
		at = jit_put32(jit_put(at, "\x48\x81\xC4", 3), frame + 8); /* add */
	} else if (kind == JIT_RBP) {
		at = jit_put(at, "\x55\x48\x89\xE5", 4); /* push %rbp; mov %rsp, %rbp */
		at = jit_put32(jit_put(at, "\x48\x81\xEC", 3), frame); /* sub */
		at = jit_put(at, "\xFF\xD7\xC9", 3);                   /* call *%rdi; leave */
	} else {
		at = jit_put(at, "\x53\x48\x89\xE3", 4); /* push %rbx; mov %rsp, %rbx */
		at = jit_put32(jit_put(at, "\x48\x81\xEC", 3), frame); /* sub */
		at = jit_put(at, "\xFF\xD7", 2);                       /* call *%rdi */
		at = jit_put(at, "\x48\x89\xDC\x5B", 4); /* mov %rbx, %rsp; pop %rbx */
	}
	at = jit_put(at, "\xC3", 1); /* ret */
	return (size_t)(at - code);
}

static uint8_t *jit_put_cfa_offset(uint8_t *at, uint32_t offset)
{
	*at++ = 0x0E; /* DW_CFA_def_cfa_offset, as a LEB of four bytes */
	*at++ = (uint8_t)(offset | 0x80);
	*at++ = (uint8_t)(offset >> 7 | 0x80);
	*at++ = (uint8_t)((offset >> 14 & 0x7F) | 0x80);
	*at++ = 0;
	return at;
}

/* The .eh_frame section of what jit_write wrote. It lies within 2 GiB of the code. */
static void jit_write_section(uint8_t *section, const uint8_t *code, size_t bytes,
			      enum jit_kind kind, uint32_t frame)
{
	/* id 0, version 1, "zR", 1, -8, column 16; pcrel sdata4; CFA rsp + 8, return address at -8
	 */
	static const uint8_t cie[] = { 0,    0, 0,    0,    1, 'z', 'R',  0, 1, 0x78,
				       0x10, 1, 0x1B, 0x0C, 7, 8,   0x90, 1, 0, 0 };
	uint8_t *at = jit_put32(section, sizeof(cie)), *fde;

	at = fde = jit_put(at, cie, sizeof(cie));
	at += 4;
	at = jit_put32(at, (uint32_t)(at - section));
	at = jit_put32(at, (uint32_t)(code - at));
	at = jit_put32(at, (uint32_t)bytes);
	*at++ = 0;
	if (kind == JIT_RSP) {
		*at++ = 0x40 | 7;
		at = jit_put_cfa_offset(at, frame + 16);
		*at++ = 0x40 | 9;
		at = jit_put(at, "\x0E\x08", 2);
	} else if (kind == JIT_RBP) {
		/* behind push: CFA rsp + 16, rbp at -16; behind mov: rbp; behind leave: rsp + 8 */
		at = jit_put(at, "\x41\x0E\x10\x86\x02\x43\x0D\x06\x4A\x0C\x07\x08", 12);
	} else {
		at = jit_put(at, "\x41\x0E\x10\x83\x02\x43\x0D\x03\x4C\x0D\x07\x41\x0E\x08", 14);
	}
	while ((at - fde) % 4)
		*at++ = 0;
	jit_put32(fde, (uint32_t)(at - fde - 4));
	jit_put32(at, 0);
}

#endif
