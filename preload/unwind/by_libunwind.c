/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/unwind/by_libunwind.h"

#include <dlfcn.h>
#include <errno.h>
#include <libunwind-x86_64.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/sys/say.h"
#include "preload/sys/signals.h"
#include "preload/sys/syscall.h"
#include "preload/unwind/eh_frame.h"
#include "preload/unwind/object.h"

#define LIBRARY "libunwind-x86_64.so.8"
#define TRIES 10000u

/* libunwind's names are macros: expanded once, then made a string. */
#define STRING(name) #name
#define SYMBOL(name) STRING(name)

typedef int search_table(unw_addr_space_t as, unw_word_t ip, unw_dyn_info_t *table,
			 unw_proc_info_t *info, int need_unwind_info, void *arg);

bool by_libunwind_is_on;

/* The walk is the one thread's that holds busy. */
static struct {
	__typeof__(&unw_init_remote) init_remote;
	__typeof__(&unw_step) step;
	__typeof__(&unw_get_reg) get_reg;
	search_table *search;
	void (*calls_out)(int begins);
	unw_addr_space_t space;
	_Atomic int busy;
	unw_cursor_t cursor;
	struct expression_world first;
	struct dl_find_object object; /* of the frame that is stepped from */
	struct eh_reader segment;     /* of it, that was read from last */
	int saved_errno;
} libunwind;

/* --- what libunwind asks for */

static int find_proc_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *info,
			  int need_unwind_info, void *arg)
{
	struct dl_find_object *const object = &libunwind.object;
	unw_dyn_info_t table = { .format = UNW_INFO_FORMAT_REMOTE_TABLE };
	struct eh_header header;

	libunwind.segment = (struct eh_reader){ NULL, NULL, true, 0 };
	if (_dl_find_object((void *)(uintptr_t)ip, object) != 0)
		return -UNW_ENOINFO;
	object_widen(object);
	if (eh_header_get(object, &header) != EH_FDE || !header.table)
		return -UNW_ENOINFO;
	table.start_ip = (uint64_t)(uintptr_t)object->dlfo_map_start;
	table.end_ip = (uint64_t)(uintptr_t)object->dlfo_map_end;
	table.u.rti.segbase = (uint64_t)(uintptr_t)object->dlfo_eh_frame;
	table.u.rti.table_data = (uint64_t)(uintptr_t)header.table;
	table.u.rti.table_len = header.entries; /* an entry is as long as a word */
	return libunwind.search(as, ip, &table, info, need_unwind_info, arg);
}

static void put_unwind_info(unw_addr_space_t as, unw_proc_info_t *info, void *arg)
{
	(void)as;
	(void)info;
	(void)arg;
}

static int get_dyn_info_list_addr(unw_addr_space_t as, unw_word_t *addr, void *arg)
{
	(void)as;
	(void)addr;
	(void)arg;
	return -UNW_ENOINFO;
}

static bool is_in_segment(unw_word_t addr)
{
	const uint64_t start = (uint64_t)(uintptr_t)libunwind.segment.at;
	const uint64_t bytes = (uint64_t)(libunwind.segment.end - libunwind.segment.at);

	return bytes >= 8 && addr - start <= bytes - 8;
}

static int access_mem(unw_addr_space_t as, unw_word_t addr, unw_word_t *value, int write, void *arg)
{
	const struct expression_world *w = &libunwind.first;

	(void)as;
	(void)arg;
	if (write)
		return -UNW_EINVAL;
	if (is_in_segment(addr) ||
	    (eh_segment(addr, &libunwind.object, &libunwind.segment) && is_in_segment(addr))) {
		*value = *(const uint64_t *)(uintptr_t)addr;
		return 0;
	}
	return w->get(w->arg, addr, 8, value) ? 0 : -UNW_EINVAL;
}

static int access_reg(unw_addr_space_t as, unw_regnum_t reg, unw_word_t *value, int write,
		      void *arg)
{
	(void)as;
	(void)arg;
	if (write || reg < 0 || !expression_knows(&libunwind.first, (uint64_t)reg))
		return -UNW_EBADREG;
	*value = libunwind.first.reg[reg];
	return 0;
}

static int access_fpreg(unw_addr_space_t as, unw_regnum_t reg, unw_fpreg_t *value, int write,
			void *arg)
{
	(void)as;
	(void)reg;
	(void)value;
	(void)write;
	(void)arg;
	return -UNW_EBADREG;
}

