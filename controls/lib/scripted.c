/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An allocator that does what its program says: where the program has set a function, malloc,
 * realloc or free is that function, else libc's. What the functions call is libc's allocator by its
 * own names, which nobody interposes.
 */
#include <stddef.h>

void *__libc_malloc(size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void __libc_free(void *block);

void *(*scripted_malloc)(size_t bytes);
void *(*scripted_realloc)(void *old, size_t bytes);
void (*scripted_free)(void *block);

void *malloc(size_t bytes)
{
	return scripted_malloc ? scripted_malloc(bytes) : __libc_malloc(bytes);
}

void *realloc(void *old, size_t bytes)
{
	return scripted_realloc ? scripted_realloc(old, bytes) : __libc_realloc(old, bytes);
}

void free(void *block)
{
	if (scripted_free)
		scripted_free(block);
	else
		__libc_free(block);
}
