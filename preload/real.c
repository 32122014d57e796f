/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/real.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "preload/sys/syscall.h"
#include "preload/sys/text.h"

#define VERSION_HIDDEN 0x8000u

struct real real;

/* The dynamic symbol table of one loaded object. */
struct symbols {
	const struct link_map *map;
	const Elf64_Sym *symbol;
	const char *name;
	const uint32_t *gnu_hash, *hash; /* either may be NULL */
	const uint16_t *version;         /* NULL: unversioned */
};

static const struct link_map *last_at_start;

/* ld.so relocates the table's pointers in place, but for objects it may not write to. */
const void *real_pointer(const struct link_map *map, const Elf64_Dyn *d)
{
	uint64_t at = d->d_un.d_ptr;

	return (const void *)(at < map->l_addr ? at + map->l_addr : at);
}

static int symbols_get(struct symbols *s, const struct link_map *map)
{
	const Elf64_Dyn *d;

	*s = (struct symbols){ .map = map };
	for (d = map->l_ld; d && d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_SYMTAB)
			s->symbol = real_pointer(map, d);
		else if (d->d_tag == DT_STRTAB)
			s->name = real_pointer(map, d);
		else if (d->d_tag == DT_GNU_HASH)
			s->gnu_hash = real_pointer(map, d);
		else if (d->d_tag == DT_HASH)
			s->hash = real_pointer(map, d);
		else if (d->d_tag == DT_VERSYM)
			s->version = real_pointer(map, d);
	}
	return s->symbol && s->name && (s->gnu_hash || s->hash);
}

static uint32_t gnu_hash(const char *name)
{
	uint32_t h = 5381;

	for (; *name; name++)
		h = h * 33 + (uint8_t)*name;
	return h;
}

static int matches(const struct symbols *s, uint32_t i, const char *name)
{
	return s->symbol[i].st_shndx != SHN_UNDEF &&
	       text_equal(s->name + s->symbol[i].st_name, name);
}

/* The first symbol of the name at or after *i in its chain, or 0; *i is where to go on. */
static uint32_t next_in_gnu_chain(const struct symbols *s, const char *name, uint32_t *i)
{
	uint32_t buckets = s->gnu_hash[0], offset = s->gnu_hash[1], words = s->gnu_hash[2];
	const uint32_t *bucket = s->gnu_hash + 4 + 2 * (size_t)words, *chain = bucket + buckets;
	uint32_t hash = gnu_hash(name), at = *i;

	if (!at)
		at = buckets ? bucket[hash % buckets] : 0;
	while (at >= offset && at) {
		uint32_t here = at, last = chain[at - offset] & 1;

		at = last ? 0 : at + 1;
		if (((chain[here - offset] ^ hash) >> 1) == 0 && matches(s, here, name)) {
			*i = at;
			return here;
		}
		if (last)
			break;
	}
	*i = 0;
	return 0;
}

static uint32_t next_in_chain(const struct symbols *s, const char *name, uint32_t *i)
{
	uint32_t buckets = s->hash[0], hash = 0, at = *i;
	const uint32_t *bucket = s->hash + 2, *chain = bucket + buckets;
	const char *c;

	for (c = name; *c; c++) {
		hash = (hash << 4) + (uint8_t)*c;
		hash = (hash ^ (hash >> 24 & 0xF0)) & 0x0FFFFFFF;
	}
	if (!at)
		at = buckets ? bucket[hash % buckets] : 0;
	while (at) {
		uint32_t here = at;

		at = chain[at];
		if (matches(s, here, name)) {
			*i = at;
			return here;
		}
	}
	*i = 0;
	return 0;
}

/* The definition of the name's default version, else of one kept for old programs, else NULL. */
static const Elf64_Sym *find(const struct symbols *s, const char *name)
{
	const Elf64_Sym *kept = NULL;
	uint32_t next = 0, i;

	do {
		i = s->gnu_hash ? next_in_gnu_chain(s, name, &next) : next_in_chain(s, name, &next);
		if (i && (!s->version || !(s->version[i] & VERSION_HIDDEN)))
			return &s->symbol[i];
		if (i)
			kept = &s->symbol[i];
	} while (next);
	return kept;
}

void *real_definition(const struct link_map *map, const char *name)
{
	struct symbols s;
	const Elf64_Sym *symbol = symbols_get(&s, map) ? find(&s, name) : NULL;
	uint64_t at;

	if (!symbol)
		return NULL;
	at = map->l_addr + symbol->st_value;
	if (ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC)
		at = ((uint64_t(*)(void))at)();
	return (void *)at;
}

/* The first definition in the objects after ours; *where becomes the object. */
static void *next_definition(const struct link_map *ours, const char *name,
			     const struct link_map **where)
{
	const struct link_map *map;

	for (map = ours->l_next; map; map = map->l_next) {
		void *function = real_definition(map, name);

		if (!function)
			continue;
		*where = map;
		return function;
	}
	return NULL;
}

