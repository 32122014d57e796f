/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a child of fork does to its copy of the heap is nothing to its parent.
 *
 *   ours     malloc(200)
 *   fork     the child frees it, and 100 times child_takes: malloc(5000), kept; _exit
 *   free of ours, when the child has gone: temporary, for main has made no call since
 *   left     malloc(3), kept
 *
 * 2 N calls, 203 N bytes, N frees, N temporary, 3 N left in N blocks. The peak is 200 + 3 (N - 1)
 * in N blocks. The child's calls are in a trace of its own.
 */
#include <sys/wait.h>

#include "controls/control.h"

SITE void *ours(void)
{
	return counted(malloc(200), 200);
}

SITE void *left(void)
{
	return counted(malloc(3), 3);
}

SITE void child_takes(void)
{
	for (int i = 0; i < 100; i++)
		NEED(malloc(5000));
}

int main(int argc, char **argv)
{
	unsigned long work = control_work(argc, argv);

	while (work--) {
		void *block = ours();
		int status;
		pid_t child = fork();

		if (!child) {
			free(block);
			child_takes();
			_exit(0);
		}
		NEED(child > 0 && waitpid(child, &status, 0) == child && !status);
		free(block);
		NEED(left());
	}
	return control_end();
}
