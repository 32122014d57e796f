/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ends with 0 if its parent may trace it. */
#include <stddef.h>
#include <sys/ptrace.h>

int main(void)
{
	return ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0;
}
