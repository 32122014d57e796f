/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/evidence/pieces.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/mem.h"

#define BLOCK_BYTES 4096u
#define READ_BYTES (64 * BLOCK_BYTES)
#define ZEROS_BYTES_MIN 65536u /* fewer are kept: a line of the index is no smaller */

static const uint8_t zeros[READ_BYTES];

struct cut {
	struct pieces *pieces;
	const char *to, *path;
	uint64_t max;
	uint64_t pending; /* zeros that are not written yet */
	FILE *file;       /* the last piece; NULL: the next byte begins one */
	struct sha256 whole, part;
	struct err *err;
};

static struct piece *add_piece(struct pieces *pieces)
{
	pieces->piece = xreallocarray(pieces->piece, pieces->count + 1, sizeof(*pieces->piece));
	pieces->piece[pieces->count] = (struct piece){ .path = NULL };
	return &pieces->piece[pieces->count++];
}

static int cannot_write(const struct cut *cut, const char *path)
{
	return err_set(cut->err, "%s/%s: cannot be written: %s", cut->to, path,
		       strerror(errno ? errno : EIO));
}

static int begin_piece(struct cut *cut)
{
	size_t number = 0;
	struct piece *piece;
	char *path;

	for (size_t i = 0; i < cut->pieces->count; i++)
		number += cut->pieces->piece[i].path != NULL;
	piece = add_piece(cut->pieces);
	piece->path = xasprintf("%s.%04zu", cut->path, number);
	path = xasprintf("%s/%s", cut->to, piece->path);
	errno = 0;
	cut->file = fopen(path, "wxe");
	free(path);
	sha256_begin(&cut->part);
	return cut->file ? 0 : cannot_write(cut, piece->path);
}

static int end_piece(struct cut *cut)
{
	FILE *file = cut->file;
	struct piece *piece;

	cut->file = NULL;
	if (!file)
		return 0;
	piece = &cut->pieces->piece[cut->pieces->count - 1];
	piece->sha256 = sha256_end(&cut->part);
	errno = 0;
	return fclose(file) ? cannot_write(cut, piece->path) : 0;
}

static int put(struct cut *cut, const uint8_t *bytes, size_t size)
{
	while (size) {
		struct piece *piece;
		size_t part = size;

		if (!cut->file && begin_piece(cut))
			return -1;
		piece = &cut->pieces->piece[cut->pieces->count - 1];
		if (part > cut->max - piece->bytes)
			part = (size_t)(cut->max - piece->bytes);
		sha256_add(&cut->part, bytes, part);
		errno = 0;
		if (fwrite(bytes, 1, part, cut->file) != part)
			return cannot_write(cut, piece->path);
		piece->bytes += part;
		if (piece->bytes == cut->max && end_piece(cut))
			return -1;
		bytes += part;
		size -= part;
	}
	return 0;
}

/* What pends becomes a run of its own, or bytes like others. */
static int put_zeros(struct cut *cut)
{
	if (cut->pending >= ZEROS_BYTES_MIN) {
		if (end_piece(cut))
			return -1;
		add_piece(cut->pieces)->bytes = cut->pending;
		cut->pending = 0;
	}
	while (cut->pending) {
		const size_t part = cut->pending < READ_BYTES ? cut->pending : READ_BYTES;

		if (put(cut, zeros, part))
			return -1;
		cut->pending -= part;
	}
	return 0;
}

static int cut_block(struct cut *cut, const uint8_t *bytes, size_t size)
{
	sha256_add(&cut->whole, bytes, size);
	cut->pieces->bytes += size;
	if (!memcmp(bytes, zeros, size)) {
		cut->pending += size;
		return 0;
	}
	return put_zeros(cut) ? -1 : put(cut, bytes, size);
}

/* All of size bytes, fewer at the end of the file. -1: errno says why. */
static ssize_t read_all(int fd, uint8_t *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		const ssize_t part = read(fd, bytes + done, size - done);

		if (part < 0 && errno == EINTR)
			continue;
		if (part <= 0)
			return part < 0 ? -1 : (ssize_t)done;
		done += (size_t)part;
	}
	return (ssize_t)done;
}

static int cut_all(struct cut *cut, int fd, const char *from)
{
	uint8_t *bytes = xmalloc(READ_BYTES);
	ssize_t size;
	int ret = 0;

	while (!ret && (size = read_all(fd, bytes, READ_BYTES)) > 0)
		for (ssize_t at = 0; !ret && at < size; at += BLOCK_BYTES)
			ret = cut_block(cut, bytes + at,
					size - at < BLOCK_BYTES ? (size_t)(size - at)
								: BLOCK_BYTES);
	if (!ret && size < 0)
		ret = err_set(cut->err, "%s: %s", from, strerror(errno));
	free(bytes);
	if (!ret)
		ret = put_zeros(cut);
	if (!ret && !cut->pieces->count) /* an empty file is one piece, too */
		ret = begin_piece(cut);
	if (!ret)
		ret = end_piece(cut);
	if (cut->file)
		fclose(cut->file);
	return ret;
}

