/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cfi_dump [--linear] [--fuzz N] [--seed N] FILE...
 * cfi_dump --self
 *
 * Compares cfi_row and full_step with elfutils at the first, a middle and the last byte of every
 * row of unwind information of the files, and at each byte that nothing covers, each both as a
 * return address and exactly; full_step by all registers of a made frame, in a made memory. Prints
 * one line of counts a file. --self takes the modules of this process, the vDSO too, through
 * _dl_find_object; --linear takes the search table away, so that .eh_frame is scanned;
 * --fuzz computes N rows and frames of damaged information instead, and passes when nothing crashes
 * or hangs.
 * Exit status 1: something differs, 2: nothing was compared.
 */
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "preload/unwind/cfi.h"
#include "preload/unwind/full_step.h"
#include "tests/oracle/expected.h"
#include "tests/oracle/expected_full.h"
#include "tests/oracle/image.h"

#define SHOWN 10
#define FUZZ_SECONDS 60

static const char *const kind_name[] = { "none", "step", "end", "signal", "no-cfi", "outside" };
static const char *const cfa_name[] = { "rsp", "rbp", "*rbp" };
static const char *const rbp_name[] = { "same", "at-cfa", "at-rbp" };

struct totals {
	uint64_t ranges, rows, different;
	uint64_t kind[6], cfa[3], rbp[3]; /* of ranges */
	uint64_t full[FULL_STUCK + 1];    /* of steps compared */
};

static void print_row(const char *who, const struct row *row)
{
	printf("\t%s: %s", who, row->kind < 6 ? kind_name[row->kind] : "?");
	if (row->kind == ROW_STEP)
		printf(" cfa %s%+" PRId32 " rbp %s%+" PRId32,
		       row->cfa < 3 ? cfa_name[row->cfa] : "?", row->cfa_offset,
		       row->rbp < 3 ? rbp_name[row->rbp] : "?", row->rbp_offset);
	putchar('\n');
}

/* Any address holds something, and no two alike. */
static bool made_memory(void *arg, uint64_t addr, unsigned bytes, uint64_t *value)
{
	(void)arg;
	*value = (addr ^ addr >> 29) * UINT64_C(0xBF58476D1CE4E5B9) >> 8 * (8 - bytes);
	return true;
}

static struct full_frame made_frame(uint64_t pc, bool exact)
{
	struct full_frame f = { .exact = exact };
	unsigned reg;

	for (reg = 0; reg < 17; reg++)
		made_memory(NULL, reg + 1, 8, &f.world.reg[reg]);
	f.world.reg[16] = pc;
	f.world.known = 0x1FFFF;
	f.world.get = made_memory;
	return f;
}

static void print_frame(const char *who, enum full_result result, const struct full_frame *frame)
{
	unsigned reg;

	printf("\t%s: result %d%s\n", who, result, frame->exact ? ", exact" : "");
	for (reg = 0; result == FULL_STEPPED && reg < 17; reg++)
		if (frame->world.known & 1u << reg)
			printf("\t\t%u: 0x%" PRIx64 "\n", reg, frame->world.reg[reg]);
}

static bool is_same_frame(const struct full_frame *a, const struct full_frame *b)
{
	unsigned reg;

	if (a->exact != b->exact || a->world.known != b->world.known)
		return false;
	for (reg = 0; reg < 17; reg++)
		if (a->world.known & 1u << reg && a->world.reg[reg] != b->world.reg[reg])
			return false;
	return true;
}

/* made: no call stands there, the frame was made by hand (cfi.h). */
static void compare_full(const struct image *image, Dwarf_CFI *cfi, uint64_t address, bool exact,
			 bool is_made, struct totals *totals)
{
	const struct full_frame before = made_frame(image->bias + address + !exact, exact);
	struct full_frame expected, frame = before;
	enum full_result expected_result, result;
	bool cfa_from_rsp;

	expected_result = expected_full(cfi, address, &before, &expected);
	if (is_made && expected_result == FULL_NO_CFI) {
		expected_result = expected_full(cfi, address + 1, &before, &expected);
		if (!expected.exact)
			expected_result = FULL_NO_CFI;
	}
	result = full_step(&frame, &image->object, &cfa_from_rsp);
	totals->full[result]++;
	totals->rows++;
	if (result == expected_result &&
	    is_same_frame(&frame, result == FULL_STEPPED ? &expected : &before))
		return;
	if (totals->different++ >= SHOWN)
		return;
	printf("full at 0x%" PRIx64 " (%s):\n", address, exact ? "exact" : "return address");
	print_frame("elfutils", expected_result, &expected);
	print_frame("full_step", result, &frame);
}

