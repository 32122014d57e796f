/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/unwind/eh_frame.h"

#include <dlfcn.h>
#include <elf.h>
#include <stddef.h>

#include "preload/unwind/eh_index.h"

#define PAGE_BYTES 4096u
#define START_CODE_BYTES 256u

/* --- bounded reading */

struct __attribute__((packed, may_alias)) any_u16 {
	uint16_t value;
};
struct __attribute__((packed, may_alias)) any_u32 {
	uint32_t value;
};
struct __attribute__((packed, may_alias)) any_u64 {
	uint64_t value;
};

bool eh_take(struct eh_reader *r, uint64_t bytes)
{
	if (r->bad || bytes > (uint64_t)(r->end - r->at)) {
		r->bad = true;
		return false;
	}
	r->at += bytes;
	return true;
}

uint64_t eh_fixed(struct eh_reader *r, unsigned bytes)
{
	if (!eh_take(r, bytes))
		return 0;
	switch (bytes) {
	case 1:
		return r->at[-1];
	case 2:
		return ((const struct any_u16 *)(r->at - 2))->value;
	case 4:
		return ((const struct any_u32 *)(r->at - 4))->value;
	default:
		return ((const struct any_u64 *)(r->at - 8))->value;
	}
}

static uint64_t get_leb(struct eh_reader *r, bool is_signed)
{
	uint64_t value = 0, byte;
	unsigned shift = 0;

	do {
		byte = eh_byte(r);
		value |= (byte & 0x7F) << shift;
		shift += 7;
	} while (byte & 0x80 && shift < 64);
	if (byte & 0x80)
		r->bad = true;
	if (is_signed && byte & 0x40 && shift < 64)
		value |= ~UINT64_C(0) << shift;
	return value;
}

uint64_t eh_uleb_long(struct eh_reader *r)
{
	return get_leb(r, false);
}

int64_t eh_sleb(struct eh_reader *r)
{
	return (int64_t)get_leb(r, true);
}

/* DW_EH_PE_*: the low four bits are the format, the next three what it counts from. */
#define ENC_OMIT 0xFFu
#define ENC_ALIGNED 0x50u
#define ENC_FORMAT 0x0Fu
#define ENC_BASE 0x70u
#define ENC_PCREL 0x10u
#define ENC_DATAREL 0x30u
#define ENC_DATAREL_SDATA4 0x3Bu
#define ENC_INDIRECT 0x80u

uint64_t eh_encoded(struct eh_reader *r, unsigned encoding, const uint8_t *header)
{
	const uint64_t here = (uint64_t)(uintptr_t)r->at + r->moved;
	uint64_t value = 0;

	switch (encoding & ENC_FORMAT) {
	case 0x0: /* absptr */
	case 0x4: /* udata8 */
	case 0xC: /* sdata8 */
		value = eh_fixed(r, 8);
		break;
	case 0x1:
		value = eh_uleb(r);
		break;
	case 0x2:
		value = eh_fixed(r, 2);
		break;
	case 0x3:
		value = eh_fixed(r, 4);
		break;
	case 0x9:
		value = (uint64_t)eh_sleb(r);
		break;
	case 0xA:
		value = (uint64_t)(int16_t)eh_fixed(r, 2);
		break;
	case 0xB:
		value = (uint64_t)(int32_t)eh_fixed(r, 4);
		break;
	default:
		r->bad = true;
	}
	if (encoding & ENC_INDIRECT)
		r->bad = true;
	if (!value)
		return 0; /* no pointer, whatever it counts from */
	if ((encoding & ENC_BASE) == ENC_PCREL)
		value += here;
	else if ((encoding & ENC_BASE) == ENC_DATAREL && header)
		value += (uint64_t)(uintptr_t)header;
	else if (encoding & ENC_BASE)
		r->bad = true;
	return value;
}

/* --- the module's memory */

struct span {
	const uint8_t *start, *end;
	bool is_read_only; /* known to be a segment that is */
};

static struct span span_of(const struct dl_find_object *object)
{
	return (struct span){ object->dlfo_map_start, object->dlfo_map_end, false };
}

static bool is_inside(const struct span *span, const uint8_t *at)
{
	return at >= span->start && at < span->end;
}