/* A file of one piece is called as it is. */
static int drop_number(struct cut *cut)
{
	struct piece *piece = cut->pieces->piece;
	char *old, *new;
	int ret = 0;

	if (cut->pieces->count != 1 || !piece->path)
		return 0;
	old = xasprintf("%s/%s", cut->to, piece->path);
	new = xasprintf("%s/%s", cut->to, cut->path);
	if (rename(old, new))
		ret = cannot_write(cut, cut->path);
	free(old);
	free(new);
	free(piece->path);
	piece->path = xstrdup(cut->path);
	return ret;
}

int pieces_cut(struct pieces *pieces, const char *from, const char *to, const char *path,
	       uint64_t max, struct err *err)
{
	struct cut cut = { .pieces = pieces, .to = to, .path = path, .max = max, .err = err };
	const int fd = open(from, O_RDONLY | O_CLOEXEC);
	int ret;

	*pieces = (struct pieces){ .piece = NULL };
	if (fd < 0)
		return err_set(err, "%s: %s", from, strerror(errno));
	sha256_begin(&cut.whole);
	ret = cut_all(&cut, fd, from);
	close(fd);
	pieces->sha256 = sha256_end(&cut.whole);
	return ret ? ret : drop_number(&cut);
}

struct join {
	const struct pieces *pieces;
	const char *from, *to;
	int out;
	uint64_t at;
	struct sha256 whole;
	struct err *err;
};

static int write_at(const struct join *join, const uint8_t *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		const ssize_t part =
			pwrite(join->out, bytes + done, size - done, (off_t)(join->at + done));

		if (part < 0 && errno == EINTR)
			continue;
		if (part <= 0)
			return err_set(join->err, "%s: cannot be written: %s", join->to,
				       strerror(part ? errno : EIO));
		done += (size_t)part;
	}
	return 0;
}

static void join_zeros(struct join *join, uint64_t bytes)
{
	join->at += bytes;
	while (bytes) {
		const size_t part = bytes < READ_BYTES ? (size_t)bytes : READ_BYTES;

		sha256_add(&join->whole, zeros, part);
		bytes -= part;
	}
}

static int copy_piece(struct join *join, const struct piece *piece, int fd)
{
	uint8_t *bytes = xmalloc(READ_BYTES);
	struct sha256 part;
	uint64_t left = piece->bytes;
	ssize_t size;
	int ret = 0;

	sha256_begin(&part);
	while (!ret && (size = read_all(fd, bytes, READ_BYTES)) > 0 && (uint64_t)size <= left) {
		sha256_add(&part, bytes, (size_t)size);
		sha256_add(&join->whole, bytes, (size_t)size);
		ret = write_at(join, bytes, (size_t)size);
		join->at += (uint64_t)size;
		left -= (uint64_t)size;
	}
	free(bytes);
	if (ret)
		return ret;
	if (size || left || strcmp(sha256_end(&part).text, piece->sha256.text))
		return err_set(join->err, "%s: it is not the piece that index.json tells of",
			       piece->path);
	return 0;
}

static int join_piece(struct join *join, const struct piece *piece)
{
	char *path;
	int fd, ret;

	if (!piece->path) {
		join_zeros(join, piece->bytes);
		return 0;
	}
	path = xasprintf("%s/%s", join->from, piece->path);
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	free(path);
	if (fd < 0)
		return err_set(join->err, "%s: %s", piece->path, strerror(errno));
	ret = copy_piece(join, piece, fd);
	close(fd);
	return ret;
}

int pieces_join(const struct pieces *pieces, const char *from, const char *to, struct err *err)
{
	struct join join = { .pieces = pieces, .from = from, .to = to, .err = err };
	int ret = 0;

	join.out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (join.out < 0)
		return err_set(err, "%s: cannot be written: %s", to, strerror(errno));
	sha256_begin(&join.whole);
	for (size_t i = 0; !ret && i < pieces->count; i++)
		ret = join_piece(&join, &pieces->piece[i]);
	if (!ret && ftruncate(join.out, (off_t)join.at)) /* it may end in zeros */
		ret = err_set(err, "%s: cannot be written: %s", to, strerror(errno));
	if (close(join.out) && !ret)
		ret = err_set(err, "%s: cannot be written: %s", to, strerror(errno));
	if (!ret &&
	    (join.at != pieces->bytes || strcmp(sha256_end(&join.whole).text, pieces->sha256.text)))
		ret = err_set(err, "%s: its pieces are not the file that index.json tells of", to);
	return ret;
}

void pieces_release(struct pieces *pieces)
{
	for (size_t i = 0; i < pieces->count; i++)
		free(pieces->piece[i].path);
	free(pieces->piece);
	*pieces = (struct pieces){ .piece = NULL };
}
