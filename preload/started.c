/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/started.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/environment.h"
#include "preload/life.h"
#include "preload/rights.h"
#include "preload/sys/peek.h"
#include "preload/sys/syscall.h"
#include "preload/sys/text.h"

#define PATH_BYTES 512 /* of a candidate in PATH: a longer one is not told */
#define HEAD_BYTES 256 /* of a file: what the kernel looks at of a script */
#define SCRIPTS_MAX 5  /* that name each other: the kernel's limit */
#define SEGMENTS_MAX 64u
#define ROOM_MAX 32768u /* of the caller's stack, which may be a small one */
#define DYNAMIC_MAX 256u
/* The two that need room on the stack do not need it at once: noinline. */
#define DIRECTORY_FLAGS (O_PATH | O_DIRECTORY | O_CLOEXEC)
#define OPEN_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

enum can_load { CAN_LOAD, CANNOT_LOAD };

/* A page that was found to be there. */
struct known_page {
	uint64_t end; /* of it; 0: none was */
};

/* Where nobody can be asked it is taken to be there. */
static int is_there(struct known_page *known, const void *at)
{
	const uint64_t word = (uint64_t)(uintptr_t)at & ~7ull, end = (word | 4095) + 1;

	if (end == known->end || sys_is_denied(SYS_rt_sigprocmask))
		return 1;
	if (!sys_is_readable(word))
		return 0;
	known->end = end;
	return 1;
}

static int is_text_there(struct known_page *known, const char *text)
{
	do
		if (!is_there(known, text))
			return 0;
	while (*text++);
	return 1;
}

static int is_environment_there(char *const *env)
{
	struct known_page words = { 0 }, texts = { 0 };

	for (; env; env++) {
		if (!is_there(&words, env))
			return 0;
		if (!*env)
			break;
		if (!is_text_there(&texts, *env))
			return 0;
	}
	return 1;
}

static int names_us(char *const *env)
{
	for (; env && *env; env++)
		if (environment_preloads_us(*env))
			return 1;
	return 0;
}

/* The names that glibc's loader has had. */
static int is_glibc_loader(const char *path)
{
	const char *slash = text_last(path, '/'), *name = slash ? slash + 1 : path;

	return text_starts(name, "ld-linux-x86-64.so") || text_starts(name, "ld-lsb-x86-64.so") ||
	       text_starts(name, "ld-2.");
}

/* The first segment of a type, or of PT_LOAD that which holds addr; 0: there is none. */
static int segment_find(long fd, const Elf64_Ehdr *elf, uint32_t type, uint64_t addr,
			Elf64_Phdr *segment)
{
	unsigned i;

	for (i = 0; i < elf->e_phnum && i < SEGMENTS_MAX; i++)
		if (sys_call4(SYS_pread64, fd, segment, sizeof(*segment),
			      elf->e_phoff + i * sizeof(*segment)) == sizeof(*segment) &&
		    segment->p_type == type &&
		    (type != PT_LOAD || addr - segment->p_vaddr < segment->p_filesz))
			return 1;
	return 0;
}

/* One entry of the dynamic section; 0: there are no more. */
static int dynamic_next(long fd, const Elf64_Phdr *segment, unsigned i, Elf64_Dyn *d)
{
	return i < DYNAMIC_MAX && (i + 1) * sizeof(*d) <= segment->p_filesz &&
	       sys_call4(SYS_pread64, fd, d, sizeof(*d), segment->p_offset + i * sizeof(*d)) ==
		       sizeof(*d) &&
	       d->d_tag != DT_NULL;
}

/* Is it linked with the library of AddressSanitizer, which ends a program that has one before it?
 */
static __attribute__((noinline)) int needs_asan(long fd, const Elf64_Ehdr *elf)
{
	Elf64_Phdr dynamic, strings;
	Elf64_Dyn d = { .d_un.d_val = 0 };
	uint64_t table = 0;
	char name[24];
	unsigned i;

	if (!segment_find(fd, elf, PT_DYNAMIC, 0, &dynamic))
		return 0;
	for (i = 0; !table && dynamic_next(fd, &dynamic, i, &d); i++)
		if (d.d_tag == DT_STRTAB)
			table = d.d_un.d_ptr;
	if (!table || !segment_find(fd, elf, PT_LOAD, table, &strings))
		return 0;
	table += strings.p_offset - strings.p_vaddr;
	for (i = 0; dynamic_next(fd, &dynamic, i, &d); i++)
		if (d.d_tag == DT_NEEDED &&
		    sys_call4(SYS_pread64, fd, name, sizeof(name), table + d.d_un.d_val) ==
			    sizeof(name) &&
		    (memcmp(name, "libasan.so", 10) == 0 ||
		     memcmp(name, "libclang_rt.asan", 16) == 0))
			return 1;
	return 0;
}

/* Of a file that is ELF, its first bytes in head, which is written over. */
static enum can_load look_at_elf(long fd, char *head, long bytes)
{
	Elf64_Ehdr elf;
	Elf64_Phdr segment;
	unsigned i;

