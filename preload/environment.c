/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/environment.h"

#include <elf.h>
#include <stddef.h>
#include <unistd.h>

#include "preload/sys/sysmem.h"
#include "preload/sys/text.h"

#define PRELOAD "LD_PRELOAD="
#define LIBRARY "libxalloc.so"

/* ld.so's: the stack pointer at the process's start, at which argc lies. */
extern void *__libc_stack_end;

char *const *environment_argv(void)
{
	return (char *const *)__libc_stack_end + 1;
}

char *const *environment_env(void)
{
	long argc = *(const long *)__libc_stack_end;

	return environment_argv() + argc + 1;
}

uint64_t environment_stack_top(void)
{
	return (uint64_t)(uintptr_t)__libc_stack_end;
}

/* The auxiliary vector on the initial stack, behind the environment. */
static const Elf64_auxv_t *auxv(void)
{
	char *const *env = environment_env();

	while (*env)
		env++;
	return (const Elf64_auxv_t *)(const void *)(env + 1);
}

/* Its words, with the pair that ends it. */
static size_t auxv_words(void)
{
	const Elf64_auxv_t *a = auxv();
	size_t n = 1;

	for (; a->a_type != AT_NULL; a++)
		n++;
	return 2 * n;
}

static int same_name(const char *a, const char *b)
{
	for (; *a == *b && *a != '=' && *a; a++)
		b++;
	return *a == '=' && *b == '=';
}

/* Where the path at `at`, an element of LD_PRELOAD, ends. */
static const char *end_of_path(const char *at)
{
	while (*at && *at != ':' && *at != ' ')
		at++;
	return at;
}

/* Is the element that ends there this library, with a folder or without? */
static int is_ours(const char *at, const char *end)
{
	const size_t size = sizeof(LIBRARY) - 1, all = (size_t)(end - at);

	return all >= size && text_starts(end - size, LIBRARY) &&
	       (all == size || end[-(long)sizeof(LIBRARY)] == '/');
}

int environment_preloads_us(const char *entry)
{
	const char *at, *end;

	if (!text_starts(entry, PRELOAD))
		return 0;
	for (at = entry + sizeof(PRELOAD) - 1; *at; at = *end ? end + 1 : end) {
		end = end_of_path(at);
		if (is_ours(at, end))
			return 1;
	}
	return 0;
}

size_t environment_without_us(char *to, const char *entry)
{
	struct text t = text_init(to, text_length(entry) + 1);
	const char *at, *end;
	int others = 0;

	text_add(&t, PRELOAD);
	for (at = entry + sizeof(PRELOAD) - 1; *at; at = *end ? end + 1 : end) {
		end = end_of_path(at);
		if (is_ours(at, end) || end == at)
			continue;
		if (others++)
			text_add(&t, ":");
		text_add_bytes(&t, at, (size_t)(end - at));
	}
	return others ? t.size + 1 : 0;
}

/* The value with each relative path that ends in our name made absolute; 0 when nothing changed. */
static int absolute_preload(struct text *to, const char *entry, const char *directory)
{
	const char *at = entry + sizeof(PRELOAD) - 1;
	int changed = 0;

	/* ld.so splits at these: such a path would load in no child */
	if (text_last(directory, ' ') || text_last(directory, ':'))
		return 0;
	text_add(to, PRELOAD);
	while (*at) {
		const char *end = end_of_path(at);

		if (*at != '/' && is_ours(at, end) && end - at >= (long)sizeof(LIBRARY)) {
			text_add(to, directory);
			text_add(to, "/");
			changed = 1;
		}
		text_add_bytes(to, at, (size_t)(end - at));
		if (*end)
			text_add_bytes(to, end++, 1);
		at = end;
	}
	return changed && !to->cut;
}

void environment_amend(const char *session, const char *directory)
{
	size_t count = 0, aux = auxv_words(), size = session ? text_length(session) + 1 : 0, room,
	       n = 0, i;
	char **fresh, *strings;
	int changed = session != NULL;

	while (environ && environ[count])
		count++;
	room = size + 8192;
	for (i = 0; i < count; i++)
		if (text_starts(environ[i], PRELOAD))
			room += text_length(environ[i]) *
				64; /* each element may gain the directory */
	fresh = sysmem_new((count + 2 + aux) * sizeof(*fresh) + room);
	if (!fresh)
		return;
	strings = (char *)(fresh + count + 2 + aux);
	for (i = 0; i < count; i++) {
		struct text t = text_init(strings, room - size);

		if (session && same_name(environ[i], session))
			continue;
		fresh[n++] = environ[i];
		if (text_starts(environ[i], PRELOAD) &&
		    absolute_preload(&t, environ[i], directory)) {
			fresh[n - 1] = strings;
			strings += t.size + 1;
			room -= t.size + 1;
			changed = 1;
		}
	}
	if (session) {
		struct text t = text_init(strings, size);

		text_add(&t, session);
		fresh[n++] = strings;
	}
	fresh[n++] = NULL;
	/* programs find the auxiliary vector behind the environment's end */
	for (i = 0; i < aux; i++)
		fresh[n + i] = ((char **)auxv())[i];
	if (changed)
		environ = fresh;
	else
		sysmem_free(fresh, (count + 2 + aux) * sizeof(*fresh) + room);
}
