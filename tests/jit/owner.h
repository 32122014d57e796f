/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file in which a function lies. */
#ifndef TESTS_JIT_OWNER_H
#define TESTS_JIT_OWNER_H

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static inline const char *owner(void *function)
{
	const char *slash;
	Dl_info info;

	if (!function)
		return "nobody";
	if (!dladdr(function, &info) || !info.dli_fname)
		return "unknown";
	slash = strrchr(info.dli_fname, '/');
	return slash ? slash + 1 : info.dli_fname;
}

#endif
