/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/rss/mapping.h"

#include <string.h>

#include "preload/rss/mapped.h"

#define PAGE_BYTES 4096ul
#define ARENA_BYTES (64ul << 20)       /* HEAP_MAX_SIZE of glibc on 64 bits, aligned to itself */
#define GUARD_BYTES_MAX (1024ul << 10) /* more is reserved address space */

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static bool is_anonymous(const struct mapping *m)
{
	return !m->name[0] && !m->inode;
}

static bool is_without_access(const struct mapping *m)
{
	return is_anonymous(m) && strncmp(m->access, "---", 3) == 0;
}

static bool is_writable(const struct mapping *m)
{
	return m->access[0] == 'r' && m->access[1] == 'w';
}

static uint64_t bytes_of(const struct mapping *m)
{
	return m->end - m->start;
}

static enum row_kind kind_by_name(const struct mapping *m)
{
	static const char *const shared[] = { "/memfd:", "/SYSV", "/dev/zero", "/dev/shm/",
					      "[anon_shmem:" };

	for (size_t i = 0; i < sizeof(shared) / sizeof(*shared); i++)
		if (starts(m->name, shared[i]))
			return ROW_SHARED;
	if (strcmp(m->name, "[heap]") == 0)
		return ROW_HEAP;
	if (starts(m->name, "[stack"))
		return ROW_STACK;
	if (starts(m->name, "[v"))
		return ROW_VDSO;
	if (starts(m->name, "[anon:"))
		return ROW_ANONYMOUS;
	return m->name[0] == '/' ? ROW_FILE : ROW_OTHER;
}

/*
 * pthread_create maps a stack with MAP_STACK and takes all access from its lowest pages. Linux 6.7
 * and later marks such a mapping; it grows together with none that has no mark. Before that only
 * one of the usual size is taken for a stack.
 */
static bool is_thread_stack(const struct mapping *m, const struct mapping *before,
			    uint64_t stack_bytes)
{
	if (!before || before->end != m->start || !is_without_access(before) ||
	    bytes_of(before) > GUARD_BYTES_MAX || before->has_nohuge != m->has_nohuge)
		return false;
	return m->has_nohuge || bytes_of(before) + bytes_of(m) == stack_bytes;
}

/* With what is reserved behind it. */
static bool is_arena(const struct mapping *m, const struct mapping *next)
{
	return m->start % ARENA_BYTES == 0 && next && next->start == m->end &&
	       is_without_access(next) && next->end >= m->start + ARENA_BYTES;
}

/* All of it behind the module's last mapping and within what its headers have: the kernel joins a
 * bss with anonymous memory behind it, and then nobody can tell them apart. */
static bool is_bss(const struct mapping *m, const struct mapping *before)
{
	return before && before->end == m->start && m->end <= before->image_end;
}

static enum row_kind kind_of_anonymous(const struct mapping *m, const struct mapping *before,
				       const struct mapping *next, uint64_t stack_bytes)
{
	if (is_without_access(m))
		return ROW_RESERVED;
	if (!is_writable(m))
		return ROW_ANONYMOUS;
	if (is_bss(m, before))
		return ROW_BSS;
	if (is_arena(m, next))
		return ROW_ARENA;
	return is_thread_stack(m, before, stack_bytes) ? ROW_THREAD_STACK : ROW_ANONYMOUS;
}

/* The end of the image that this mapping of a file belongs to. */
static uint64_t find_image_end(const struct mapping *m, const struct mapping *before,
			       const struct mapped_file *file)
{
	if (m->offset && before && before->image_end && before->as_name == file->path)
		return before->image_end;
	if (!file->image_bytes)
		return 0;
	return (m->start + file->image_bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
}

static void classify_file(struct mapping *m, const struct mapping *before)
{
	const struct mapped_file *file = mapped_find(m->name, m->inode, m->start, m->offset);

	m->kind = ROW_FILE;
	m->as_name = file ? file->path : "others";
	m->image_end = file ? find_image_end(m, before, file) : 0;
}

void mapping_classify(struct mapping *m, const struct mapping *before, const struct mapping *next,
		      uint64_t stack_bytes)
{
	m->image_end = 0;
	m->as_name = "";
	m->kind = m->name[0] ? kind_by_name(m)
		  : m->inode ? ROW_OTHER
			     : kind_of_anonymous(m, before, next, stack_bytes);
	if (m->field[FIELD_SHARED_HUGETLB] || m->field[FIELD_PRIVATE_HUGETLB] ||
	    starts(m->name, "/anon_hugepage"))
		m->kind = ROW_HUGETLB;
	if (m->kind == ROW_FILE) {
		classify_file(m, before);
	} else if (m->kind == ROW_BSS) {
		m->as_name = before->as_name;
		m->image_end = before->image_end;
	} else if (m->name[0]) {
		m->as_name = mapped_name(m->name);
		if (!m->as_name)
			m->as_name = "others";
	}
}