/* NULL: no ELF header at the start of the mapping, the first page of which is there in any case. */
static const Elf64_Ehdr *elf_header(const struct span *module)
{
	static const uint32_t magic =
		ELFMAG0 | (uint32_t)ELFMAG1 << 8 | ELFMAG2 << 16 | ELFMAG3 << 24;
	const Elf64_Ehdr *elf = (const Elf64_Ehdr *)module->start;

	if (!elf || module->end < module->start || module->end - module->start < PAGE_BYTES)
		return NULL;
	if (((const struct any_u32 *)elf)->value != magic || elf->e_ident[EI_CLASS] != ELFCLASS64)
		return NULL;
	return elf;
}

/* NULL: they are not in the first page, which alone is surely mapped. */
static const Elf64_Phdr *program_headers(const Elf64_Ehdr *elf)
{
	if (elf->e_phentsize != sizeof(Elf64_Phdr) || elf->e_phoff > PAGE_BYTES ||
	    elf->e_phoff % 8 || elf->e_phnum * sizeof(Elf64_Phdr) > PAGE_BYTES - elf->e_phoff)
		return NULL;
	return (const Elf64_Phdr *)((const uint8_t *)elf + elf->e_phoff);
}

static uint64_t load_bias(const Elf64_Ehdr *elf)
{
	const Elf64_Phdr *phdr = program_headers(elf);
	unsigned i;

	if (!phdr)
		return elf->e_type == ET_EXEC ? 0 : (uint64_t)(uintptr_t)elf;
	for (i = 0; i < elf->e_phnum; i++) {
		if (phdr[i].p_type == PT_LOAD)
			return (uint64_t)(uintptr_t)elf -
			       (phdr[i].p_vaddr & ~(uint64_t)(PAGE_BYTES - 1));
	}
	return (uint64_t)(uintptr_t)elf;
}

/* What may be read around at: there can be holes between a module's segments. False: nothing. */
static bool find_readable(const struct span *module, const uint8_t *at, struct span *out)
{
	const Elf64_Ehdr *elf = elf_header(module);
	const Elf64_Phdr *phdr = elf ? program_headers(elf) : NULL;
	uint64_t bias;
	unsigned i;

	*out = (struct span){ module->start, module->end, false };
	if (!is_inside(module, at))
		return false;
	if (!phdr)
		return true;
	bias = load_bias(elf);
	for (i = 0; i < elf->e_phnum; i++) {
		const uint8_t *start = (const uint8_t *)(uintptr_t)(bias + phdr[i].p_vaddr);

		if (phdr[i].p_type != PT_LOAD || !(phdr[i].p_flags & PF_R) ||
		    !is_inside(module, start) || phdr[i].p_filesz > (uint64_t)(module->end - start))
			continue;
		*out = (struct span){ start, start + phdr[i].p_filesz, !(phdr[i].p_flags & PF_W) };
		if (is_inside(out, at))
			return true;
	}
	return false;
}

bool eh_segment(uint64_t address, const struct dl_find_object *object, struct eh_reader *out)
{
	const struct span module = span_of(object);
	const uint8_t *const at = (const uint8_t *)(uintptr_t)address;
	struct span span;

	if (!find_readable(&module, at, &span) || !is_inside(&span, at))
		return false;
	*out = (struct eh_reader){ span.start, span.end, false, 0 };
	return true;
}

bool eh_is_start_code(uint64_t address, const struct dl_find_object *object)
{
	const struct span module = span_of(object);
	const Elf64_Ehdr *elf = elf_header(&module);

	return elf && elf->e_entry && address - (load_bias(elf) + elf->e_entry) < START_CODE_BYTES;
}

/* --- entries */