	if (bytes < (long)sizeof(elf))
		return CAN_LOAD; /* the kernel will not have it */
	memcpy(&elf, head, sizeof(elf));
	if (elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_machine != EM_X86_64)
		return CANNOT_LOAD;
	for (i = 0; i < elf.e_phnum && i < SEGMENTS_MAX; i++) {
		if (sys_call4(SYS_pread64, fd, &segment, sizeof(segment),
			      elf.e_phoff + i * sizeof(segment)) != sizeof(segment))
			return CAN_LOAD;
		if (segment.p_type != PT_INTERP)
			continue;
		if (!segment.p_filesz || segment.p_filesz > HEAD_BYTES ||
		    sys_call4(SYS_pread64, fd, head, segment.p_filesz, segment.p_offset) !=
			    (long)segment.p_filesz)
			return CAN_LOAD;
		head[segment.p_filesz - 1] = 0;
		return is_glibc_loader(head) && !needs_asan(fd, &elf) ? CAN_LOAD : CANNOT_LOAD;
	}
	return CAN_LOAD; /* no loader: it reads no LD_PRELOAD, and may start others */
}

/* "#! NAME ..." in head becomes NAME; NULL: it is no script. */
static const char *interpreter(char *head)
{
	char *name = head + 2, *end;

	if (head[0] != '#' || head[1] != '!')
		return NULL;
	while (*name == ' ' || *name == '\t')
		name++;
	for (end = name; *end && *end != ' ' && *end != '\t' && *end != '\n'; end++)
		;
	*end = 0;
	return *name ? name : NULL;
}

/* Of an open file, and of the interpreters that scripts name, for a process that stands in
 * `directory`. Closes it, but for `keeps`. */
static __attribute__((noinline)) enum can_load look_at_file(int directory, long fd, int keeps)
{
	char head[HEAD_BYTES + 1];
	enum can_load result = CAN_LOAD;
	const char *next = NULL;
	int scripts;

	for (scripts = 0; !sys_is_error(fd) && scripts <= SCRIPTS_MAX; scripts++) {
		const long bytes = sys_call4(SYS_pread64, fd, head, HEAD_BYTES, 0);

		next = NULL;
		head[bytes > 0 ? bytes : 0] = 0;
		if (bytes >= SELFMAG && memcmp(head, ELFMAG, SELFMAG) == 0)
			result = look_at_elf(fd, head, bytes);
		else if (bytes > 0)
			next = interpreter(head);
		if (!keeps)
			sys_call1(SYS_close, fd);
		if (!next)
			break;
		fd = sys_call3(SYS_openat, directory, next, OPEN_FLAGS);
		keeps = 0;
	}
	if (next && !sys_is_error(fd)) /* more scripts than the kernel follows */
		sys_call1(SYS_close, fd);
	return result;
}

static const char *search_path(void)
{
	char **entry;

	for (entry = environ; entry && *entry; entry++)
		if (text_starts(*entry, "PATH="))
			return *entry + sizeof("PATH=") - 1;
	return "/bin:/usr/bin";
}

/* The first file of that name that may be executed; an error when it cannot be told. */
static __attribute__((noinline)) long open_in_path(int directory, const char *name)
{
	const char *at = search_path(), *end;
	char path[PATH_BYTES];

	for (;; at = end + 1) {
		struct text t = text_init(path, sizeof(path));
		struct stat st;
		long fd;

		for (end = at; *end && *end != ':'; end++)
			;
		text_add_bytes(&t, at, (size_t)(end - at));
		if (end != at)
			text_add(&t, "/");
		text_add(&t, name);
		if (t.cut)
			return -1;
		fd = sys_call3(SYS_openat, directory, path, OPEN_FLAGS);
		if (sys_call3(SYS_faccessat, directory, path, X_OK) == 0 &&
		    (sys_is_error(fd) ||
		     (sys_call2(SYS_fstat, fd, &st) == 0 && S_ISREG(st.st_mode))))
			return fd;
		if (!sys_is_error(fd))
			sys_call1(SYS_close, fd);
		if (!*end)
			return -1;
	}
}

/* A descriptor that says only where the file is (O_PATH) has to be opened. */
static enum can_load look_at_fd(int fd)
{
	char path[40], byte;
	struct text t = text_init(path, sizeof(path));

	if (!sys_is_error(sys_call4(SYS_pread64, fd, &byte, 1, 0)))
		return look_at_file(AT_FDCWD, fd, 1);
	text_add(&t, "/proc/self/fd/");
	text_add_number(&t, (uint64_t)fd);
	return look_at_file(AT_FDCWD, sys_call3(SYS_openat, AT_FDCWD, path, OPEN_FLAGS), 0);
}

/* glibc's actions, of which it shows no more than that there are some: since 2.29, the last two
 * kinds later. */
