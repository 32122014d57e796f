/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/rss/native.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "preload/launch/elf_names.h"
#include "preload/launch/glibc.h"
#include "preload/launch/message.h"
#include "preload/rss/mapped.h"
#include "preload/sys/machine.h"

#define COUNTERS 3 /* of resident pages: file, anonymous, shared memory */
#define BATCH_MIN                                                                      \
	32u /* pages that a processor keeps: lib/percpu_counter.c, compute_batch_value \
	     */
#define THREAD_BATCH 64u /* that a thread keeps: TASK_RSS_EVENTS_THRESH, before 6.2 */

#define VERSION(major, minor) ((major)*1000 + (minor))

static int kernel_version(const char *kernel)
{
	int major, minor;

	if (sscanf(kernel, "%*s %d.%d", &major, &minor) != 2)
		return 0;
	return VERSION(major, minor);
}

uint64_t native_hwm_error(const struct native_facts *facts, uint64_t threads)
{
	const uint64_t batch = 2 * facts->cpus > BATCH_MIN ? 2 * facts->cpus : BATCH_MIN;

	if (facts->version && facts->version < VERSION(6, 2))
		return COUNTERS * THREAD_BATCH * (threads ? threads : 1) * facts->page_bytes;
	return COUNTERS * batch * facts->cpus * facts->page_bytes;
}

uint64_t native_statm_error(const struct native_facts *facts, uint64_t threads)
{
	return facts->version >= VERSION(6, 17) ? 0 : native_hwm_error(facts, threads);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const char *find_mapped(const char *const *prefix)
{
	for (size_t i = 0; i < mapped_count(); i++)
		for (size_t j = 0; prefix[j]; j++)
			if (strncmp(base_name(mapped_get(i)->path), prefix[j], strlen(prefix[j])) ==
			    0)
				return mapped_get(i)->path;
	return NULL;
}

static void read_libc(struct native_facts *facts)
{
	static const char *const loaders[] = { "ld-linux-x86-64.so", NULL };
	static const char *const allocators[] = { "libjemalloc", "libtcmalloc", "libmimalloc",
						  NULL };
	const char *loader = find_mapped(loaders), *allocator = find_mapped(allocators);
	struct glibc_version version = { 0, 0 };

	if (loader)
		version = glibc_version_of(loader);
	if (version.major)
		snprintf(facts->libc, sizeof(facts->libc), "glibc %d.%d", version.major,
			 version.minor);
	facts->allocator = allocator ? allocator : facts->libc;
}

static void read_variables(struct native_facts *facts, char **environment)
{
	static const char *const names[] = { "MALLOC_",
					     "GLIBC_TUNABLES=", "PYTHONMALLOC=", "LD_PRELOAD=" };
	size_t count = 0, n = 0;

	while (environment[count])
		count++;
	facts->variables = memory_new(count + 1, sizeof(*facts->variables));
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < sizeof(names) / sizeof(*names); j++)
			if (strncmp(environment[i], names[j], strlen(names[j])) == 0)
				facts->variables[n++] = environment[i];
}

void native_read(struct native_facts *facts, char **environment)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	memset(facts, 0, sizeof(*facts));
	machine_kernel(facts->kernel, sizeof(facts->kernel));
	machine_cpu(facts->cpu, sizeof(facts->cpu));
	machine_thp(facts->thp, sizeof(facts->thp));
	machine_cgroup("memory.max", facts->cgroup_memory_max, sizeof(facts->cgroup_memory_max));
	facts->cpus = cpus > 0 ? (unsigned)cpus : 1;
	facts->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	facts->version = kernel_version(facts->kernel);
	read_libc(facts);
	read_variables(facts, environment);
}

const char *native_untraceable(const struct target *target)
{
	const char *path = target_elf(target), *privileges = path ? target_privileges(path) : NULL;
	struct elf_names names;
	int fd;

	if (privileges)
		return text_new("%s %s, which ptrace would take from it", path, privileges);
	fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : -1;
	if (fd < 0)
		return NULL;
	names = elf_names_read(fd);
	close(fd);
	if (names.checks_leaks)
		return text_new("%s has LeakSanitizer, which traces the program at its end", path);
	if (names.uses_ptrace)
		return text_new("%s uses ptrace itself", path);
	return NULL;
}