static int resume(unw_addr_space_t as, unw_cursor_t *cursor, void *arg)
{
	(void)as;
	(void)cursor;
	(void)arg;
	return -UNW_EINVAL;
}

/* --- opening it */

static void call_out_begins(void)
{
	libunwind.saved_errno = errno;
	libunwind.calls_out(1);
}

static void call_out_ends(void)
{
	libunwind.calls_out(0);
	errno = libunwind.saved_errno;
}

/* False: there is no such library, or it has not what is needed. */
static bool open_library(void *(*find)(const char *))
{
	static unw_accessors_t accessors = { .find_proc_info = find_proc_info,
					     .put_unwind_info = put_unwind_info,
					     .get_dyn_info_list_addr = get_dyn_info_list_addr,
					     .access_mem = access_mem,
					     .access_reg = access_reg,
					     .access_fpreg = access_fpreg,
					     .resume = resume };
	void *(*const open)(const char *, int) = find("dlopen");
	void *(*const symbol)(void *, const char *) = find("dlsym");
	__typeof__(&unw_create_addr_space) create;
	__typeof__(&unw_set_caching_policy) set_caching_policy;
	void *library = open && symbol ? open(LIBRARY, RTLD_NOW | RTLD_LOCAL) : NULL;

	if (!library)
		return false;
	libunwind.init_remote = symbol(library, SYMBOL(unw_init_remote));
	libunwind.step = symbol(library, SYMBOL(unw_step));
	libunwind.get_reg = symbol(library, SYMBOL(unw_get_reg));
	libunwind.search =
		(search_table *)symbol(library, SYMBOL(UNW_OBJ(dwarf_search_unwind_table)));
	create = symbol(library, SYMBOL(unw_create_addr_space));
	set_caching_policy = symbol(library, SYMBOL(unw_set_caching_policy));
	if (!libunwind.init_remote || !libunwind.step || !libunwind.get_reg || !libunwind.search ||
	    !create || !set_caching_policy)
		return false;
	libunwind.space = create(&accessors, 0);
	if (!libunwind.space)
		return false;
	set_caching_policy(libunwind.space, UNW_CACHE_NONE);
	return true;
}

void by_libunwind_open(void *(*find)(const char *), void (*calls_out)(int begins))
{
	const uint64_t mask = signals_block();
	bool is_open;

	libunwind.calls_out = calls_out;
	call_out_begins();
	is_open = open_library(find);
	call_out_ends();
	signals_restore(mask);
	if (is_open)
		by_libunwind_is_on = true;
	else
		say("XALLOC_UNWIND=libunwind: " LIBRARY " cannot be used; xalloc's own unwinder is",
		    NULL);
}

/* --- a walk */

bool by_libunwind_begin(const struct full_frame *frame)
{
	unsigned tries;

	if (!by_libunwind_is_on)
		return false;
	for (tries = 0; atomic_exchange_explicit(&libunwind.busy, 1, memory_order_acquire);
	     tries++) {
		if (tries == TRIES)
			return false;
		sys_call0(SYS_sched_yield);
	}
	call_out_begins();
	libunwind.first = frame->world;
	libunwind.object = (struct dl_find_object){ 0 };
	libunwind.segment = (struct eh_reader){ NULL, NULL, true, 0 };
	if (libunwind.init_remote(&libunwind.cursor, libunwind.space, NULL) == 0)
		return true;
	by_libunwind_end();
	return false;
}

void by_libunwind_end(void)
{
	call_out_ends();
	atomic_store_explicit(&libunwind.busy, 0, memory_order_release);
}

enum full_result by_libunwind_step(struct full_frame *frame)
{
	static const unsigned moved[] = { EXPRESSION_PC, FULL_RSP };
	const int stepped = libunwind.step(&libunwind.cursor);
	unsigned i;

	if (stepped <= 0)
		return stepped < 0 ? FULL_STUCK : FULL_END;
	for (i = 0; i < sizeof(moved) / sizeof(*moved); i++) {
		unw_word_t value;

		/* it numbers registers as DWARF does */
		if (libunwind.get_reg(&libunwind.cursor, (unw_regnum_t)moved[i], &value) != 0)
			return FULL_STUCK;
		frame->world.reg[moved[i]] = value;
	}
	return FULL_STEPPED;
}

void by_libunwind_forked(void)
{
	if (!atomic_exchange(&libunwind.busy, 0))
		return;
	by_libunwind_is_on = false;
	say("XALLOC_UNWIND=libunwind: not in this child, which began while another thread was in "
	    "libunwind",
	    NULL);
}