enum action_kind {
	ACTION_CLOSE = 0,
	ACTION_DUP = 1, /* fd as new_fd */
	ACTION_OPEN = 2,
	ACTION_CHDIR = 3,
	ACTION_FCHDIR = 4,
	ACTION_KINDS = 7
};
struct action {
	int kind, unused;
	union {
		const char *path; /* ACTION_CHDIR */
		struct {
			int fd, new_fd;
		};
		uint64_t words[3];
	};
};

/* What of ours the child's fd is before the n-th action; -1: none, or it cannot be told. */
static int fd_before(const struct action *action, int n, int fd)
{
	while (n-- > 0) {
		if (action[n].kind == ACTION_DUP && action[n].new_fd == fd)
			fd = action[n].fd;
		else if ((action[n].kind == ACTION_OPEN || action[n].kind == ACTION_CLOSE) &&
			 action[n].fd == fd)
			return -1;
	}
	return fd;
}

/* A directory from which names are looked up in what posix_spawn starts: AT_FDCWD, or a descriptor,
 * which is to be closed. Negative errno: it is not known. */
static __attribute__((noinline)) long spawn_directory(const posix_spawn_file_actions_t *actions)
{
	struct known_page known = { 0 };
	const struct action *action;
	long directory = AT_FDCWD, next;
	int i;

	if (!actions)
		return AT_FDCWD;
	if (!is_there(&known, actions) || !is_there(&known, &actions->__actions) ||
	    actions->__used < 0 || actions->__used > actions->__allocated)
		return -EINVAL;
	action = (const struct action *)(const void *)actions->__actions;
	for (i = 0; i < actions->__used; i++) {
		if (!is_there(&known, &action[i]) || !is_there(&known, &action[i].words[2]) ||
		    action[i].kind < 0 || action[i].kind >= ACTION_KINDS)
			next = -EINVAL;
		else if (action[i].kind == ACTION_CHDIR && is_text_there(&known, action[i].path))
			next = sys_call3(SYS_openat, directory, action[i].path, DIRECTORY_FLAGS);
		else if (action[i].kind == ACTION_FCHDIR)
			next = sys_call3(SYS_openat, fd_before(action, i, action[i].fd), ".",
					 DIRECTORY_FLAGS);
		else
			continue;
		if (directory != AT_FDCWD)
			sys_call1(SYS_close, directory);
		if (sys_is_error(next))
			return next;
		directory = next;
	}
	return directory;
}

static enum can_load look_at_name(const struct started *what, int directory)
{
	const int from = what->actions ? directory : what->directory;

	if (what->is_in_path && !text_last(what->name, '/'))
		return look_at_file(directory, open_in_path(directory, what->name), 0);
	return look_at_file(directory, sys_call3(SYS_openat, from, what->name, OPEN_FLAGS), 0);
}

static enum can_load look(const struct started *what)
{
	struct known_page name = { 0 };
	enum can_load result;
	long directory;

	if (what->is_fd)
		return look_at_fd(what->directory);
	if (!what->name || !is_text_there(&name, what->name) || !*what->name)
		return CAN_LOAD;
	directory = spawn_directory(what->actions);
	if (directory != AT_FDCWD && sys_is_error(directory))
		return CAN_LOAD;
	result = look_at_name(what, (int)directory);
	if (directory != AT_FDCWD)
		sys_call1(SYS_close, directory);
	return result;
}

int started_is_empty(const char *name)
{
	struct known_page known = { 0 };

	return name && is_there(&known, name) && !*name;
}

struct started_copy started_need(char *const *env, const struct started *what)
{
	struct started_copy copy = { 0, NULL };
	size_t room = sizeof(*env);
	long at;

	if (!is_environment_there(env) || !names_us(env) ||
	    (!life_leaves_alone(what->is_spawned) && rights_may_begin() && look(what) == CAN_LOAD))
		return copy;
	for (; *env; env++) {
		room += sizeof(*env);
		if (environment_preloads_us(*env))
			room += text_length(*env) + 1;
	}
	/* ours for a moment only: in no trace */
	at = life_has_own_memory() ? sys_call6(SYS_mmap, 0, (long)room, PROT_READ | PROT_WRITE,
					       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
				   : -1;
	if (!sys_is_error(at))
		copy.memory = (void *)at;
	if (copy.memory || room <= ROOM_MAX)
		copy.bytes = room;
	return copy;
}

void started_release(struct started_copy *copy)
{
	if (copy->memory)
		sys_call2(SYS_munmap, copy->memory, copy->bytes);
}

char *const *started_without(void *room, char *const *env)
{
	char **fresh = room, *strings;
	size_t count = 0, n = 0, size;

	while (env[count])
		count++;
	strings = (char *)(fresh + count + 1);
	for (; *env; env++) {
		if (!environment_preloads_us(*env)) {
			fresh[n++] = *env;
			continue;
		}
		size = environment_without_us(strings, *env);
		if (!size) /* nothing else stood there */
			continue;
		fresh[n++] = strings;
		strings += size;
	}
	fresh[n] = NULL;
	return fresh;
}
