/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tables [written | locked]: 8,192 functions that allocate, each with an unwind table entry of 700
 * bytes, nearly all of it instructions that say nothing. Prints how many pages of the tables are
 * resident at most, looking after each eighth of the calls, and how many there are. `written`: an
 * instruction in each such page was written over before, by another that says nothing either;
 * prints how many are not what was written. `locked`: the pages are locked in memory before.
 */
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096ul
#define FUNCTIONS 8192
#define FUNCTION_BYTES 32
#define NOTHING_BYTES 700
#define ARGS_SIZE 0x2e /* DW_CFA_GNU_args_size: its operand is the 0 that follows */

void *allocate(void);
void *allocate(void)
{
	return malloc(1);
}

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
extern const uint8_t functions[];
__asm__(".macro one_function\n"
	".balign " TEXT(
		FUNCTION_BYTES) "\n"
				".type function\\@, @function\n"
				"function\\@:\n"
				".cfi_startproc\n"
				"subq $8, %rsp\n"
				".cfi_adjust_cfa_offset 8\n"
				".rept " TEXT(
					NOTHING_BYTES) "\n"
						       ".cfi_escape 0\n"
						       ".endr\n"
						       "call allocate\n"
						       "addq $8, %rsp\n"
						       ".cfi_adjust_cfa_offset -8\n"
						       "ret\n"
						       ".cfi_endproc\n"
						       ".size function\\@, . - function\\@\n"
						       ".endm\n"
						       ".text\n"
						       ".globl functions\n"
						       ".balign " TEXT(
							       FUNCTION_BYTES) "\n"
									       "functions:\n"
									       ".rept " TEXT(
										       FUNCTIONS) "\n"
												  "one_function\n"
												  ".endr\n");

/* The whole pages of the tables' segment from .eh_frame_hdr on. */
static uint8_t *start, *end;

static int find_tables(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	const ElfW(Phdr) *header = NULL, *p;
	uintptr_t from, to;

	(void)bytes;
	(void)arg;
	for (p = info->dlpi_phdr; p < info->dlpi_phdr + info->dlpi_phnum; p++)
		if (p->p_type == PT_GNU_EH_FRAME)
			header = p;
	for (p = info->dlpi_phdr; header && p < info->dlpi_phdr + info->dlpi_phnum; p++) {
		if (p->p_type != PT_LOAD || header->p_vaddr - p->p_vaddr >= p->p_filesz)
			continue;
		from = info->dlpi_addr + header->p_vaddr;
		to = info->dlpi_addr + p->p_vaddr + p->p_filesz;
		start = (uint8_t *)((from + PAGE - 1) & ~(PAGE - 1));
		end = (uint8_t *)(to & ~(PAGE - 1));
	}
	return 1; /* the program alone */
}

/* Within the instructions that say nothing: enough of them before it and behind. */
static uint8_t *place_in(uint8_t *page)
{
	static const uint8_t nothing[64];
	size_t i;

	for (i = 0; i + sizeof(nothing) <= PAGE; i++)
		if (!memcmp(page + i, nothing, sizeof(nothing)))
			return page + i + sizeof(nothing) / 2;
	return NULL;
}

/* Returns in how many pages; with check: how many of these are not as they were left. */
static int write_all(uint8_t **place, int check)
{
	const int pages = (int)((end - start) / (long)PAGE);
	int i, count = 0;

	for (i = 0; i < pages; i++) {
		if (!check)
			place[i] = place_in(start + (size_t)i * PAGE);
		if (!place[i])
			continue;
		if (check)
			count += *place[i] != ARGS_SIZE;
		else
			count++, *place[i] = ARGS_SIZE;
	}
	return count;
}

static int resident_pages(void)
{
	const int file = open("/proc/self/pagemap", O_RDONLY);
	int count = 0;
	uint8_t *page;

	for (page = start; page < end; page += PAGE) {
		uint64_t entry = 0;

		if (pread(file, &entry, sizeof(entry), (off_t)((uintptr_t)page / PAGE * 8)) != 8)
			return -1;
		count += (int)(entry >> 63);
	}
	close(file);
	return count;
}

int main(int argc, char **argv)
{
	static uint8_t *place[8192];
	const char *shape = argc > 1 ? argv[1] : "";
	int i, resident, most = 0, written = 0;

	dl_iterate_phdr(find_tables, NULL);
	if (!start || (size_t)(end - start) / PAGE > sizeof(place) / sizeof(*place))
		return 1;
	if (!strcmp(shape, "written")) {
		if (mprotect(start, (size_t)(end - start), PROT_READ | PROT_WRITE))
			return 2;
		written = write_all(place, 0);
		if (mprotect(start, (size_t)(end - start), PROT_READ))
			return 3;
	}
	if (!strcmp(shape, "locked") && mlock(start, (size_t)(end - start)))
		return 4;
	for (i = 0; i < FUNCTIONS; i++) {
		free(((void *(*)(void))(uintptr_t)(functions + i * FUNCTION_BYTES))());
		if ((i + 1) % (FUNCTIONS / 8))
			continue;
		resident = resident_pages();
		if (resident > most)
			most = resident;
	}
	printf("%d of %d pages\n", most, (int)((end - start) / (long)PAGE));
	if (written)
		printf("%d of %d changed\n", write_all(place, 1), written);
	return 0;
}
