/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/visible.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/real.h"
#include "preload/store/records.h"
#include "preload/sys/text.h"
#include "preload/sys/valgrind.h"

#define LINE_BYTES (2 * 4096 + 160)
#define SAID_MAX 64u
#define NAMESPACES_MAX 64u /* glibc has 16 */

static _Atomic uint32_t namespaces;         /* that were said, besides the program's own */
static _Atomic uint64_t said[SAID_MAX];     /* hashes of paths; 0: free */
static const struct r_debug_extended *list; /* of all namespaces: its nodes stay for ever */

static void say_shadow(void)
{
	char line[LINE_BYTES];
	struct text t = text_init(line, sizeof(line));

	text_add(&t, "0 of 1 allocators visible: ");
	if (sys_is_valgrind()) {
		text_add(&t, "valgrind replaces malloc itself, or refuses what recording needs: "
			     "nothing is recorded under it");
	} else {
		text_add(&t, *real.shadow ? real.shadow : "the program");
		text_add(&t, " defines malloc itself, before the recorder's: only calls that it "
			     "passes on are in the trace");
	}
	records_text(XT_RECORD_MESSAGE, line, t.size);
}

static void say_namespace(uint32_t before)
{
	char line[LINE_BYTES];
	struct text t = text_init(line, sizeof(line));

	text_add(&t, before ? "1 more namespace not visible, " : "1 namespace not visible");
	if (before) {
		text_add_number(&t, before + 1ull);
		text_add(&t, " in all");
	}
	text_add(&t, ": what dlmopen or LD_AUDIT loaded has a libc of its own, calls of its malloc "
		     "are not in the trace");
	records_text(XT_RECORD_MESSAGE, line, t.size);
}

void visible_begin(void)
{
	uint32_t i;

	if (!list)
		list = real_find("_r_debug");
	namespaces = 0;
	for (i = 0; i < SAID_MAX; i++)
		said[i] = 0;
	if (real.shadow || sys_is_valgrind())
		say_shadow();
	visible_check();
}

void visible_check(void)
{
	const struct r_debug_extended *one = list;
	uint32_t count = 0, before;

	/* glibc: the first is extended whatever its r_version; one that is empty again stays linked
	 */
	while (one && count < NAMESPACES_MAX &&
	       (one = __atomic_load_n(&one->r_next, __ATOMIC_ACQUIRE)))
		count++;
	while ((before = atomic_load(&namespaces)) < count)
		if (atomic_compare_exchange_strong(&namespaces, &before, before + 1))
			say_namespace(before);
}

static int is_new(const char *path)
{
	uint64_t hash = 0xcbf29ce484222325u;
	uint32_t i;

	for (; *path; path++)
		hash = (hash ^ (uint8_t)*path) * 0x100000001b3u;
	for (i = 0; i < SAID_MAX; i++) {
		uint64_t none = 0;

		if (atomic_compare_exchange_strong(&said[i], &none, hash ? hash : 1))
			return 1;
		if (none == (hash ? hash : 1))
			return 0;
	}
	return 0;
}

static void say_past(const struct link_map *map, const struct link_map *to, const char *name)
{
	char line[LINE_BYTES];
	struct text t = text_init(line, sizeof(line));

	if (!is_new(map->l_name))
		return;
	text_add(&t, "1 module not visible: ");
	text_add(&t, map->l_name);
	text_add(&t, " is bound to ");
	text_add(&t, name);
	text_add(&t, " of ");
	text_add(&t, to->l_name);
	text_add(&t, " past the recorder (RTLD_DEEPBIND): its calls are not in the trace");
	records_text(XT_RECORD_MESSAGE, line, t.size);
}

static const struct link_map *object_at(uint64_t addr)
{
	struct dl_find_object found;

	return _dl_find_object((void *)(uintptr_t)addr, &found) == 0 ? found.dlfo_link_map : NULL;
}

/* Of the objects that the program was started with: their malloc is one that could have been ours.
 */
static int is_at_start(const struct link_map *map)
{
	const struct link_map *at = real_our_map(), *last = real_last_at_start();

	while (at && at->l_prev)
		at = at->l_prev;
	for (; at && at != last->l_next; at = at->l_next)
		if (at == map)
			return 1;
	return 0;
}

/* What the relocations of one kind were bound to: a slot that was never used points to its own
 * object. */
static int look_at_slots(const struct link_map *map, const Elf64_Rela *from, uint64_t bytes,
			 const Elf64_Sym *symbol, const char *string)
{
	static const char *const names[] = { "malloc", "calloc", "realloc", "free" };
	const Elf64_Rela *const end = from + bytes / sizeof(*from), *r;
	unsigned i;

	for (r = from; r < end; r++) {
		const uint64_t type = ELF64_R_TYPE(r->r_info);
		const Elf64_Sym *s = symbol + ELF64_R_SYM(r->r_info);
		const struct link_map *to;

		if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) ||
		    s->st_shndx != SHN_UNDEF)
			continue;
		for (i = 0; i < sizeof(names) / sizeof(*names); i++)
			if (text_equal(string + s->st_name, names[i]))
				break;
		if (i == sizeof(names) / sizeof(*names))
			continue;
		to = object_at(*(const uint64_t *)(uintptr_t)(map->l_addr + r->r_offset));
		if (to && to != map && to != real_our_map() && is_at_start(to)) {
			say_past(map, to, names[i]);
			return 1;
		}
	}
	return 0;
}

static void look_at(const struct link_map *map)
{
	const Elf64_Rela *calls = NULL, *others = NULL;
	uint64_t calls_bytes = 0, others_bytes = 0, relative = 0;
	const Elf64_Sym *symbol = NULL;
	const char *string = NULL;
	const Elf64_Dyn *d;

	for (d = map->l_ld; d->d_tag != DT_NULL; d++) {
		switch (d->d_tag) {
		case DT_JMPREL:
			calls = real_pointer(map, d);
			break;
		case DT_PLTRELSZ:
			calls_bytes = d->d_un.d_val;
			break;
		case DT_RELA:
			others = real_pointer(map, d);
			break;
		case DT_RELASZ:
			others_bytes = d->d_un.d_val;
			break;
		case DT_RELACOUNT: /* these come first, and have no symbol */
			relative = d->d_un.d_val * sizeof(Elf64_Rela);
			break;
		case DT_SYMTAB:
			symbol = real_pointer(map, d);
			break;
		case DT_STRTAB:
			string = real_pointer(map, d);
			break;
		}
	}
	if (!symbol || !string || (calls && look_at_slots(map, calls, calls_bytes, symbol, string)))
		return;
	if (others && relative < others_bytes)
		look_at_slots(map, others + relative / sizeof(*others), others_bytes - relative,
			      symbol, string);
}

void visible_check_closing(void *handle)
{
	const struct link_map *map = handle;

	/* What is no handle any more is dlclose's to judge. */
	if (map && !real.shadow && object_at((uintptr_t)map->l_ld) == map && !is_at_start(map))
		look_at(map);
}

void visible_check_all(void)
{
	const struct link_map *map = real_last_at_start();

	while (map && !real.shadow && (map = map->l_next))
		if (object_at((uintptr_t)map->l_ld) == map)
			look_at(map);
}

int visible_missed_calls(void)
{
	return atomic_load(&said[0]) != 0;
}
