/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fork child whose first event is made by a vfork child of its own, in its memory: 1 call there, 50 of its own.
 * Prints its number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile block;

int main(void)
{
	char text[32];
	int status, i, length;
	pid_t child, inner;

	free(malloc(10));
	child = fork();
	if (child == 0) {
		inner = vfork();
		if (inner == 0) {
			block = malloc(100);
			_exit(0);
		}
		waitpid(inner, &status, 0);
		for (i = 0; i < 50; i++)
			block = malloc(1000);
		exit(7);
	}
	waitpid(child, &status, 0);
	length = snprintf(text, sizeof(text), "%d\n", (int)child);
	return write(STDOUT_FILENO, text, (size_t)length) != length;
}
