/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/variables.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/launch/message.h"

/* `first`, unless NULL, and what was there, without a recorder: one of another place would record
 * the recorder. NULL: nothing. */
static char *preload_list(const char *first, const char *before)
{
	static const char own[] = "/libxalloc.so";
	char *list = first ? text_new("LD_PRELOAD=%s", first) : NULL;

	while (before && *before) {
		const size_t bytes = strcspn(before, " :");
		const bool is_own =
			bytes >= sizeof(own) - 1 &&
			!strncmp(before + bytes - (sizeof(own) - 1), own, sizeof(own) - 1);

		if (bytes && !is_own)
			list = text_new("%s%.*s",
					list ? text_new("%s:", list) : "LD_PRELOAD=", (int)bytes,
					before);
		before += bytes + (before[bytes] != 0);
	}
	return list;
}

static bool is_variable(const char *entry, const char *name)
{
	const size_t bytes = strlen(name);

	return !strncmp(entry, name, bytes) && entry[bytes] == '=';
}

/* The caller's without those names, which end in NULL; there is room for two more. */
static char **environment_without(const char *const *names, size_t *n)
{
	size_t count = 0;
	char **environment;

	while (environ[count])
		count++;
	environment = memory_new(count + 3, sizeof(*environment));
	*n = 0;
	for (size_t i = 0; i < count; i++) {
		bool is_one = false;

		for (size_t j = 0; names[j]; j++)
			is_one |= is_variable(environ[i], names[j]);
		if (!is_one)
			environment[(*n)++] = environ[i];
	}
	return environment;
}

char **variables_recorded(const char *library, const char *pattern)
{
	static const char *const ours[] = { "LD_PRELOAD", "XALLOC_OUT", "XALLOC_SESSION", NULL };
	size_t n;
	char **environment = environment_without(ours, &n);

	environment[n++] = preload_list(library, getenv("LD_PRELOAD"));
	environment[n] = text_new("XALLOC_OUT=%s", pattern);
	return environment;
}

char **variables_native(void)
{
	static const char *const ours[] = { "LD_PRELOAD", NULL };
	size_t n;
	char **environment = environment_without(ours, &n);

	environment[n] = preload_list(NULL, getenv("LD_PRELOAD"));
	return environment;
}