/* Fills in what an FDE has from its CIE. False: malformed, or of a kind that is not read. */
static bool parse_cie(struct eh_reader r, struct eh_fde *fde)
{
	const uint64_t length = eh_fixed(&r, 4);
	const uint8_t *letter;
	unsigned version, encoding;
	uint64_t column, data_bytes = 0;

	if (r.bad || length > (uint64_t)(r.end - r.at))
		return false;
	r.end = r.at + length;
	if (eh_fixed(&r, 4) != 0)
		return false;
	version = eh_byte(&r);
	letter = r.at;
	while (eh_byte(&r))
		;
	if (version != 1 && version != 3 && version != 4)
		return false;
	if (version == 4 && (eh_byte(&r) != 8 || eh_byte(&r) != 0))
		return false; /* addresses of 8 bytes without a segment */
	fde->code_align = eh_uleb(&r);
	fde->data_align = eh_sleb(&r);
	column = version == 1 ? eh_byte(&r) : eh_uleb(&r);
	if (r.bad)
		return false;
	fde->has_rip = column == 16;
	fde->encoding = 0;
	fde->is_signal = false;
	fde->has_data = *letter == 'z';
	if (fde->has_data) {
		data_bytes = eh_uleb(&r);
		letter++;
	}
	fde->cie_code = r;
	if (!eh_take(&fde->cie_code, data_bytes))
		return false;
	r.end = fde->cie_code.at;
	for (; *letter; letter++) {
		if (!fde->has_data)
			return false;
		switch (*letter) {
		case 'R':
			fde->encoding = (uint8_t)eh_byte(&r);
			break;
		case 'L':
			eh_byte(&r);
			break;
		case 'P': /* it does not matter where the personality routine is */
			encoding = eh_byte(&r);
			if (encoding == ENC_ALIGNED)
				eh_take(&r, -((uint64_t)(uintptr_t)r.at + r.moved) % 8 + 8);
			else if (encoding != ENC_OMIT)
				eh_encoded(&r, encoding & ENC_FORMAT, NULL);
			break;
		case 'S':
			fde->is_signal = true;
			break;
		case 'B':
			break;
		default:
			return false;
		}
	}
	return !r.bad;
}

/* Reads the entry at r, which moves behind it. EH_NONE: it is a CIE. EH_FDE: fde but for what its
 * augmentation may hold. */
static enum eh_found read_entry(const struct span *span, struct eh_reader *r, struct eh_fde *fde,
				uint64_t *pc_bytes)
{
	const uint64_t length = eh_fixed(r, 4);
	const uint8_t *const body = r->at;
	struct eh_reader cie = { span->start, span->end, false, r->moved };
	uint64_t back;

	/* lengths from 0xFFFFFFF0 on mean the 64-bit format, which nobody writes: too long for any
	 * segment */
	if (!eh_take(r, length))
		return EH_BAD;
	fde->code = (struct eh_reader){ body, r->at, false, r->moved };
	back = eh_fixed(&fde->code, 4);
	if (!back && !fde->code.bad)
		return EH_NONE;
	if (fde->code.bad || back > (uint64_t)(body - span->start))
		return EH_BAD;
	cie.at = body - back;
	if (!parse_cie(cie, fde))
		return EH_BAD;
	fde->pc_begin = eh_encoded(&fde->code, fde->encoding, NULL);
	*pc_bytes = eh_encoded(&fde->code, fde->encoding & ENC_FORMAT, NULL);
	return fde->code.bad ? EH_BAD : EH_FDE;
}

/* Looks at the entry at r, which moves behind it. EH_FDE: it is one, and covers address. */
static enum eh_found try_entry(const struct span *span, struct eh_reader *r, uint64_t address,
			       struct eh_fde *fde)
{
	uint64_t pc_bytes;
	const enum eh_found found = read_entry(span, r, fde, &pc_bytes);

	if (found != EH_FDE)
		return found;
	if (address - fde->pc_begin >= pc_bytes)
		return EH_NONE;
	if (fde->has_data)
		eh_take(&fde->code, eh_uleb(&fde->code));
	return fde->code.bad ? EH_BAD : EH_FDE;
}

static bool is_at_entry(const struct eh_reader *r)
{
	return r->end - r->at >= 4 && ((const struct any_u32 *)r->at)->value;
}

static enum eh_found scan(const struct span *span, struct eh_reader *r, uint64_t address,
			  struct eh_fde *fde)
{
	while (is_at_entry(r)) {
		const enum eh_found found = try_entry(span, r, address, fde);

		if (found != EH_NONE)
			return found;
	}
	return EH_NONE;
}

static enum eh_found read_header(const struct dl_find_object *object, struct span *span,
				 struct eh_header *out)
{
	const struct span module = span_of(object);
	const uint8_t *const header = object->dlfo_eh_frame;
	unsigned version, frame_encoding, count_encoding, table_encoding;
	struct eh_reader r;

	if (!header)
		return EH_NONE;
	if (!find_readable(&module, header, span))
		return EH_BAD;
	r = (struct eh_reader){ header, span->end, false, 0 };
	version = eh_byte(&r);
	frame_encoding = eh_byte(&r);
	count_encoding = eh_byte(&r);
	table_encoding = eh_byte(&r);
	if (version != 1 || frame_encoding == ENC_OMIT)
		return EH_BAD;
	out->eh_frame = (const uint8_t *)(uintptr_t)eh_encoded(&r, frame_encoding, header);
	out->table = NULL;
	out->entries = 0;
	if (count_encoding != ENC_OMIT && table_encoding == ENC_DATAREL_SDATA4) {
		out->entries = eh_encoded(&r, count_encoding, header);
		out->table = (const struct eh_entry *)r.at;
		if (out->entries > (uint64_t)(r.end - r.at) / sizeof(struct eh_entry))
			return EH_BAD;
	}
	return r.bad ? EH_BAD : EH_FDE;
}

