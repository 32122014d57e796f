/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/oracle/compare.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/sys/signals.h"
#include "tests/oracle/own_memory.h"

#define SHOWN 20
#define FRAMES_SHOWN 100u

static struct {
	int ready;
	char path[512];
	uint64_t every, seed, depth;
} oracle;

/* In a page that a fork child finds empty. */
static struct counts {
	atomic_int busy; /* one comparison at a time */
	atomic_uint_fast64_t seen;
	uint64_t compared, different, no_cfi, shortened, elided, missed, frames, deepest;
} * counts;

static void print(const char *format, ...)
{
	char line[600];
	va_list args;
	int fd, length;

	va_start(args, format);
	length = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	fd = open(oracle.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0)
		return;
	if (length > 0 && write(fd, line, (size_t)length) < 0)
		counts->different++; /* a lost message must not pass for no message */
	close(fd);
}

static void print_frame(const char *who, unsigned i, uint64_t pc)
{
	struct dl_find_object object;

	if (!_dl_find_object((void *)(uintptr_t)pc, &object) && object.dlfo_link_map)
		print("\t%s %u: 0x%" PRIx64 " %s+0x%" PRIx64 "\n", who, i, pc,
		      object.dlfo_link_map->l_name, pc - object.dlfo_link_map->l_addr);
	else
		print("\t%s %u: 0x%" PRIx64 "\n", who, i, pc);
}

static uint64_t setting(const char *name, uint64_t unset)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : unset;
}

static __attribute__((constructor)) void begin(void)
{
	const char *path = getenv("ORACLE_OUT"), *why;

	if (!path || strlen(path) >= sizeof(oracle.path))
		return;
	strcpy(oracle.path, path);
	oracle.every = setting("ORACLE_EVERY", 100);
	oracle.seed = setting("ORACLE_SEED", 1);
	oracle.depth = setting("XALLOC_DEPTH", 1024);
	counts = own_map(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED || madvise(counts, 4096, MADV_WIPEONFORK))
		return;
	why = reference_open();
	if (why)
		print("%s\n", why);
	else
		oracle.ready = 1;
}

void oracle_say(void)
{
	const struct counts *c = counts;

	if (oracle.ready)
		print("%s: pid %d seen %" PRIu64 " compared %" PRIu64 " different %" PRIu64
		      " no-cfi %" PRIu64 " short %" PRIu64 " elided %" PRIu64 " missed %" PRIu64
		      " frames %" PRIu64 " deepest %" PRIu64 "\n",
		      program_invocation_short_name, getpid(), (uint64_t)c->seen, c->compared,
		      c->different, c->no_cfi, c->shortened, c->elided, c->missed, c->frames,
		      c->deepest);
}

static __attribute__((destructor)) void end(void)
{
	oracle_say();
}

