/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/config.h"

#include <stddef.h>

#include "preload/sys/say.h"
#include "preload/sys/text.h"
#include "preload/trace/format.h"

#define MAX_SIZE_MIN (1u << 20) /* header, two live windows, and something to say */

struct config config;

static const char *find(char *const *env, const char *name)
{
	size_t size = text_length(name);

	for (; env && *env; env++)
		if (text_starts(*env, name) && (*env)[size] == '=')
			return *env + size + 1;
	return NULL;
}

static uint64_t number(char *const *env, const char *name, uint64_t least, uint64_t most,
		       uint64_t otherwise)
{
	const char *value = find(env, name);
	char low[24], high[24];
	struct text from = text_init(low, sizeof(low)), to = text_init(high, sizeof(high));
	uint64_t n;

	if (!value)
		return otherwise;
	if (text_number(value, &n) && n >= least && n <= most)
		return n;
	text_add_number(&from, least);
	text_add_number(&to, most);
	say("bad ", name, "=", value, ": not a number from ", low, " to ", high,
	    "; the default is used", NULL);
	return otherwise;
}

static void not_built(char *const *env, const char *name, const char *harmless)
{
	const char *value = find(env, name);

	if (value && !text_equal(value, harmless))
		say(name, "=", value, " is not built yet: ignored", NULL);
}

void config_read(char *const *env)
{
	const char *out = find(env, "XALLOC_OUT");

	if (out && !*out) {
		say("bad XALLOC_OUT=: empty; the default is used", NULL);
		out = NULL;
	}
	config.out = out ? out : "xalloc.%e.%p.zst";
	config.session = find(env, "XALLOC_SESSION");
	config.follow = (int)number(env, "XALLOC_FOLLOW", 0, 1, 1);
	config.verbose = (int)number(env, "XALLOC_VERBOSE", 0, 1, 0);
	config.depth = (uint32_t)number(env, "XALLOC_DEPTH", 1, XT_DEPTH_MAX, 1024);
	config.level = (int)number(env, "XALLOC_LEVEL", 0, 19, 1);
	config.max_size = number(env, "XALLOC_MAX_SIZE", MAX_SIZE_MIN, INT64_MAX, INT64_MAX);
	not_built(env, "XALLOC_START", "1");
	not_built(env, "XALLOC_SAMPLE", "0");
	not_built(env, "XALLOC_RESERVE", "");
	not_built(env, "XALLOC_MMAP", "0");
}

void config_each(char *const *env, void (*fn)(const char *))
{
	for (; env && *env; env++)
		if (text_starts(*env, "XALLOC_"))
			fn(*env);
}
