/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/scope.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdatomic.h>

#include "preload/real.h"
#include "preload/sys/stack.h"
#include "preload/sys/text.h"

#define CLOSURE_MAX 512
#define CLOSURE_MAX_SMALL 32 /* for want of a private stack */
#define CACHED_MAX 512u      /* a power of two */

struct found {
	void *function;
	const struct link_map *map;
	int is_lasting; /* every reference finds it, as long as the process lives */
};

/* What was found for one name and object. seq is odd while somebody writes. */
struct cached {
	_Atomic uint32_t seq;
	uint32_t closings; /* it holds as long as real.closings is that */
	const struct scope_name *name;
	const struct link_map *map;
	struct scope_target target;
};

static struct cached cache[CACHED_MAX];

/* An object and what it needs, breadth first, each once: the order in which the loader looks. */
struct closure {
	const struct link_map **map;
	int count, max;
};

static const char *base_name(const char *path)
{
	const char *slash = text_last(path, '/');

	return slash ? slash + 1 : path;
}

static const char *strings(const struct link_map *map)
{
	const Elf64_Dyn *d;

	for (d = map->l_ld; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_STRTAB)
			return real_pointer(map, d);
	return NULL;
}

static int has_soname(const struct link_map *map, const char *name)
{
	const char *string = strings(map);
	const Elf64_Dyn *d;

	for (d = map->l_ld; string && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_SONAME)
			return text_equal(string + d->d_un.d_val, name);
	return 0;
}

/* The loaded object that a DT_NEEDED means. */
static const struct link_map *needed_find(const struct link_map *first, const char *name)
{
	const struct link_map *map;

	for (map = first; map; map = map->l_next)
		if (text_equal(base_name(map->l_name), base_name(name)) || has_soname(map, name))
			return map;
	return NULL;
}

static int closure_has(const struct closure *c, const struct link_map *map)
{
	int i;

	for (i = 0; i < c->count; i++)
		if (c->map[i] == map)
			return 1;
	return 0;
}

static void closure_fill(struct closure *c, const struct link_map *first,
			 const struct link_map *root)
{
	int i;

	c->map[0] = root;
	c->count = 1;
	for (i = 0; i < c->count; i++) {
		const char *string = strings(c->map[i]);
		const Elf64_Dyn *d;

		for (d = c->map[i]->l_ld; string && d->d_tag != DT_NULL; d++) {
			const struct link_map *map =
				d->d_tag == DT_NEEDED && c->count < c->max
					? needed_find(first, string + d->d_un.d_val)
					: NULL;

			if (map && !closure_has(c, map))
				c->map[c->count++] = map;
		}
	}
}

static int look(struct found *found, const struct link_map *map, const char *name)
{
	found->function = real_definition(map, name);
	found->map = map;
	return found->function != NULL;
}

static struct found find(const char *name, const struct link_map *caller, int is_private)
{
	struct closure c = { .max = is_private ? CLOSURE_MAX : CLOSURE_MAX_SMALL };
	const struct link_map *maps[c.max], *ours = real_our_map(), *last = real_last_at_start();
	const struct link_map *map, *first = ours, *later;
	struct found found = { .is_lasting = 1 };
	int is_at_start = 0;

	c.map = maps;
	while (first && first->l_prev)
		first = first->l_prev;
	/* What stands before us is what the loader finds before us. */
	for (map = ours ? ours->l_next : NULL; map && map != last->l_next; map = map->l_next)
		if (look(&found, map, name))
			return found;
	found.is_lasting = 0;
	later = ours ? last->l_next : NULL;
	for (map = first; map && map != later; map = map->l_next)
		is_at_start |= map == caller;
	/* A library is loaded before what it brings with it: its scope is the earlier one. */
	for (map = caller && !is_at_start ? later : NULL; map; map = map->l_next) {
		int i;

		closure_fill(&c, first, map);
		for (i = 0; closure_has(&c, caller) && i < c.count; i++)
			if (look(&found, c.map[i], name))
				return found;
	}
	for (map = later; map; map = map->l_next)
		if (look(&found, map, name))
			return found;
	return (struct found){ NULL, NULL, 0 };
}

static int is_plain(const struct link_map *map)
{
	const char *file = base_name(map->l_name);

	return text_starts(file, "libstdc++.so") || text_starts(file, "libc++.so") ||
	       text_starts(file, "libc++abi.so") || text_starts(file, "libsupc++.so");
}

struct look_job {
	struct scope_name *name;
	const struct link_map *caller;
	struct cached *cached;
	struct scope_target target;
};

static void look_job(void *arg, int is_private)
{
	struct look_job *job = arg;
	const uint32_t closings = __atomic_load_n(&real.closings, __ATOMIC_ACQUIRE);
	const struct found found = find(job->name->name, job->caller, is_private);
	struct cached *c = job->cached;
	uint32_t seq = atomic_load(&c->seq);

	job->target.function = found.function;
	job->target.is_plain = found.function && is_plain(found.map);
	if (found.is_lasting) {
		job->name->is_plain = job->target.is_plain;
		__atomic_store_n(&job->name->function, found.function, __ATOMIC_RELEASE);
	} else if (!(seq & 1) && atomic_compare_exchange_strong(&c->seq, &seq, seq + 1)) {
		c->closings = closings;
		c->name = job->name;
		c->map = job->caller;
		c->target = job->target;
		atomic_store(&c->seq, seq + 2);
	}
}

struct scope_target scope_look(struct scope_name *n, const void *caller)
{
	struct dl_find_object object = { 0 };
	struct look_job job = { .name = n };
	struct cached copy;
	uint32_t seq;

	if (!real.ready)
		real_resolve();
	if (_dl_find_object((void *)(uintptr_t)caller, &object) == 0)
		job.caller = object.dlfo_link_map;
	job.cached = &cache[((uintptr_t)job.caller / 64 + (uintptr_t)n / 8) % CACHED_MAX];
	seq = atomic_load(&job.cached->seq);
	copy.closings = job.cached->closings;
	copy.name = job.cached->name;
	copy.map = job.cached->map;
	copy.target = job.cached->target;
	atomic_thread_fence(memory_order_acquire);
	if (seq && !(seq & 1) && seq == atomic_load(&job.cached->seq) && copy.name == n &&
	    copy.map == job.caller &&
	    copy.closings == __atomic_load_n(&real.closings, __ATOMIC_ACQUIRE))
		return copy.target;
	stack_run(look_job, &job);
	return job.target;
}
