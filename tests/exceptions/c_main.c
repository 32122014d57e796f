/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A C program that knows nothing of C++: the library that it is linked with throws. */
#include <stdlib.h>

int throws(int count);

int main(int argc, char **argv)
{
	return argc == 2 ? throws(atoi(argv[1])) : 2;
}
