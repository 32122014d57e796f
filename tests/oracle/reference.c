/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/oracle/reference.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "preload/unwind/jit.h"

/* The loader's start code has no unwind information, and is some 60 long. */
#define START_CODE_BYTES 128u

/* libunwind's names are macros: expanded once, then made a string. */
#define STRING(name) #name
#define SYMBOL(name) STRING(name)

/* Not in the public headers, but exported for users of the remote interface. */
typedef int search_fn(unw_addr_space_t space, unw_word_t ip, unw_dyn_info_t *info,
		      unw_proc_info_t *out, int needs_info, void *arg);

static struct {
	__typeof__(&unw_init_remote) init_remote;
	__typeof__(&unw_step) step;
	__typeof__(&unw_get_reg) get_reg;
	search_fn *search;
	unw_addr_space_t space;
} lib;

/* The one form of .eh_frame_hdr that linkers make. */
struct eh_frame_hdr {
	uint8_t version, pointer_encoding, count_encoding, table_encoding;
	int32_t eh_frame;
	uint32_t count;
	int32_t table[];
};

/* Code that the program registered: the entry that covers ip becomes a table of one. Only where the
 * section is was found by the recorder. It is as tests/hazards/jit-code.h makes it. */
static int search_registered(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *out,
			     int needs_info, void *arg)
{
	static int32_t table[2];
	unw_dyn_info_t info = { .format = UNW_INFO_FORMAT_REMOTE_TABLE };
	struct eh_section section;
	const uint8_t *begin, *at;
	uint32_t length, back, bytes;
	int32_t to_code;

	if (!jit_find(ip, &section))
		return -UNW_ENOINFO;
	begin = section.start + section.moved;
	for (at = begin; memcpy(&length, at, 4), length; at += 4 + length) {
		memcpy(&back, at + 4, 4);
		memcpy(&to_code, at + 8, 4);
		memcpy(&bytes, at + 12, 4);
		if (!back || ip - (unw_word_t)(at + 8 + to_code) >= bytes)
			continue;
		info.start_ip = (unw_word_t)(at + 8 + to_code);
		info.end_ip = info.start_ip + bytes;
		table[0] = (int32_t)(info.start_ip - (unw_word_t)begin);
		table[1] = (int32_t)(at - begin);
		info.u.rti.segbase = (uintptr_t)begin;
		info.u.rti.table_data = (uintptr_t)table;
		info.u.rti.table_len = 1;
		return lib.search(space, ip, &info, out, needs_info, arg);
	}
	return -UNW_ENOINFO;
}

static int search(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *out, int needs_info,
		  void *arg)
{
	struct dl_find_object object;
	const struct eh_frame_hdr *header;
	unw_dyn_info_t info = { .format = UNW_INFO_FORMAT_REMOTE_TABLE };

	if (_dl_find_object((void *)(uintptr_t)ip, &object))
		return search_registered(space, ip, out, needs_info, arg);
	if (!object.dlfo_eh_frame)
		return -UNW_ENOINFO;
	header = object.dlfo_eh_frame;
	if (header->version != 1 || header->count_encoding != 0x03 ||
	    header->table_encoding != 0x3b)
		return -UNW_ENOINFO;
	info.start_ip = (uintptr_t)object.dlfo_map_start;
	info.end_ip = (uintptr_t)object.dlfo_map_end;
	info.u.rti.segbase = (uintptr_t)header;
	info.u.rti.table_data = (uintptr_t)header->table;
	info.u.rti.table_len = header->count * 8ul / sizeof(unw_word_t);
	return lib.search(space, ip, &info, out, needs_info, arg);
}

static int find_proc_info(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *out,
			  int needs_info, void *arg)
{
	const int result = search(space, ip, out, needs_info, arg);

	((struct reference *)arg)->has_no_cfi = result < 0;
	return result;
}

static void put_unwind_info(unw_addr_space_t space, unw_proc_info_t *info, void *arg)
{
	(void)space;
	(void)info;
	(void)arg;
}

static int get_dyn_info_list_addr(unw_addr_space_t space, unw_word_t *list, void *arg)
{
	(void)space;
	(void)list;
	(void)arg;
	return -UNW_ENOINFO;
}

static int access_mem(unw_addr_space_t space, unw_word_t addr, unw_word_t *value, int is_write,
		      void *arg)
{
	const struct reference *r = arg;

	(void)space;
	/* without unwind information libunwind begins to guess */
	if (is_write || r->has_no_cfi)
		return -UNW_EINVAL;
	memcpy(value, (const void *)(uintptr_t)addr, sizeof(*value));
	return 0;
}

