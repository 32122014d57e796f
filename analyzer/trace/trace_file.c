/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK_BYTES 65536u

/* The recorder's lock lives as long as its mapping of the file, so as long as the process. */
static bool is_locked(int fd)
{
	if (flock(fd, LOCK_SH | LOCK_NB))
		return errno == EWOULDBLOCK;
	flock(fd, LOCK_UN);
	return false;
}

int trace_file_open(struct trace_file *file, const char *path, struct err *err)
{
	struct stat status;

	/* Not to hang on a FIFO that somebody gave us. */
	file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file->fd < 0)
		return err_set(err, "%s: cannot open: %s", path, strerror(errno));
	if (fstat(file->fd, &status)) {
		err_set(err, "%s: cannot read: %s", path, strerror(errno));
		goto fail;
	}
	if (S_ISDIR(status.st_mode)) {
		err_set(err, "%s: a directory, not a trace", path);
		goto fail;
	}
	if (!S_ISREG(status.st_mode)) {
		err_set(err,
			"%s: not a regular file: a trace is read from a file, not from a "
			"pipe or device",
			path);
		goto fail;
	}
	if (!status.st_size) {
		err_set(err, "%s: empty, not a trace", path);
		goto fail;
	}
	file->size = (uint64_t)status.st_size;
	file->is_live = is_locked(file->fd);
	return 0;
fail:
	trace_file_close(file);
	return -1;
}

void trace_file_close(struct trace_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

uint64_t trace_file_disk_bytes(const struct trace_file *file)
{
	struct stat st;

	return fstat(file->fd, &st) == 0 ? (uint64_t)st.st_blocks * 512 : 0;
}

void trace_file_refresh(struct trace_file *file)
{
	struct stat status;

	if (!fstat(file->fd, &status))
		file->size = (uint64_t)status.st_size;
}

bool trace_file_read(const struct trace_file *file, uint64_t offset, void *bytes, size_t size)
{
	uint8_t *at = bytes;

	if (offset > file->size || size > file->size - offset)
		return false;
	while (size) {
		const ssize_t got = pread(file->fd, at, size, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		offset += (uint64_t)got;
		size -= (size_t)got;
	}
	return true;
}

uint64_t trace_file_skip_hole(const struct trace_file *file, uint64_t offset)
{
	off_t data;

	if (offset >= file->size)
		return file->size;
	data = lseek(file->fd, (off_t)offset, SEEK_DATA);
	if (data < 0)
		return errno == ENXIO ? file->size : offset;
	return (uint64_t)data < file->size ? (uint64_t)data : file->size;
}

uint64_t trace_file_skip_zeros(const struct trace_file *file, uint64_t offset)
{
	uint8_t block[BLOCK_BYTES];

	while ((offset = trace_file_skip_hole(file, offset)) < file->size) {
		const uint64_t left = file->size - offset;
		const size_t size = left < sizeof(block) ? (size_t)left : sizeof(block);

		if (!trace_file_read(file, offset, block, size))
			return file->size;
		for (size_t i = 0; i < size; i++) {
			if (block[i])
				return offset + i;
		}
		offset += size;
	}
	return file->size;
}
