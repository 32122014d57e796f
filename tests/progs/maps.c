/* SPDX-License-Identifier: GPL-3.0-or-later */
/* maps [N]: makes N calls of malloc(1) in main, then prints its own /proc/self/maps without
 * allocating. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static char text[65536];
	int fd = open("/proc/self/maps", O_RDONLY);
	ssize_t length;

	for (long i = argc == 2 ? strtol(argv[1], NULL, 10) : 0; i > 0; i--) {
		if (!malloc(1))
			return 1;
	}
	while ((length = read(fd, text, sizeof(text))) > 0) {
		if (write(STDOUT_FILENO, text, (size_t)length) != length)
			return 1;
	}
	return length != 0;
}
