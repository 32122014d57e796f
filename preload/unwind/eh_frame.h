/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The unwind information of a loaded module: a bounded reader of its encodings, and the search of
 * the frame description entry (FDE) of an address. Under the rules of cfi.h: no call, no lock, no
 * state.
 */
#ifndef XALLOC_UNWIND_EH_FRAME_H
#define XALLOC_UNWIND_EH_FRAME_H

#include <stdbool.h>
#include <stdint.h>

struct dl_find_object;
struct eh_entry;

/* A cursor over bytes that are not trusted. A read that does not fit sets bad; from then on reads
 * give 0. */
struct eh_reader {
	const uint8_t *at, *end;
	bool bad;
	uint64_t moved; /* of a copy: what its bytes' own addresses are further up; else 0 */
};

/* Steps over so many bytes. False: they are not there. */
bool eh_take(struct eh_reader *r, uint64_t bytes);

/* An unsigned number of 1, 2, 4 or 8 bytes. */
uint64_t eh_fixed(struct eh_reader *r, unsigned bytes);
uint64_t eh_uleb_long(struct eh_reader *r);
int64_t eh_sleb(struct eh_reader *r);

/* The two that nearly all reads are of. */
static inline unsigned eh_byte(struct eh_reader *r)
{
	if (__builtin_expect(r->bad || r->at >= r->end, 0)) {
		r->bad = true;
		return 0;
	}
	return *r->at++;
}

static inline uint64_t eh_uleb(struct eh_reader *r)
{
	if (__builtin_expect(!r->bad && r->at < r->end && *r->at < 0x80, 1))
		return *r->at++;
	return eh_uleb_long(r);
}

/* A pointer in one of the encodings DW_EH_PE_*: absolute or pcrel, not indirect; datarel counts
 * from header, which is NULL where that has no meaning. Any other encoding sets bad. */
uint64_t eh_encoded(struct eh_reader *r, unsigned encoding, const uint8_t *header);

/* An FDE with its CIE. The readers stand at the instructions and end where these end. */
struct eh_fde {
	uint64_t pc_begin;
	uint64_t code_align;
	int64_t data_align;
	struct eh_reader cie_code, code;
	uint8_t encoding; /* of pointers in code */
	bool has_data;    /* augmentation 'z' */
	bool is_signal;   /* augmentation 'S' */
	bool has_rip;     /* the return address is column 16, as it should be */
};

enum eh_found {
	EH_NONE, /* nothing covers the address */
	EH_FDE,
	EH_BAD /* malformed, or of a kind that is not read */
};

enum eh_found eh_find(uint64_t address, const struct dl_find_object *object, struct eh_fde *fde);

/* What .eh_frame_hdr says. */
struct eh_header {
	const uint8_t *eh_frame;
	const struct eh_entry *table; /* NULL: none that can be searched */
	uint64_t entries;
};

/* EH_NONE: there is no such header. */
enum eh_found eh_header_get(const struct dl_find_object *object, struct eh_header *out);

/* The unwind tables of a module, and what a search for an address reads of them. */
struct eh_tables {
	struct eh_header header;
	const struct eh_entry *place; /* in the header's table */
	const uint8_t *entry, *end;   /* .eh_frame is known to reach up to there */
};

/* False: no entry, none that is found by a table, or the tables do not lie in segments that are
 * read-only in the file. */
bool eh_tables_get(uint64_t address, const struct dl_find_object *object, struct eh_tables *out);

/* The readable segment of the module that address lies in, as far as it came from its file, into
 * out->at and out->end. False: it lies in none. */
bool eh_segment(uint64_t address, const struct dl_find_object *object, struct eh_reader *out);

/* An .eh_frame section without a module: entries one after the other, read in a copy. */
struct eh_section {
	const uint8_t *start, *end;
	uint64_t moved; /* the section's own address minus start */
};

/* As eh_find, looking at one entry after the other. */
enum eh_found eh_find_in(uint64_t address, const struct eh_section *section, struct eh_fde *fde);

/* The addresses that the section's entries cover, from the least to the greatest. False: none, or
 * it is malformed. */
bool eh_extent(const struct eh_section *section, uint64_t *start, uint64_t *end);

/* Is address within the 256 bytes from the module's ELF entry point? */
bool eh_is_start_code(uint64_t address, const struct dl_find_object *object);

#endif