/* behind is the row of address + 1 if that is the first of a function. */
static void compare(const struct image *image, Dwarf_CFI *cfi, uint64_t address,
		    const struct row *covering, const struct row *behind, struct totals *totals)
{
	const struct row end = { .kind = ROW_END };
	const struct row *const made = behind->kind == ROW_SIGNAL ? behind : &end;
	const bool is_made = covering->kind == ROW_NO_CFI && behind->kind != ROW_NO_CFI;
	struct row row;
	int exact;

	for (exact = 0; exact < 2; exact++) {
		const struct row *const expected = is_made && !exact ? made : covering;

		memset(&row, 0xA5, sizeof(row));
		cfi_row(image->bias + address + !exact, exact, &image->object, &row);
		totals->rows++;
		compare_full(image, cfi, address, exact, is_made && !exact, totals);
		if (!memcmp(&row, expected, sizeof(row)))
			continue;
		if (totals->different++ >= SHOWN)
			continue;
		printf("at 0x%" PRIx64 " (%s):\n", address, exact ? "exact" : "return address");
		print_row("elfutils", expected);
		print_row("cfi_row", &row);
	}
}

static void compare_range(const struct image *image, Dwarf_CFI *cfi, uint64_t start, uint64_t end,
			  struct totals *totals)
{
	const struct row none = { .kind = ROW_NO_CFI };
	struct row expected, behind;
	uint64_t next, last;

	expected_row(cfi, start, image->entry, &behind, &last);
	for (; start < end; start = next) {
		expected = behind;
		next = last;
		if (next > end)
			next = end;
		/* start code without CFI is ROW_END as well, but is no row of its own */
		expected_row(cfi, next, 0, &behind, &last);
		compare(image, cfi, next - 1, &expected, &behind, totals);
		if (next - start > 1)
			compare(image, cfi, start, &expected, &none, totals);
		if (next - start > 2)
			compare(image, cfi, start + (next - start) / 2, &expected, &none, totals);
		totals->ranges++;
		totals->kind[expected.kind]++;
		if (expected.kind == ROW_STEP) {
			totals->cfa[expected.cfa]++;
			totals->rbp[expected.rbp]++;
		}
		if (behind.kind == ROW_NO_CFI)
			expected_row(cfi, next, image->entry, &behind, &last);
	}
}

/* Adds to *sum. */
static void compare_image(const struct image *image, const char *path, struct totals *sum)
{
	Dwarf_CFI *cfi = dwarf_getcfi_elf(image->elf);
	struct totals totals = { 0 };
	size_t count = 0, i;
	GElf_Phdr phdr;

	elf_getphdrnum(image->elf, &count);
	for (i = 0; i < count && gelf_getphdr(image->elf, (int)i, &phdr); i++) {
		if (phdr.p_type == PT_LOAD && phdr.p_flags & PF_X)
			compare_range(image, cfi, phdr.p_vaddr, phdr.p_vaddr + phdr.p_memsz,
				      &totals);
	}
	if (cfi)
		dwarf_cfi_end(cfi);
	printf("%s: %" PRIu64 " ranges, %" PRIu64 " rows, %" PRIu64 " differ; step %" PRIu64
	       ", end %" PRIu64 ", signal %" PRIu64 ", no-cfi %" PRIu64 ", outside %" PRIu64
	       "; cfa rsp %" PRIu64 ", rbp %" PRIu64 ", *rbp %" PRIu64 "; rbp same %" PRIu64
	       ", at-cfa %" PRIu64 ", at-rbp %" PRIu64 "; stepped %" PRIu64 ", stuck %" PRIu64 "\n",
	       path, totals.ranges, totals.rows, totals.different, totals.kind[ROW_STEP],
	       totals.kind[ROW_END], totals.kind[ROW_SIGNAL], totals.kind[ROW_NO_CFI],
	       totals.kind[ROW_OUTSIDE], totals.cfa[0], totals.cfa[1], totals.cfa[2], totals.rbp[0],
	       totals.rbp[1], totals.rbp[2], totals.full[FULL_STEPPED], totals.full[FULL_STUCK]);
	sum->rows += totals.rows;
	sum->different += totals.different;
}

static uint64_t random_state;

static uint64_t random_next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Somewhere in the first bytes of a function that the search table has. */
static uint64_t random_pc(const uint8_t *header, uint32_t entries)
{
	int32_t pc;

	memcpy(&pc, header + 12 + 8 * (random_next() % entries), sizeof(pc));
	return (uint64_t)(uintptr_t)header + (uint64_t)(int64_t)pc + random_next() % 16;
}

/* Damages up to eight bytes of .eh_frame_hdr and what lies behind it, asks for some rows, repairs
 * them. */
