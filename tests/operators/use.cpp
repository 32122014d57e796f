/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Uses the operators, lets one throw, and allocates deep below the handler. With an allocator of its own: 5 blocks
 * by new, 5 given back; one failed call (nothrow); what is thrown allocates by malloc.
 */
#include <cstddef>
#include <cstdio>
#include <new>
#include <dlfcn.h>
#include <unistd.h>

extern "C" void free_sized(void *, std::size_t) __attribute__((weak));

struct alignas(64) wide {
	char bytes[128];
};

static int *one()
{
	return new int(1);
}

static void deep(int n)
{
	if (n)
		deep(n - 1);
	else
		delete one();
}

int main()
{
	int *a = one(), *c = new (std::nothrow) int, caught = 0;
	char *b = new char[100];
	wide *w = new wide;
	void *big = operator new(1ul << 40, std::nothrow);

	try {
		big = operator new(1ul << 40);
	} catch (std::bad_alloc &) {
		caught = 1;
		deep(5);
	}
	delete a;
	delete[] b;
	delete w;
	if (free_sized)
		free_sized(c, sizeof(*c));
	char text[100];
	int length = snprintf(text, sizeof(text), "caught %d big %d free_sized %d\n", caught, big != nullptr,
			      free_sized != nullptr);
	return write(STDOUT_FILENO, text, length) != length;
}
