/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does what a file says, act by act, in two threads that take turns: tests/acts.py writes the file
 * and knows what follows from it. An act is five numbers of 32 bits: what, the thread, the function
 * that calls the allocator, the slot, the size. There is no call of the allocator but those, and
 * what libc allocates for the second thread before the first act.
 */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "preload/xalloc.h"

#define SITE __attribute__((noinline, noclone))

enum { ALLOCATE, FREE, REALLOCATE, FAIL, MARK, ITERATE, PAUSE, RESUME };

struct act {
	uint32_t what, thread, site, slot, size;
};

static struct act acts[200000];
static void *slots[1024];
static const char *const phases[] = { "one", "two", "three" };
static sem_t go, done;
static const struct act *now;

static SITE void allocate(const struct act *a)
{
	void *old = a->what == REALLOCATE ? slots[a->slot] : NULL;

	slots[a->slot] = old ? realloc(old, a->size) : malloc(a->size);
	__asm__ volatile("" ::: "memory");
}

static SITE void lead(const struct act *a)
{
	allocate(a);
	__asm__ volatile("" ::: "memory");
}

/* Which of them are in a stack is what groups and functions are about. */
static SITE void load(const struct act *a)
{
	lead(a);
	__asm__ volatile("" ::: "memory");
}

static SITE void send(const struct act *a)
{
	lead(a);
	__asm__ volatile("" ::: "memory");
}

static SITE void wait_for(const struct act *a)
{
	allocate(a);
	__asm__ volatile("" ::: "memory");
}

static void act(const struct act *a)
{
	static void (*const sites[])(const struct act *) = { load, send, wait_for };

	switch (a->what) {
	case ALLOCATE:
	case REALLOCATE:
		sites[a->site](a);
		break;
	case FREE:
		free(slots[a->slot]);
		slots[a->slot] = NULL;
		break;
	case FAIL:
		slots[a->slot] = malloc(SIZE_MAX / 2);
		break;
	case MARK:
		xalloc_mark(phases[a->slot]);
		break;
	case ITERATE:
		xalloc_iteration();
		break;
	case PAUSE:
		xalloc_pause();
		break;
	case RESUME:
		xalloc_resume();
		break;
	}
}

static void *second(void *arg)
{
	prctl(PR_SET_NAME, "second");
	for (;;) {
		sem_wait(&go);
		act(now);
		sem_post(&done);
	}
	return arg;
}

int main(int argc, char **argv)
{
	const int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	const ssize_t bytes = read(fd, acts, sizeof(acts));
	pthread_t thread;

	if (bytes < 0 || sem_init(&go, 0, 0) || sem_init(&done, 0, 0) ||
	    pthread_create(&thread, NULL, second, NULL))
		return 1;
	for (now = acts; (const char *)now < (const char *)acts + bytes; now++) {
		if (!now->thread) {
			act(now);
			continue;
		}
		sem_post(&go);
		sem_wait(&done);
	}
	return 0;
}
