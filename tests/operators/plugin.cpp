/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A plugin with operators of its own (NAME), which no other library may meet. ROOM makes it larger, so that the
 * next one does not come to its place.
 */
#include <cstdio>
#include <cstdlib>
#include <new>
#include <unistd.h>

static char room[ROOM] = { 1 };

static void say(const char *what)
{
	char text[100];
	int length = snprintf(text, sizeof(text), "%s %s\n", NAME, what);

	if (write(STDOUT_FILENO, text, (size_t)length) != length)
		abort();
}

void *operator new(std::size_t size)
{
	say("new");
	return malloc(size);
}
void operator delete(void *p) noexcept
{
	say("delete");
	free(p);
}
void operator delete(void *p, std::size_t) noexcept
{
	say("sized delete");
	free(p);
}
/* What a library brought along by the plugin has to meet. */
extern "C" void helped() __attribute__((weak));

extern "C" void work()
{
	int *volatile p = new int(room[0]);

	delete p;
	if (helped)
		helped();
}
