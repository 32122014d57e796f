/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/sys/machine.h"

#include <cpuid.h>
#include <sys/utsname.h>

#include "preload/sys/syscall.h"
#include "preload/sys/text.h"

#define CGROUP_ROOT "/sys/fs/cgroup"
#define BRAND_BYTES 48

static int give(const char *value, char *to, size_t room)
{
	struct text t = text_init(to, room);

	text_add(&t, value);
	return t.size ? 0 : -1;
}

/* Up to the end of the line. */
static void end_line(char *s)
{
	while (*s && *s != '\n')
		s++;
	*s = 0;
}

int machine_kernel(char *to, size_t room)
{
	struct utsname names;
	struct text t = text_init(to, room);

	if (sys_call1(SYS_uname, &names) != 0)
		return -1;
	text_add(&t, names.sysname);
	text_add(&t, " ");
	text_add(&t, names.release);
	return 0;
}

int machine_cpu(char *to, size_t room)
{
	unsigned brand[BRAND_BYTES / sizeof(unsigned) + 1] = { 0 }, i;
	const char *name = (const char *)brand;

	if (__get_cpuid_max(0x80000000u, NULL) >= 0x80000004u)
		for (i = 0; i < 3; i++)
			__get_cpuid(0x80000002u + i, &brand[4 * i], &brand[4 * i + 1],
				    &brand[4 * i + 2], &brand[4 * i + 3]);
	while (*name == ' ')
		name++;
	return give(name, to, room);
}

int machine_thp(char *to, size_t room)
{
	char modes[64];
	const char *from = NULL;

	if (text_read_file("/sys/kernel/mm/transparent_hugepage/enabled", modes, sizeof(modes)) > 0)
		from = text_last(modes, '['); /* always [madvise] never */
	if (!from)
		return give("", to, room);
	for (char *end = (char *)from; *end; end++)
		if (*end == ']')
			*end = 0;
	return give(from + 1, to, room);
}

int machine_cgroup(const char *file, char *to, size_t room)
{
	char group[1024], path[1100];
	struct text t = text_init(path, sizeof(path));
	char *at = group;

	to[0] = 0;
	if (text_read_file("/proc/self/cgroup", group, sizeof(group)) <= 0)
		return -1;
	while (!text_starts(at, "0::")) {
		while (*at && *at != '\n')
			at++;
		if (!*at++)
			return -1;
	}
	end_line(at);
	text_add(&t, CGROUP_ROOT);
	text_add(&t, at + 3);
	text_add(&t, "/");
	text_add(&t, file);
	if (t.cut || text_read_file(path, to, room) <= 0)
		return -1;
	end_line(to);
	return 0;
}