const struct link_map *real_our_map(void)
{
	struct dl_find_object ours;

	return _dl_find_object((void *)(uintptr_t)real_resolve, &ours) == 0 ? ours.dlfo_link_map
									    : NULL;
}

void *real_find_vdso(const char *name)
{
	const struct link_map *map = real_our_map();
	void *function = NULL;

	while (map && map->l_prev)
		map = map->l_prev;
	for (; map && !function; map = map->l_next)
		if ((uintptr_t)map->l_addr == getauxval(AT_SYSINFO_EHDR))
			function = real_definition(map, name);
	return function;
}

const struct link_map *real_last_at_start(void)
{
	return last_at_start;
}

void *real_find(const char *name)
{
	const struct link_map *ours = real_our_map(), *where;

	return ours ? next_definition(ours, name, &where) : NULL;
}

void *real_find_beside_malloc(const char *name)
{
	struct dl_find_object found;

	return _dl_find_object((void *)real.malloc, &found) == 0
		       ? real_definition(found.dlfo_link_map, name)
		       : NULL;
}

#define COUNT(name, result, parameters) +1
enum { REGISTRATIONS = 0 XALLOC_FRAME_HOOKS(COUNT) };
#undef COUNT

struct registrations {
	struct symbols own;
	const Elf64_Sym *withdrawn[REGISTRATIONS];
	unsigned count; /* of these */
};

/*
 * The function behind a hook on libgcc's registration. It is known for good only where libgcc_s was
 * there from the start and nobody stands before it: then every reference that comes to us would go
 * to libgcc_s, now and later. In any other case nobody is to come to us.
 */
static void *registration(struct registrations *r, const char *name)
{
	const struct link_map *where = NULL;
	void *found = next_definition(r->own.map, name, &where);
	const char *slash = found ? text_last(where->l_name, '/') : NULL;

	if (slash && text_starts(slash, "/libgcc_s.so."))
		return found;
	r->withdrawn[r->count] = find(&r->own, name);
	r->count += r->withdrawn[r->count] != NULL;
	return NULL;
}

/* Takes symbols out of our own table: whoever is bound from now on does not find them. */
static void withdraw(const struct registrations *r)
{
	uint64_t from = UINT64_MAX, to = 0;
	unsigned i;

	for (i = 0; i < r->count; i++) {
		const uint64_t at = (uint64_t)(uintptr_t)r->withdrawn[i];

		from = at < from ? at : from;
		to = at + sizeof(Elf64_Sym) > to ? at + sizeof(Elf64_Sym) : to;
	}
	from &= ~4095ull;
	if (!r->count ||
	    sys_is_error(sys_call3(SYS_mprotect, from, to - from, PROT_READ | PROT_WRITE)))
		return;
	for (i = 0; i < r->count; i++) {
		Elf64_Sym *const symbol = (Elf64_Sym *)(uintptr_t)r->withdrawn[i];

		/* the loader takes a value of 0 for undefined in a lookup of any kind */
		__atomic_store_n(&symbol->st_value, 0, __ATOMIC_RELEASE);
		__atomic_store_n(&symbol->st_shndx, SHN_UNDEF, __ATOMIC_RELEASE);
	}
	sys_call3(SYS_mprotect, from, to - from, PROT_READ);
}

static void resolve_registration(const struct link_map *ours)
{
	struct registrations r = { .count = 0 };

	if (!symbols_get(&r.own, ours))
		return;
#define REAL_FIND(name, result, parameters) \
	real.name = (result(*) parameters)registration(&r, #name);
	XALLOC_FRAME_HOOKS(REAL_FIND)
#undef REAL_FIND
	withdraw(&r);
}

void real_resolve(void)
{
	const struct link_map *ours = real_our_map(), *where, *libc = NULL, *allocator = NULL;
	const char *(*version)(void);

	if (!ours)
		return;
	for (where = ours; where && !last_at_start; where = where->l_next)
		if (!where->l_next)
			last_at_start = where;
#define REAL_FIND(name, result, parameters) \
	real.name = (result(*) parameters)next_definition(ours, #name, &where);
	XALLOC_HOOKS(REAL_FIND)
#undef REAL_FIND
	next_definition(ours, "malloc", &allocator);
	version = (const char *(*)(void))next_definition(ours, "gnu_get_libc_version", &libc);
	real.libc_version = version ? version() : NULL;
	real.is_glibc = version && allocator == libc;
	real.allocator = allocator ? allocator->l_name : "";
	resolve_registration(ours);
	for (where = ours->l_prev; where; where = where->l_prev)
		if (real_definition(where, "malloc"))
			real.shadow = where->l_name;
	real.ready = 1;
}
