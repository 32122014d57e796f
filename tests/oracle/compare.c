/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/oracle/compare.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#define SHOWN 20

/* libunwind's names are macros: expanded once, then made a string. */
#define STRING(name) #name
#define SYMBOL(name) STRING(name)

static struct {
	__typeof__(&unw_init_local) init_local;
	__typeof__(&unw_step) step;
	__typeof__(&unw_get_reg) get_reg;
	atomic_int ready;
	atomic_flag busy; /* one comparison at a time */
	char path[512];
	int pid;
	uint64_t every, most, random;
	uint64_t seen, compared, different, truncated, elided, frames, deepest;
	atomic_ulong collided;
} oracle;

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
		oracle.different++; /* a lost message must not pass for no message */
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

static void forget(void)
{
	oracle.pid = getpid();
	oracle.seen = oracle.compared = oracle.different = oracle.truncated = oracle.elided = 0;
	oracle.frames = oracle.deepest = 0;
	oracle.collided = 0;
}

static __attribute__((constructor)) void begin(void)
{
	const char *path = getenv("XALLOC_ORACLE_OUT");
	__typeof__(&unw_set_caching_policy) set_caching_policy;
	unw_addr_space_t *space;
	void *library;

	if (!path || strlen(path) >= sizeof(oracle.path))
		return;
	strcpy(oracle.path, path);
	oracle.every = setting("XALLOC_ORACLE_EVERY", 100);
	oracle.most = setting("XALLOC_ORACLE_MAX", UINT64_MAX);
	oracle.random = setting("XALLOC_ORACLE_SEED", 1) * UINT64_C(0x9E3779B97F4A7C15) | 1;
	forget();
	/* not linked: libunwind.so would take the place of libgcc's unwinder in the target */
	library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		print("%s\n", dlerror());
		return;
	}
	oracle.init_local = dlsym(library, SYMBOL(unw_init_local));
	oracle.step = dlsym(library, SYMBOL(unw_step));
	oracle.get_reg = dlsym(library, SYMBOL(unw_get_reg));
	set_caching_policy = dlsym(library, SYMBOL(unw_set_caching_policy));
	space = dlsym(library, SYMBOL(unw_local_addr_space));
	if (!oracle.init_local || !oracle.step || !oracle.get_reg || !set_caching_policy ||
	    !space) {
		print("libunwind has not what is needed\n");
		return;
	}
	set_caching_policy(*space, UNW_CACHE_NONE);
	oracle.ready = 1;
}

static __attribute__((destructor)) void end(void)
{
	if (!oracle.ready || atomic_flag_test_and_set(&oracle.busy))
		return;
	if (oracle.pid != getpid())
		forget();
	print("%s: pid %d seen %" PRIu64 " compared %" PRIu64 " different %" PRIu64
	      " truncated %" PRIu64 " elided %" PRIu64 " frames %" PRIu64 " deepest %" PRIu64
	      " collided %lu\n",
	      program_invocation_short_name, oracle.pid, oracle.seen, oracle.compared,
	      oracle.different, oracle.truncated, oracle.elided, oracle.frames, oracle.deepest,
	      oracle.collided);
}

static uint64_t get(unw_cursor_t *cursor, int reg)
{
	unw_word_t value = 0;

	oracle.get_reg(cursor, reg, &value);
	return value;
}

static void differ(const char *why, unsigned at, unw_cursor_t *cursor, const uint64_t *pcs,
		   unsigned count)
{
	unsigned i;

	if (oracle.different++ >= SHOWN)
		return;
	print("%s, pid %d: frame %u: %s\n", program_invocation_short_name, oracle.pid, at, why);
	for (i = 0; i < count && i < 100; i++)
		print_frame("walker", i, pcs[i]);
	for (i = at; i < at + 100; i++) {
		print_frame("libunwind", i, get(cursor, UNW_REG_IP));
		if (oracle.step(cursor) <= 0)
			break;
	}
}

static __attribute__((noinline)) void compare(const uint64_t *pcs, unsigned count,
					      enum oracle_root root, uint64_t hook_ip,
					      uint64_t hook_sp, uint64_t hook_rbp)
{
	ucontext_t context;
	unw_cursor_t cursor;
	unsigned i;
	int stepped;

	/* from here, not from the hook's registers, so that the recorder's own frames are tested
	 * too */
	if (getcontext(&context) || oracle.init_local(&cursor, &context))
		return;
	do
		stepped = oracle.step(&cursor);
	while (stepped > 0 && get(&cursor, UNW_REG_SP) != hook_sp);
	oracle.compared++;
	oracle.frames += count;
	if (count > oracle.deepest)
		oracle.deepest = count;
	if (stepped <= 0 || get(&cursor, UNW_REG_IP) != hook_ip ||
	    get(&cursor, UNW_X86_64_RBP) != hook_rbp) {
		differ("the hook's caller is elsewhere", 0, &cursor, pcs, count);
		return;
	}
	for (i = 0; i < count; i++) {
		if (get(&cursor, UNW_REG_IP) != pcs[i]) {
			differ("another address", i, &cursor, pcs, count);
			return;
		}
		stepped = oracle.step(&cursor);
		if (stepped <= 0 && i + 1 < count) {
			differ("libunwind ends, the walker does not", i, &cursor, pcs, count);
			return;
		}
	}
	if (root == ORACLE_TRUNCATED) {
		if (oracle.truncated++ < SHOWN)
			print_frame("truncated after", count - 1, pcs[count - 1]);
		return;
	}
	if (root == ORACLE_ELIDED) {
		oracle.elided++;
		return;
	}
	if (stepped > 0)
		differ("the walker ends, libunwind does not", count, &cursor, pcs, count);
}

void oracle_compare(const uint64_t *pcs, unsigned count, enum oracle_root root, uint64_t hook_ip,
		    uint64_t hook_sp, uint64_t hook_rbp)
{
	const int saved_errno = errno;

	if (!oracle.ready || !count)
		return;
	if (atomic_flag_test_and_set(&oracle.busy)) {
		oracle.collided++;
		return;
	}
	if (oracle.pid != getpid())
		forget();
	oracle.seen++;
	oracle.random ^= oracle.random << 13;
	oracle.random ^= oracle.random >> 7;
	oracle.random ^= oracle.random << 17;
	if (oracle.random % oracle.every == 0 && oracle.compared < oracle.most)
		compare(pcs, count, root, hook_ip, hook_sp, hook_rbp);
	atomic_flag_clear(&oracle.busy);
	errno = saved_errno;
}
