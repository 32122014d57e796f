/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library that allocates when it is loaded, when it is called and when it ends: see library.c. */
#include "controls/control.h"

void plug_work(unsigned long times);
void plug_count(unsigned long calls, unsigned long bytes);

static void *held;

SITE void *plug_take(size_t bytes)
{
	return counted(malloc(bytes), bytes);
}

SITE __attribute__((constructor)) void plug_begin(void)
{
	held = plug_take(1000);
}

__attribute__((noinline)) void plug_work(unsigned long times)
{
	while (times--)
		NEED(plug_take(20));
}

__attribute__((noinline)) void plug_count(unsigned long calls, unsigned long bytes)
{
	atomic_fetch_add(&control_calls, calls);
	atomic_fetch_add(&control_bytes, bytes);
}

SITE __attribute__((destructor)) void plug_end(void)
{
	free(held);
	free(plug_take(3000));
	control_end();
}
