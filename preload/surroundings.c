/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/surroundings.h"

#include <stddef.h>

#include "preload/real.h"
#include "preload/store/records.h"
#include "preload/sys/machine.h"
#include "preload/sys/text.h"
#include "preload/sys/valgrind.h"

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

/* What is not known is not said. */
static void add_known(const char *name, int result, const char *value)
{
	if (result == 0)
		add(name, value);
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
	char libc[64], value[160];
	struct text t = text_init(libc, sizeof(libc));

	known_bytes = 0;
	add_known("kernel", machine_kernel(value, sizeof(value)), value);
	add_known("cpu", machine_cpu(value, sizeof(value)), value);
	if (real.libc_version) {
		text_add(&t, "glibc ");
		text_add(&t, real.libc_version);
		add("libc", libc);
	}
	add_allocator(libc);
	add_known("thp", machine_thp(value, sizeof(value)), value);
	add_known("cgroup_memory_max", machine_cgroup("memory.max", value, sizeof(value)), value);
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
