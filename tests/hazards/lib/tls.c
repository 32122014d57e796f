/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Too large for the room that the loader keeps beside each thread's descriptor. */
char *touch(void);

static __thread char storage[20000];

char *touch(void)
{
	__asm__ volatile("" : : : "memory");
	storage[100] = 1;
	return storage;
}
