/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/sys/proc.h"

#include <stddef.h>

#include "preload/sys/text.h"

int proc_has_filter(void)
{
	static const char line[] = "\nSeccomp:\t2";
	char text[4096];
	const long bytes = text_read_file("/proc/self/status", text, sizeof(text));
	long i;

	for (i = 0; i + (long)sizeof(line) <= bytes; i++)
		if (text_starts(text + i, line))
			return 1;
	return 0;
}

int proc_stat(uint64_t pid, struct proc_stat *stat)
{
	char name[40], content[1024];
	struct text path = text_init(name, sizeof(name));
	const char *at;
	int field;

	*stat = (struct proc_stat){ 0 };
	text_add(&path, "/proc/");
	if (pid)
		text_add_number(&path, pid);
	else
		text_add(&path, "self");
	text_add(&path, "/stat");
	if (text_read_file(name, content, sizeof(content)) <= 0)
		return -1;
	at = text_last(content, ')'); /* the name may hold anything; field 3 begins behind it */
	for (field = 2; at && *at && field < 22; at++) {
		field += *at == ' ';
		if (field == 4 && *at >= '0' && *at <= '9')
			stat->parent = stat->parent * 10 + (uint64_t)(*at - '0');
	}
	for (; at && *at >= '0' && *at <= '9'; at++)
		stat->start_time = stat->start_time * 10 + (uint64_t)(*at - '0');
	return stat->start_time ? 0 : -1;
}
