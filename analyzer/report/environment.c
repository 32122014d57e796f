/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/environment.h"

#include <stddef.h>
#include <string.h>

#include "analyzer/base/mem.h"

#define VARIABLE "env."

const char *environment_value(const struct strlist *environment, const char *name)
{
	const size_t bytes = strlen(name);

	for (size_t i = 0; i < environment->count; i++) {
		const char *entry = environment->text[i];

		if (!strncmp(entry, name, bytes) && entry[bytes] == '=' && entry[bytes + 1])
			return entry + bytes + 1;
	}
	return NULL;
}

const char *environment_variable(const char *entry)
{
	const size_t bytes = strlen(VARIABLE);

	return strncmp(entry, VARIABLE, bytes) ? NULL : entry + bytes;
}

char *environment_make(const char *name, const char *value)
{
	return xasprintf("%s%s=%s", VARIABLE, name, value);
}
