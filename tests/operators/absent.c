/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a C program without C++ finds of names that are not there. */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

void free_sized(void *, unsigned long) __attribute__((weak));
void free_aligned_sized(void *, unsigned long, unsigned long) __attribute__((weak));

int main(void)
{
	char text[100];
	int length = snprintf(text, sizeof(text), "%d %d %d %d %d\n", free_sized != 0,
			      free_aligned_sized != 0, dlsym(RTLD_DEFAULT, "free_sized") != 0,
			      dlsym(RTLD_DEFAULT, "_Znwm") != 0, dlsym(RTLD_DEFAULT, "_ZdlPvm") != 0);

	return write(STDOUT_FILENO, text, (size_t)length) != length;
}