bool oracle_wants(void)
{
	uint64_t n;

	if (!oracle.ready)
		return false;
	n = atomic_fetch_add(&counts->seen, 1) + (oracle.seed << 40);
	n = (n ^ n >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	n = (n ^ n >> 27) * UINT64_C(0x94D049BB133111EB);
	return (n ^ n >> 31) % oracle.every == 0;
}

bool oracle_wants_all(void)
{
	return oracle.ready && oracle.every == 1;
}

uint64_t oracle_enter(void)
{
	const uint64_t mask = signals_block();

	while (atomic_exchange(&counts->busy, 1))
		sys_call0(SYS_sched_yield);
	return mask;
}

void oracle_leave(uint64_t mask)
{
	atomic_store(&counts->busy, 0);
	signals_restore(mask);
}

void oracle_miss(void)
{
	counts->missed++;
}

void oracle_differ(const char *what, uint64_t got, uint64_t expected)
{
	if (counts->different++ < SHOWN)
		print("%s, pid %d: %s: %" PRIu64 ", not %" PRIu64 "\n",
		      program_invocation_short_name, getpid(), what, got, expected);
}

uint32_t oracle_module(uint64_t pc, bool is_exact)
{
	struct dl_find_object object;
	uint32_t hash = 2166136261u;
	const char *at;

	if (_dl_find_object((void *)(uintptr_t)(pc - !is_exact), &object) || !object.dlfo_link_map)
		return 0;
	for (at = object.dlfo_link_map->l_name; *at; at++)
		hash = (hash ^ (uint8_t)*at) * 16777619u;
	return (hash ^ (uint32_t)(object.dlfo_link_map->l_addr >> 12)) | 1;
}

static void differ(const char *why, unsigned at, struct reference *r, const struct oracle_event *e)
{
	unsigned i;

	if (counts->different++ >= SHOWN)
		return;
	print("%s, pid %d: frame %u: %s\n", program_invocation_short_name, getpid(), at, why);
	for (i = 0; i < e->count && i < FRAMES_SHOWN; i++)
		print_frame("walker", i, e->frame[i].pc);
	for (i = at; i < at + FRAMES_SHOWN; i++) {
		print_frame("libunwind", i, reference_pc(r));
		if (reference_step(r) != REFERENCE_STEPPED)
			break;
	}
}

/* Both have the same frames; do they end alike? */
static void compare_ends(enum reference_step last, struct reference *r,
			 const struct oracle_event *e)
{
	switch (e->root) {
	case ORACLE_ELIDED:
		counts->elided++;
		if (e->count < oracle.depth)
			differ("cut too near", e->count, r, e);
		break;
	case ORACLE_TRUNCATED:
		if (last == REFERENCE_NO_CFI && counts->no_cfi++ < SHOWN)
			print_frame("no unwind information", e->count - 1,
				    e->frame[e->count - 1].pc);
		else if (last != REFERENCE_NO_CFI && counts->shortened++ < SHOWN)
			print_frame("short after", e->count - 1, e->frame[e->count - 1].pc);
		break;
	case ORACLE_WHOLE:
		if (last == REFERENCE_NO_CFI && !reference_is_outermost(r))
			differ("no unwind information, and the walker does not say so", e->count, r,
			       e);
		else if (last == REFERENCE_STEPPED || last == REFERENCE_ERROR)
			differ("the walker ends, libunwind does not", e->count, r, e);
		break;
	}
}

/* The recorder's own frames, which a handler interrupted, are in no stack. */
static bool is_own(uint64_t pc, bool is_exact)
{
	struct dl_find_object own, there;

	return !_dl_find_object((void *)(uintptr_t)is_own, &own) &&
	       !_dl_find_object((void *)(uintptr_t)(pc - !is_exact), &there) &&
	       own.dlfo_link_map == there.dlfo_link_map;
}

/* Over own frames, if there are any here. */
static enum reference_step skip_own(struct reference *r, enum reference_step last, bool *is_exact)
{
	while (last == REFERENCE_STEPPED && is_own(reference_pc(r), *is_exact)) {
		*is_exact = reference_is_signal(r);
		last = reference_step(r);
	}
	return last;
}

static void compare(const struct oracle_event *e)
{
	struct reference r;
	enum reference_step last;
	bool is_exact = false;
	uint32_t i;

	if (!reference_begin(&r, e->from)) {
		oracle_miss();
		return;
	}
	do
		last = reference_step(&r);
	while (last == REFERENCE_STEPPED && reference_sp(&r) != e->hook_sp);
	counts->compared++;
	counts->frames += e->count;
	if (e->count > counts->deepest)
		counts->deepest = e->count;
	if (last != REFERENCE_STEPPED || reference_pc(&r) != e->hook_ip ||
	    reference_rbp(&r) != e->hook_rbp) {
		differ("the hook's caller is elsewhere", 0, &r, e);
		return;
	}
	for (i = 0; i < e->count; i++) {
		const struct oracle_frame *f = &e->frame[i];

		last = skip_own(&r, last, &is_exact);
		if (last != REFERENCE_STEPPED) {
			differ("libunwind ends, the walker does not", i, &r, e);
			return;
		}
		if (reference_pc(&r) != f->pc) {
			differ("another address", i, &r, e);
			return;
		}
		if (f->is_exact != is_exact) {
			differ("interrupted or calling", i, &r, e);
			return;
		}
		if (oracle_module(f->pc, is_exact) != f->module) {
			differ("a module of another time", i, &r, e);
			return;
		}
		is_exact = reference_is_signal(&r);
		last = reference_step(&r);
	}
	compare_ends(skip_own(&r, last, &is_exact), &r, e);
}

void oracle_compare(const struct oracle_event *e)
{
	const int saved_errno = errno;

	if (e->count)
		compare(e);
	else
		oracle_miss();
	errno = saved_errno;
}
