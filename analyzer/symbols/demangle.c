/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/demangle.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"

char *demangle_symbol(const char *symbol, bool demangle)
{
	char *name = xstrdup(symbol);
	char *version = strchr(name, '@');
	char *readable;

	if (version && version != name)
		*version = '\0';
	/* All manglings that libiberty tells apart begin so; a plain C name is never tried. */
	if (!demangle || name[0] != '_')
		return name;
	readable = cplus_demangle(name, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
	if (!readable)
		return name;
	free(name);
	return readable;
}
