/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/config.h"

#include <stddef.h>

#include "preload/sys/say.h"
#include "preload/sys/text.h"
#include "preload/trace/format.h"

#define MAX_SIZE_MIN (1u << 20)  /* header, two live windows, and something to say */
#define RESERVE_MAX (2ull << 30) /* what file_extend takes */
#define RESERVE_DEFAULT (1ull << 30)

#define RESIDENCY_MS_MAX 86400000u /* a day */

#define SESSION "XALLOC_SESSION"

struct config config;

/* The XALLOC_ variables, NAME=VALUE, each ended by NUL. */
static char kept[3 * 4096];
static size_t kept_bytes;
static int is_said; /* what is wrong: by the first program of the session */

static void keep(char *const *env)
{
	char *const *at;

	kept_bytes = 0;
	is_said = 0;
	for (at = env; at && *at; at++)
		if (text_starts(*at, SESSION "=") && (*at)[sizeof(SESSION)])
			is_said = 1;
	for (; env && *env && kept_bytes < sizeof(kept); env++) {
		struct text t = text_init(kept + kept_bytes, sizeof(kept) - kept_bytes);

		if (!text_starts(*env, "XALLOC_"))
			continue;
		text_add(&t, *env);
		if (t.cut && !is_said)
			say("the XALLOC_ variables are too long: ", *env, " is ignored", NULL);
		if (!t.cut)
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
	if (is_said)
		return otherwise;
	text_add_number(&from, least);
	text_add_number(&to, most);
	say("bad ", name, "=", value, ": not a number from ", low, " to ", high,
	    "; the default is used", NULL);
	return otherwise;
}

static void not_built(const char *name, const char *harmless)
{
	const char *value = find(name);

	if (value && !text_equal(value, harmless) && !is_said)
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
	if (!is_said)
		say("bad ", name, "=", value, ": neither ", first, " nor ", second,
		    "; the default is used", NULL);
	return 0;
}

static uint32_t residency(void)
{
	const char *value = find("XALLOC_RESIDENCY");
	uint64_t ms;

	if (!value || text_equal(value, "auto"))
		return CONFIG_RESIDENCY_AUTO;
	if (text_equal(value, "off"))
		return CONFIG_RESIDENCY_OFF;
	if (text_number(value, &ms) && ms >= 1 && ms <= RESIDENCY_MS_MAX)
		return (uint32_t)ms;
	if (!is_said)
		say("bad XALLOC_RESIDENCY=", value,
		    ": neither auto nor off nor a number from 1 to 86400000; the default is used",
		    NULL);
	return CONFIG_RESIDENCY_AUTO;
}

static int is_pattern(const char *s)
{
	for (; *s; s++)
		if (*s == '%' && *++s != 'p' && *s != 'e' && *s != '%')
			return 0;
	return 1;
}

static const char *const variables[] = { "XALLOC_OUT",      SESSION,        "XALLOC_FOLLOW",
					 "XALLOC_VERBOSE",  "XALLOC_DEPTH", "XALLOC_LEVEL",
					 "XALLOC_MAX_SIZE", "XALLOC_START", "XALLOC_SAMPLE",
					 "XALLOC_RESERVE",  "XALLOC_MMAP",  "XALLOC_UNWIND",
					 "XALLOC_RESIDENCY" };

/* A misspelt one would be a default that nobody asked for. */
static void say_unknown(const char *text)
{
	char name[256];
	struct text t = text_init(name, sizeof(name));
	size_t size = 0, i;

	while (text[size] && text[size] != '=')
		size++;
	text_add_bytes(&t, text, size);
	for (i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		if (text_equal(name, variables[i]))
			return;
	say(name, " is no variable that xalloc knows: ignored", NULL);
}

void config_read(char *const *env)
{
	const char *out;

	keep(env);
	if (!is_said)
		config_each(say_unknown);
	out = find("XALLOC_OUT");
	if (out && !*out && !is_said)
		say("bad XALLOC_OUT=: empty; the default is used", NULL);
	else if (out && !is_pattern(out) && !is_said)
		say("bad XALLOC_OUT=", out,
		    ": only %p, %e and %% may stand behind a %; the default is used", NULL);
	config.out = out && *out && is_pattern(out) ? out : "xalloc.%e.%p.zst";
	config.session = find(SESSION);
	config.follow = (int)number("XALLOC_FOLLOW", 0, 1, 1);
	config.verbose = (int)number("XALLOC_VERBOSE", 0, 1, 0);
	config.start = (int)number("XALLOC_START", 0, 1, 1);
	config.mmap = (int)number("XALLOC_MMAP", 0, 1, 1);
	config.depth = (uint32_t)number("XALLOC_DEPTH", 1, XT_DEPTH_MAX, 1024);
	config.level = (int)number("XALLOC_LEVEL", 0, 19, 1);
	config.max_size = number("XALLOC_MAX_SIZE", MAX_SIZE_MIN, INT64_MAX, INT64_MAX);
	config.reserve = number("XALLOC_RESERVE", 0, RESERVE_MAX, RESERVE_DEFAULT);
	config.unwind_by_libunwind = choice("XALLOC_UNWIND", "xalloc", "libunwind");
	config.residency = residency();
	not_built("XALLOC_SAMPLE", "0");
}

void config_each(void (*fn)(const char *))
{
	const char *at;

	for (at = kept; at < kept + kept_bytes; at += text_length(at) + 1)
		fn(at);
}
