/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/sys/perf_names.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "preload/sys/syscall.h"
#include "preload/sys/text.h"

#define FILE_BYTES_MAX (256ull << 20)
#define LINES_BYTES 65536u
#define PATH_BYTES 4096u

_Static_assert(PERF_BUFFER_BYTES == LINES_BYTES + PATH_BYTES, "both are in the one buffer");

/* A jitdump: a header, then records. */
#define DUMP_MAGIC 0x4A695444u
#define DUMP_CODE_LOAD 0u

struct dump_header {
	uint32_t magic, version, header_bytes, machine, padding, pid;
	uint64_t time, flags;
};

struct dump_record {
	uint32_t type, bytes; /* with this head */
	uint64_t time;
};

struct dump_load { /* the name follows, ended by NUL, and the code */
	struct dump_record head;
	uint32_t pid, tid;
	uint64_t vma, start, bytes, index;
};

/* --- the addresses in order */

static void sift(struct perf_name *heap, uint32_t at, uint32_t count)
{
	const struct perf_name moved = heap[at];
	uint32_t child;

	while ((child = 2 * at + 1) < count) {
		if (child + 1 < count && heap[child + 1].address > heap[child].address)
			child++;
		if (heap[child].address <= moved.address)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

static void sort(struct perf_name *name, uint32_t count)
{
	uint32_t i;

	for (i = count / 2; i-- > 0;)
		sift(name, i, count);
	for (i = count; i-- > 1;) {
		const struct perf_name last = name[i];

		name[i] = name[0];
		name[0] = last;
		sift(name, 0, i);
	}
}

void perf_names_sort(struct perf_names *n)
{
	uint32_t i;

	for (i = 0; i < n->count; i++)
		n->name[i].file = -1;
	sort(n->name, n->count);
}

/* All code in [start, start + bytes) has the name at that place of the file. */
static void apply(struct perf_names *n, uint64_t start, uint64_t bytes, long fd, uint64_t offset,
		  uint32_t name_bytes)
{
	uint32_t low = 0, high = n->count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (n->name[middle].address < start)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < n->count && n->name[low].address - start < bytes; low++) {
		n->name[low].file = fd;
		n->name[low].offset = offset;
		n->name[low].bytes =
			name_bytes < PERF_NAME_BYTES_MAX ? name_bytes : PERF_NAME_BYTES_MAX;
	}
}

/* --- files */

/* A regular file of our own user. Negative: there is none. */
static long open_own(const char *path)
{
	const long fd = sys_call4(SYS_openat, AT_FDCWD, path,
				  O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	struct stat st;

	if (sys_is_error(fd))
		return -1;
	if (!sys_is_error(sys_call2(SYS_fstat, fd, &st)) && S_ISREG(st.st_mode) &&
	    st.st_uid == (uid_t)sys_call0(SYS_geteuid))
		return fd;
	sys_call1(SYS_close, fd);
	return -1;
}

static long read_at(long fd, void *bytes, size_t size, uint64_t offset)
{
	return sys_call4(SYS_pread64, fd, bytes, size, offset);
}

/* Calls fn for each line, without its end and where it begins; of a longer one than the buffer for
 * its first part only. */
static void each_line(struct perf_names *n, long fd,
		      void (*fn)(void *arg, const char *line, size_t bytes, uint64_t offset),
		      void *arg)
{
	uint64_t offset = 0; /* of the buffer's first byte */
	size_t have = 0, at, end;
	bool is_rest = false; /* of a line that was too long */
	long got;

	while (offset < FILE_BYTES_MAX &&
	       (got = sys_call3(SYS_read, fd, n->buffer + have, LINES_BYTES - have)) > 0) {
		have += (size_t)got;
		for (at = end = 0; end < have; end++) {
			if (n->buffer[end] != '\n')
				continue;
			if (!is_rest)
				fn(arg, n->buffer + at, end - at, offset + at);
			is_rest = false;
			at = end + 1;
		}
		if (at == 0 && have == LINES_BYTES) {
			if (!is_rest)
				fn(arg, n->buffer, have, offset);
			is_rest = true;
			at = have;
		}
		__builtin_memmove(n->buffer, n->buffer + at, have - at);
		have -= at;
		offset += at;
	}
}

static uint64_t take_hex(const char **at, const char *end)
{
	uint64_t value = 0;

	for (; *at < end; ++*at) {
		const char c = **at;

		if (c >= '0' && c <= '9')
			value = value << 4 | (uint64_t)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			value = value << 4 | (uint64_t)((c | 0x20) - 'a' + 10);
		else
			break;
	}
	return value;
}

struct map_job {
	struct perf_names *names;
	long fd;
};

/* START SIZE NAME, both in hexadecimal */
static void map_line(void *arg, const char *line, size_t bytes, uint64_t offset)
{
	const struct map_job *job = arg;
	const char *at = line, *const end = line + bytes;
	uint64_t start, size;

	if (bytes > 2 && line[0] == '0' && (line[1] | 0x20) == 'x')
		at += 2;
	start = take_hex(&at, end);
	if (at == end || *at++ != ' ')
		return;
	if (end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x')
		at += 2;
	size = take_hex(&at, end);
	if (at == end || *at++ != ' ' || at == end)
		return;
	apply(job->names, start, size, job->fd, offset + (uint64_t)(at - line),
	      (uint32_t)(end - at));
}

static void read_dump(struct perf_names *n, long fd)
{
	const struct dump_header *header = (const void *)n->buffer;
	const struct dump_load *load = (const void *)n->buffer;
	uint64_t offset;
	long got = read_at(fd, n->buffer, sizeof(*header), 0);

	if (got != (long)sizeof(*header) || header->magic != DUMP_MAGIC)
		return;
	for (offset = header->header_bytes; offset < FILE_BYTES_MAX; offset += load->head.bytes) {
		const char *name = n->buffer + sizeof(*load);
		uint32_t bytes = 0;

		got = read_at(fd, n->buffer, sizeof(*load) + PERF_NAME_BYTES_MAX, offset);
		if (got < (long)sizeof(load->head) || load->head.bytes < sizeof(load->head))
			return;
		if (load->head.type != DUMP_CODE_LOAD || got < (long)sizeof(*load))
			continue;
		while (bytes < (size_t)got - sizeof(*load) &&
		       bytes < load->head.bytes - sizeof(*load) && name[bytes])
			bytes++;
		if (load->head.bytes > sizeof(*load) && bytes)
			apply(n, load->start, load->bytes, fd, offset + sizeof(*load), bytes);
	}
}

struct maps_job {
	char name[64];    /* with a slash before it */
	struct text path; /* what was found */
};

/* START-END PERMISSIONS OFFSET DEVICE INODE      PATH */
static void maps_line(void *arg, const char *line, size_t bytes, uint64_t offset)
{
	struct maps_job *job = arg;
	const size_t name_bytes = text_length(job->name);
	const char *path = line, *const end = line + bytes;

	(void)offset;
	while (path < end && *path != '/')
		path++;
	if ((size_t)(end - path) < name_bytes || job->path.size)
		return;
	while (line < end && *line != ' ')
		line++;
	if (end - line > 3 && line[3] == 'x' &&
	    __builtin_memcmp(end - name_bytes, job->name, name_bytes) == 0)
		text_add_bytes(&job->path, path, (size_t)(end - path));
}

static long open_dump(struct perf_names *n, uint32_t pid, char *path_buffer)
{
	struct maps_job job = { .path = text_init(path_buffer, PATH_BYTES) };
	struct text name = text_init(job.name, sizeof(job.name));
	const long maps =
		sys_call4(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);

	if (sys_is_error(maps))
		return -1;
	text_add(&name, "/jit-");
	text_add_number(&name, pid);
	text_add(&name, ".dump");
	each_line(n, maps, maps_line, &job);
	sys_call1(SYS_close, maps);
	return job.path.size && !job.path.cut ? open_own(path_buffer) : -1;
}

void perf_names_of_map(struct perf_names *n, uint32_t pid)
{
	struct text path = text_init(n->buffer + LINES_BYTES, PATH_BYTES);
	struct map_job job = { n, -1 };

	text_add(&path, "/tmp/perf-");
	text_add_number(&path, pid);
	text_add(&path, ".map");
	job.fd = n->map = open_own(path.bytes);
	if (n->map >= 0)
		each_line(n, n->map, map_line, &job);
}

void perf_names_of_dump(struct perf_names *n, uint32_t pid)
{
	n->dump = open_dump(n, pid, n->buffer + LINES_BYTES);
	if (n->dump >= 0)
		read_dump(n, n->dump);
}

const char *perf_names_get(const struct perf_names *n, const struct perf_name *name)
{
	if (name->file < 0 ||
	    read_at(name->file, n->buffer, name->bytes, name->offset) != (long)name->bytes)
		return NULL;
	return n->buffer;
}

void perf_names_close(const struct perf_names *n)
{
	if (n->map >= 0)
		sys_call1(SYS_close, n->map);
	if (n->dump >= 0)
		sys_call1(SYS_close, n->dump);
}
