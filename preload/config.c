/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/config.h"

#include <stddef.h>

#include "preload/sys/say.h"
#include "preload/sys/text.h"
#include "preload/trace/format.h"

#define MAX_SIZE_MIN (1u << 20) /* header, two live windows, and something to say */

struct config config;

/* The XALLOC_ variables, NAME=VALUE, each ended by NUL. */
static char kept[3 * 4096];
static size_t kept_bytes;

static void keep(char *const *env)
{
	kept_bytes = 0;
	for (; env && *env && kept_bytes < sizeof(kept); env++) {
		struct text t = text_init(kept + kept_bytes, sizeof(kept) - kept_bytes);

		if (!text_starts(*env, "XALLOC_"))
			continue;
		text_add(&t, *env);
		if (t.cut)
			say("the XALLOC_ variables are too long: ", *env, " is ignored", NULL);
		else
			kept_bytes += t.size + 1;
	}
}

static const char *find(const char *name)
{
	size_t size = text_length(name);
	const char *at;

	for (at = kept; at < kept + kept_bytes; at += text_length(at) + 1)
		if (text_starts(at, name) && at[size] == '=')
			return at + size + 1;
	return NULL;
}

static uint64_t number(const char *name, uint64_t least, uint64_t most, uint64_t otherwise)
{
	const char *value = find(name);
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

static void not_built(const char *name, const char *harmless)
{
	const char *value = find(name);

	if (value && !text_equal(value, harmless))
		say(name, "=", value, " is not built yet: ignored", NULL);
}

/* Is it the second of the two words? The first is the default. */
static int choice(const char *name, const char *first, const char *second)
{
	const char *value = find(name);

	if (!value || text_equal(value, first))
		return 0;
	if (text_equal(value, second))
		return 1;
	say("bad ", name, "=", value, ": neither ", first, " nor ", second, "; the default is used",
	    NULL);
	return 0;
}

static int is_pattern(const char *s)
{
	for (; *s; s++)
		if (*s == '%' && *++s != 'p' && *s != 'e' && *s != '%')
			return 0;
	return 1;
}

void config_read(char *const *env)
{
	const char *out;

	keep(env);
	out = find("XALLOC_OUT");

	if (out && !*out) {
		say("bad XALLOC_OUT=: empty; the default is used", NULL);
		out = NULL;
	}
	if (out && !is_pattern(out)) {
		say("bad XALLOC_OUT=", out,
		    ": only %p, %e and %% may stand behind a %; the default is used", NULL);
		out = NULL;
	}
	config.out = out ? out : "xalloc.%e.%p.zst";
	config.session = find("XALLOC_SESSION");
	config.follow = (int)number("XALLOC_FOLLOW", 0, 1, 1);
	config.verbose = (int)number("XALLOC_VERBOSE", 0, 1, 0);
	config.depth = (uint32_t)number("XALLOC_DEPTH", 1, XT_DEPTH_MAX, 1024);
	config.level = (int)number("XALLOC_LEVEL", 0, 19, 1);
	config.max_size = number("XALLOC_MAX_SIZE", MAX_SIZE_MIN, INT64_MAX, INT64_MAX);
	config.unwind_by_libunwind = choice("XALLOC_UNWIND", "xalloc", "libunwind");
	not_built("XALLOC_START", "1");
	not_built("XALLOC_SAMPLE", "0");
	not_built("XALLOC_RESERVE", "");
	not_built("XALLOC_MMAP", "0");
}

void config_each(void (*fn)(const char *))
{
	const char *at;

	for (at = kept; at < kept + kept_bytes; at += text_length(at) + 1)
		fn(at);
}
