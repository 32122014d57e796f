/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An auditor (LD_AUDIT) that hears of all that there is to hear, and allocates each time. */
#include <link.h>
#include <stdint.h>
#include <stdlib.h>

static void use_heap(void)
{
	void *volatile p = malloc(77);

	free(p);
}

unsigned la_version(unsigned version)
{
	use_heap();
	return version;
}

unsigned la_objopen(struct link_map *map, Lmid_t id, uintptr_t *cookie)
{
	(void)map;
	(void)id;
	(void)cookie;
	use_heap();
	return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}

unsigned la_objclose(uintptr_t *cookie)
{
	(void)cookie;
	use_heap();
	return 0;
}

uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *to,
		       unsigned *flags, const char *name)
{
	(void)index;
	(void)from;
	(void)to;
	(void)flags;
	(void)name;
	use_heap();
	return symbol->st_value;
}

Elf64_Addr la_x86_64_gnu_pltenter(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *to,
				  La_x86_64_regs *regs, unsigned *flags, const char *name,
				  long *frame_bytes)
{
	(void)index;
	(void)from;
	(void)to;
	(void)regs;
	(void)flags;
	(void)name;
	use_heap();
	*frame_bytes = 64; /* so that la_x86_64_gnu_pltexit is called */
	return symbol->st_value;
}

unsigned la_x86_64_gnu_pltexit(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *to,
			       const La_x86_64_regs *in, La_x86_64_retval *out, const char *name)
{
	(void)symbol;
	(void)index;
	(void)from;
	(void)to;
	(void)in;
	(void)out;
	(void)name;
	use_heap();
	return 0;
}
