/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/jit_names.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "preload/store/records.h"
#include "preload/sys/syscall.h"
#include "preload/sys/sysmem.h"
#include "preload/sys/text.h"
#include "preload/trace/format.h"

#define SEEN_MAX 65536u
#define FILE_BYTES_MAX (256ull << 20)
#define BUFFER_BYTES 65536u
#define PATH_BYTES 4096u

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

struct seen {
	uint64_t address;
	_Atomic uint32_t id; /* 0: not written yet */
};

static struct {
	_Atomic uint32_t count;
	struct seen *_Atomic seen; /* [SEEN_MAX] */
} noted;

/* An address that was seen, and where its name stands. */
struct named {
	uint64_t address, offset;
	uint32_t id, bytes;
	long fd;
};

struct names {
	struct named *named; /* by address */
	uint32_t count;
	char *buffer; /* [BUFFER_BYTES] */
};

void jit_names_init(void)
{
	struct seen *seen = atomic_load(&noted.seen);
	uint32_t i;

	for (i = 0; seen && i < noted.count && i < SEEN_MAX; i++)
		seen[i].id = 0;
	atomic_store(&noted.count, 0);
}

void jit_names_note(uint64_t address, uint32_t id)
{
	struct seen *seen = atomic_load(&noted.seen), *fresh;
	uint32_t i;

	if (!seen) {
		fresh = sysmem_new(SEEN_MAX * sizeof(*fresh));
		if (!fresh)
			return;
		if (atomic_compare_exchange_strong(&noted.seen, &seen, fresh))
			seen = fresh;
		else
			sysmem_free(fresh, SEEN_MAX * sizeof(*fresh));
	}
	if (atomic_load_explicit(&noted.count, memory_order_relaxed) >= SEEN_MAX)
		return;
	i = atomic_fetch_add(&noted.count, 1);
	if (i >= SEEN_MAX)
		return;
	seen[i].address = address;
	atomic_store_explicit(&seen[i].id, id, memory_order_release);
}

/* --- the addresses in order */

static void sift(struct named *heap, uint32_t at, uint32_t count)
{
	const struct named moved = heap[at];
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

static void sort(struct named *named, uint32_t count)
{
	uint32_t i;

	for (i = count / 2; i-- > 0;)
		sift(named, i, count);
	for (i = count; i-- > 1;) {
		const struct named last = named[i];

		named[i] = named[0];
		named[0] = last;
		sift(named, 0, i);
	}
}

static void collect(struct names *n)
{
	const struct seen *seen = atomic_load(&noted.seen);
	const uint32_t count = atomic_load(&noted.count);
	uint32_t i;

	for (i = 0; i < count && i < SEEN_MAX; i++) {
		const uint32_t id = atomic_load_explicit(&seen[i].id, memory_order_acquire);

		if (id)
			n->named[n->count++] =
				(struct named){ .address = seen[i].address, .id = id, .fd = -1 };
	}
	sort(n->named, n->count);
}

/* All code in [start, start + bytes) has the name at that place of the file. */
static void apply(struct names *n, uint64_t start, uint64_t bytes, long fd, uint64_t offset,
		  uint32_t name_bytes)
{
	uint32_t low = 0, high = n->count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (n->named[middle].address < start)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < n->count && n->named[low].address - start < bytes; low++) {
		n->named[low].fd = fd;
		n->named[low].offset = offset;
		n->named[low].bytes =
			name_bytes < XT_JIT_NAME_BYTES_MAX ? name_bytes : XT_JIT_NAME_BYTES_MAX;
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
static void each_line(struct names *n, long fd,
		      void (*fn)(void *arg, const char *line, size_t bytes, uint64_t offset),
		      void *arg)
{
	uint64_t offset = 0; /* of the buffer's first byte */
	size_t have = 0, at, end;
	bool is_rest = false; /* of a line that was too long */
	long got;

	while (offset < FILE_BYTES_MAX &&
	       (got = sys_call3(SYS_read, fd, n->buffer + have, BUFFER_BYTES - have)) > 0) {
		have += (size_t)got;
		for (at = end = 0; end < have; end++) {
			if (n->buffer[end] != '\n')
				continue;
			if (!is_rest)
				fn(arg, n->buffer + at, end - at, offset + at);
			is_rest = false;
			at = end + 1;
		}
		if (at == 0 && have == BUFFER_BYTES) {
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
	struct names *names;
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

static void read_dump(struct names *n, long fd)
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

		got = read_at(fd, n->buffer, sizeof(*load) + XT_JIT_NAME_BYTES_MAX, offset);
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

static long open_dump(struct names *n, uint32_t pid, char *path_buffer)
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

static void write_records(const struct names *n)
{
	uint32_t i;

	for (i = 0; i < n->count; i++) {
		const struct named *named = &n->named[i];
		const struct xt_jit_name head = { named->id, named->bytes };
		const struct records_piece piece[] = { { &head, sizeof(head) },
						       { n->buffer, named->bytes } };

		if (named->fd >= 0 &&
		    read_at(named->fd, n->buffer, named->bytes, named->offset) ==
			    (long)named->bytes &&
		    records_add(XT_RECORD_JIT_NAME, piece, 2) < 0)
			return;
	}
}

void jit_names_write(uint32_t pid)
{
	const uint32_t noted_count = atomic_load(&noted.count);
	const uint32_t most = noted_count < SEEN_MAX ? noted_count : SEEN_MAX;
	const size_t bytes = BUFFER_BYTES + PATH_BYTES + most * sizeof(struct named);
	struct names n = { 0 };
	struct map_job job = { &n, -1 };
	struct text path;
	long dump;

	if (!most)
		return;
	n.buffer = sysmem_new(bytes);
	if (!n.buffer)
		return;
	n.named = (struct named *)(void *)(n.buffer + BUFFER_BYTES + PATH_BYTES);
	collect(&n);
	path = text_init(n.buffer + BUFFER_BYTES, PATH_BYTES);
	text_add(&path, "/tmp/perf-");
	text_add_number(&path, pid);
	text_add(&path, ".map");
	job.fd = open_own(path.bytes);
	if (job.fd >= 0)
		each_line(&n, job.fd, map_line, &job);
	dump = open_dump(&n, pid, n.buffer + BUFFER_BYTES);
	if (dump >= 0)
		read_dump(&n, dump);
	write_records(&n);
	if (job.fd >= 0)
		sys_call1(SYS_close, job.fd);
	if (dump >= 0)
		sys_call1(SYS_close, dump);
	sysmem_free(n.buffer, bytes);
}
