/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/surroundings.h"

#include <cpuid.h>
#include <string.h>
#include <sys/utsname.h>

#include "preload/real.h"
#include "preload/store/records.h"
#include "preload/sys/syscall.h"
#include "preload/sys/text.h"
#include "preload/sys/valgrind.h"

#define CGROUP_ROOT "/sys/fs/cgroup"

/* NAME=VALUE strings one behind the other, each ended by NUL. */
static char known[8192];
static size_t known_bytes;

static void add(const char *name, const char *value)
{
	struct text t = text_init(known + known_bytes, sizeof(known) - known_bytes);

	if (sizeof(known) - known_bytes < 2)
		return;
	text_add(&t, name);
	text_add(&t, "=");
	text_add(&t, value);
	if (t.size && !t.cut)
		known_bytes += t.size + 1;
}

/* Up to the end of the line. */
static void end_line(char *s)
{
	while (*s && *s != '\n')
		s++;
	*s = 0;
}

static void add_cpu(void)
{
	unsigned brand[13] = { 0 }, i;
	const char *name = (const char *)brand;

	if (__get_cpuid_max(0x80000000u, NULL) < 0x80000004u)
		return;
	for (i = 0; i < 3; i++)
		__get_cpuid(0x80000002u + i, &brand[4 * i], &brand[4 * i + 1], &brand[4 * i + 2],
			    &brand[4 * i + 3]);
	while (*name == ' ')
		name++;
	add("cpu", name);
}

static void add_kernel(void)
{
	struct utsname names;
	char kernel[160];
	struct text t = text_init(kernel, sizeof(kernel));

	if (sys_call1(SYS_uname, &names) != 0)
		return;
	text_add(&t, names.sysname);
	text_add(&t, " ");
	text_add(&t, names.release);
	add("kernel", kernel);
}

/* The memory limit of the unified hierarchy; "max" is none. */
static void add_cgroup(void)
{
	char group[1024], path[1100], limit[64];
	struct text t = text_init(path, sizeof(path));
	char *at;

	if (text_read_file("/proc/self/cgroup", group, sizeof(group)) <= 0)
		return;
	for (at = group; !text_starts(at, "0::");) {
		while (*at && *at != '\n')
			at++;
		if (!*at++)
			return;
	}
	end_line(at);
	text_add(&t, CGROUP_ROOT);
	text_add(&t, at + 3);
	text_add(&t, "/memory.max");
	if (t.cut || text_read_file(path, limit, sizeof(limit)) <= 0)
		return;
	end_line(limit);
	add("cgroup_memory_max", limit);
}

static void add_thp(void)
{
	char modes[64];
	const char *from;

	if (text_read_file("/sys/kernel/mm/transparent_hugepage/enabled", modes, sizeof(modes)) <=
	    0)
		return;
	from = text_last(modes, '['); /* always [madvise] never */
	if (!from)
		return;
	for (char *to = (char *)from; *to; to++)
		if (*to == ']')
			*to = 0;
	add("thp", from + 1);
}

static void add_variable(const char *entry)
{
	struct text t = text_init(known + known_bytes, sizeof(known) - known_bytes);

	text_add(&t, "env.");
	text_add(&t, entry);
	if (!t.cut)
		known_bytes += t.size + 1;
}

/* Whose malloc the program's calls come to. */
static void add_allocator(const char *libc)
{
	if (sys_is_valgrind())
		add("allocator", "valgrind's");
	else if (real.shadow)
		add("allocator", *real.shadow ? real.shadow : "the program's own");
	else
		add("allocator", real.is_glibc ? libc : real.allocator ? real.allocator : "");
}

void surroundings_read(char *const *env)
{
	char libc[64];
	struct text t = text_init(libc, sizeof(libc));

	known_bytes = 0;
	add_kernel();
	add_cpu();
	if (real.libc_version) {
		text_add(&t, "glibc ");
		text_add(&t, real.libc_version);
		add("libc", libc);
	}
	add_allocator(libc);
	add_thp();
	add_cgroup();
	for (; env && *env; env++)
		if (sizeof(known) - known_bytes > 8 &&
		    (text_starts(*env, "MALLOC_") || text_starts(*env, "GLIBC_TUNABLES=") ||
		     text_starts(*env, "PYTHONMALLOC=") || text_starts(*env, "LD_PRELOAD=")))
			add_variable(*env);
}

void surroundings_record(void)
{
	size_t at, size;

	for (at = 0; at < known_bytes; at += size + 1) {
		size = text_length(known + at);
		records_text(XT_RECORD_ENVIRONMENT, known + at, size);
	}
}
