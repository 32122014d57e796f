/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/demangle.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"

#define STUB "@plt"

static char *demangle_name(const char *name)
{
	const int options = DMGL_PARAMS | DMGL_ANSI;

	/* All manglings that libiberty tells apart begin so; a plain C name is never tried. */
	if (name[0] != '_')
		return NULL;
	/* D's is none of those that it finds by itself. */
	return cplus_demangle(name, options | (name[1] == 'D' ? DMGL_DLANG : DMGL_AUTO));
}

char *demangle_symbol(const char *symbol, bool demangle)
{
	char *name = xstrdup(symbol);
	char *version = strchr(name, '@');
	const char *stub = version && !strcmp(version, STUB) ? STUB : "";
	char *readable, *text;

	if (version && version != name)
		*version = '\0';
	readable = demangle ? demangle_name(name) : NULL;
	text = xasprintf("%s%s", readable ? readable : name, stub);
	free(readable);
	free(name);
	return text;
}