static void fuzz_image(struct image *image, uint64_t rows, bool linear, struct totals *sum)
{
	const struct dl_find_object *object = &image->object;
	uint8_t *const header = object->dlfo_eh_frame;
	uint64_t kind[6] = { 0 }, full[FULL_STUCK + 1] = { 0 }, size = 0, text = 0, text_bytes = 0,
		 done = 0;
	uint32_t entries = 0;
	size_t count = 0, i;
	GElf_Phdr phdr;

	/* the layout that linkers write */
	if (header && header[0] == 1 && header[1] == 0x1B && header[2] == 0x03 && header[3] == 0x3B)
		memcpy(&entries, header + 8, sizeof(entries));
	elf_getphdrnum(image->elf, &count);
	for (i = 0; i < count && gelf_getphdr(image->elf, (int)i, &phdr); i++) {
		const uint64_t at = (uint64_t)(uintptr_t)header - image->bias;

		if (phdr.p_type != PT_LOAD)
			continue;
		if (header && at - phdr.p_vaddr < phdr.p_filesz)
			size = phdr.p_vaddr + phdr.p_filesz - at;
		if (phdr.p_flags & PF_X) {
			text = phdr.p_vaddr;
			text_bytes = phdr.p_memsz;
		}
	}
	if (!size || !text_bytes)
		return;
	if (linear)
		header[3] = 0xFF;
	while (done < rows) {
		const unsigned bytes = 1 + random_next() % 8;
		uint64_t at[8], pc[16];
		uint8_t was[8];
		unsigned k;

		for (k = 0; k < 16; k++)
			pc[k] = entries && k % 4 ? random_pc(header, entries)
						 : image->bias + text + random_next() % text_bytes;
		for (k = 0; k < bytes; k++) {
			static const uint8_t evil[] = { 0x00, 0x01, 0x7F, 0x80, 0xFF,
							0x0A, 0x0B, 0x0F, 0x10, 0x16 };

			/* one in eight in the header proper, where it is felt everywhere */
			at[k] = random_next() % 8 ? random_next() % size
						  : random_next() % 12 % size;
			was[k] = header[at[k]];
			header[at[k]] = random_next() % 2 ? evil[random_next() % sizeof(evil)]
							  : (uint8_t)random_next();
		}
		for (k = 0; k < 16; k++, done++) {
			const bool exact = random_next() % 2;
			struct full_frame frame = made_frame(pc[k], exact);
			struct row row = { 0 };
			bool cfa_from_rsp;

			full[full_step(&frame, object, &cfa_from_rsp)]++;
			cfi_row(pc[k], exact, object, &row);
			if (row.kind == ROW_NONE || row.kind > ROW_OUTSIDE) {
				printf("a row of kind %u\n", row.kind);
				sum->different++;
			} else {
				kind[row.kind]++;
			}
		}
		for (k = bytes; k-- > 0;)
			header[at[k]] = was[k];
	}
	sum->rows += done;
	printf("\t%" PRIu64 " rows of damaged information: step %" PRIu64 ", end %" PRIu64
	       ", signal %" PRIu64 ", no-cfi %" PRIu64 ", outside %" PRIu64 "; stepped %" PRIu64
	       ", stuck %" PRIu64 "\n",
	       done, kind[1], kind[2], kind[3], kind[4], kind[5], full[FULL_STEPPED],
	       full[FULL_STUCK]);
}

static int compare_module(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *path = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
	const void *address = NULL;
	struct image image;
	unsigned i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum && !address; i++) {
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			address = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	}
	if ((uint64_t)(uintptr_t)address == getauxval(AT_SYSINFO_EHDR))
		path = NULL;
	if (!image_of_process(&image, path, address, info->dlpi_addr))
		return 0;
	compare_image(&image, path ? path : "vDSO", data);
	image_close(&image);
	return 0;
}

int main(int argc, char **argv)
{
	struct totals sum = { 0 };
	bool self = false, linear = false;
	uint64_t fuzz = 0;
	int i;

	random_state = UINT64_C(0x9E3779B97F4A7C15);
	for (i = 1; i < argc && !strncmp(argv[i], "--", 2); i++) {
		if (!strcmp(argv[i], "--self"))
			self = true;
		else if (!strcmp(argv[i], "--linear"))
			linear = true;
		else if (!strcmp(argv[i], "--fuzz") && i + 1 < argc)
			fuzz = strtoull(argv[++i], NULL, 0);
		else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
			random_state =
				strtoull(argv[++i], NULL, 0) * UINT64_C(0x9E3779B97F4A7C15) | 1;
		else
			return 2;
	}
	if (self)
		dl_iterate_phdr(compare_module, &sum);
	if (fuzz)
		alarm(FUZZ_SECONDS);
	for (; i < argc; i++) {
		struct image image;

		if (!image_open(&image, argv[i]))
			return 2;
		if (linear && !fuzz && image.object.dlfo_eh_frame)
			((uint8_t *)image.object.dlfo_eh_frame)[3] = 0xFF;
		if (fuzz)
			fuzz_image(&image, fuzz, linear, &sum);
		else
			compare_image(&image, argv[i], &sum);
		image_close(&image);
	}
	return sum.different ? 1 : sum.rows ? 0 : 2;
}