static int access_reg(unw_addr_space_t space, unw_regnum_t reg, unw_word_t *value, int is_write,
		      void *arg)
{
	const struct full_registers *start = &((const struct reference *)arg)->start;

	(void)space;
	if (is_write)
		return -UNW_EREADONLYREG;
	switch (reg) {
	case UNW_X86_64_RIP:
		*value = start->rip;
		break;
	case UNW_X86_64_RSP:
		*value = start->rsp;
		break;
	case UNW_X86_64_RBP:
		*value = start->rbp;
		break;
	case UNW_X86_64_RBX:
		*value = start->rbx;
		break;
	case UNW_X86_64_R12:
		*value = start->r12;
		break;
	case UNW_X86_64_R13:
		*value = start->r13;
		break;
	case UNW_X86_64_R14:
		*value = start->r14;
		break;
	case UNW_X86_64_R15:
		*value = start->r15;
		break;
	default: /* not preserved: nothing may depend on it */
		return -UNW_EBADREG;
	}
	return 0;
}

static int access_fpreg(unw_addr_space_t space, unw_regnum_t reg, unw_fpreg_t *value, int is_write,
			void *arg)
{
	(void)space;
	(void)reg;
	(void)value;
	(void)is_write;
	(void)arg;
	return -UNW_EBADREG;
}

static int resume(unw_addr_space_t space, unw_cursor_t *cursor, void *arg)
{
	(void)space;
	(void)cursor;
	(void)arg;
	return -UNW_EINVAL;
}

const char *reference_open(void)
{
	static unw_accessors_t accessors = {
		.find_proc_info = find_proc_info,
		.put_unwind_info = put_unwind_info,
		.get_dyn_info_list_addr = get_dyn_info_list_addr,
		.access_mem = access_mem,
		.access_reg = access_reg,
		.access_fpreg = access_fpreg,
		.resume = resume,
	};
	__typeof__(&unw_set_caching_policy) set_caching_policy;
	__typeof__(&unw_create_addr_space) create_addr_space;
	/* not linked, and nothing of it is to be seen by the target */
	void *library = dlopen("libunwind-x86_64.so.8", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return "no libunwind-x86_64.so.8";
	lib.init_remote = dlsym(library, SYMBOL(unw_init_remote));
	lib.step = dlsym(library, SYMBOL(unw_step));
	lib.get_reg = dlsym(library, SYMBOL(unw_get_reg));
	lib.search = dlsym(library, "_Ux86_64_dwarf_search_unwind_table");
	set_caching_policy = dlsym(library, SYMBOL(unw_set_caching_policy));
	create_addr_space = dlsym(library, SYMBOL(unw_create_addr_space));
	if (!lib.init_remote || !lib.step || !lib.get_reg || !lib.search || !set_caching_policy ||
	    !create_addr_space)
		return "libunwind-x86_64.so.8 has not what is needed";
	lib.space = create_addr_space(&accessors, 0);
	if (!lib.space || set_caching_policy(lib.space, UNW_CACHE_NONE))
		return "libunwind-x86_64.so.8 gives no address space";
	return NULL;
}

bool reference_begin(struct reference *r, const struct full_registers *start)
{
	r->start = *start;
	r->has_no_cfi = false;
	return lib.init_remote(&r->cursor, lib.space, r) == 0;
}

enum reference_step reference_step(struct reference *r)
{
	int stepped;

	r->has_no_cfi = false;
	stepped = lib.step(&r->cursor);
	if (r->has_no_cfi)
		return REFERENCE_NO_CFI;
	if (stepped < 0)
		return REFERENCE_ERROR;
	return stepped ? REFERENCE_STEPPED : REFERENCE_ROOT;
}

static uint64_t get(struct reference *r, int reg)
{
	unw_word_t value = 0;

	lib.get_reg(&r->cursor, reg, &value);
	return value;
}

uint64_t reference_pc(struct reference *r)
{
	return get(r, UNW_REG_IP);
}

uint64_t reference_sp(struct reference *r)
{
	return get(r, UNW_REG_SP);
}

uint64_t reference_rbp(struct reference *r)
{
	return get(r, UNW_X86_64_RBP);
}

bool reference_is_signal(struct reference *r)
{
	/* mov $SYS_rt_sigreturn, %rax; syscall: what libc gives the kernel to return to */
	static const uint8_t code[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };

	return !memcmp((const void *)(uintptr_t)reference_pc(r), code, sizeof(code));
}

bool reference_is_outermost(struct reference *r)
{
	const uint64_t pc = reference_pc(r);
	struct dl_find_object object;
	const Elf64_Ehdr *elf;
	unw_proc_info_t info;

	r->has_no_cfi = false;
	if (!search(lib.space, pc, &info, 0, r) && info.start_ip == pc)
		return true;
	if (_dl_find_object((void *)(uintptr_t)pc, &object) || !object.dlfo_link_map)
		return false;
	elf = object.dlfo_map_start;
	return !memcmp(elf->e_ident, ELFMAG, SELFMAG) && elf->e_entry &&
	       pc - (object.dlfo_link_map->l_addr + elf->e_entry) < START_CODE_BYTES;
}