enum eh_found eh_header_get(const struct dl_find_object *object, struct eh_header *out)
{
	struct span span;

	return read_header(object, &span, out);
}

/* Where to look. EH_FDE: at the one entry at r. EH_NONE with r->at: at all entries from there.
 * EH_NONE without: there is none. Out of line, since its stack and that of the parser need not
 * stand there together. */
static __attribute__((noinline)) enum eh_found locate(uint64_t address,
						      const struct dl_find_object *object,
						      struct span *span, struct eh_reader *r)
{
	const struct span module = span_of(object);
	const uint8_t *const header = object->dlfo_eh_frame;
	const struct eh_entry *entry;
	struct eh_header h;
	enum eh_found found = read_header(object, span, &h);

	*r = (struct eh_reader){ NULL, NULL, false, 0 };
	if (found != EH_FDE)
		return found;
	if (h.table) {
		entry = eh_search(h.table, h.entries,
				  (int64_t)(address - (uint64_t)(uintptr_t)header));
		if (!entry)
			return EH_NONE;
		r->at = (const uint8_t *)((uintptr_t)header + (uintptr_t)(intptr_t)entry->fde);
	} else {
		r->at = h.eh_frame;
		found = EH_NONE;
	}
	if (!is_inside(span, r->at) && !find_readable(&module, r->at, span))
		return EH_BAD;
	r->end = span->end;
	return found;
}

enum eh_found eh_find(uint64_t address, const struct dl_find_object *object, struct eh_fde *fde)
{
	struct span span;
	struct eh_reader r;
	const enum eh_found found = locate(address, object, &span, &r);

	if (found == EH_BAD || !r.at)
		return found;
	if (found == EH_FDE)
		return try_entry(&span, &r, address, fde);
	return scan(&span, &r, address, fde);
}

bool eh_tables_get(uint64_t address, const struct dl_find_object *object, struct eh_tables *out)
{
	const struct span module = span_of(object);
	const uint8_t *const header = object->dlfo_eh_frame;
	struct span span, of_header;
	struct eh_reader r;
	uint64_t bytes;

	if (read_header(object, &of_header, &out->header) != EH_FDE || !out->header.table)
		return false;
	out->place = eh_search(out->header.table, out->header.entries,
			       (int64_t)(address - (uint64_t)(uintptr_t)header));
	if (!out->place)
		return false;
	out->entry = (const uint8_t *)((uintptr_t)header + (uintptr_t)(intptr_t)out->place->fde);
	if (!find_readable(&module, out->entry, &span) || !span.is_read_only ||
	    !of_header.is_read_only || out->entry < out->header.eh_frame)
		return false;
	r = (struct eh_reader){ out->entry, span.end, false, 0 };
	bytes = eh_fixed(&r, 4);
	out->end = r.at + bytes;
	return eh_take(&r, bytes);
}

enum eh_found eh_find_in(uint64_t address, const struct eh_section *section, struct eh_fde *fde)
{
	const struct span span = { section->start, section->end, false };
	struct eh_reader r = { section->start, section->end, false, section->moved };

	return scan(&span, &r, address, fde);
}

bool eh_extent(const struct eh_section *section, uint64_t *start, uint64_t *end)
{
	const struct span span = { section->start, section->end, false };
	struct eh_reader r = { section->start, section->end, false, section->moved };
	struct eh_fde fde;
	uint64_t pc_bytes;

	*start = UINT64_MAX;
	*end = 0;
	while (is_at_entry(&r)) {
		const enum eh_found found = read_entry(&span, &r, &fde, &pc_bytes);

		if (found == EH_BAD)
			return false;
		if (found == EH_NONE || !fde.pc_begin || pc_bytes > UINT64_MAX - fde.pc_begin)
			continue; /* a CIE, or code that the linker left out */
		if (fde.pc_begin < *start)
			*start = fde.pc_begin;
		if (fde.pc_begin + pc_bytes > *end)
			*end = fde.pc_begin + pc_bytes;
	}
	return *start < *end;
}
