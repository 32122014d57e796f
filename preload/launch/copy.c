/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/copy.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "preload/launch/message.h"

#define PIECE_BYTES (1u << 20)

static int copy_range(int to, off_t place, int from, off_t at, off_t end, char *piece)
{
	while (at < end) {
		const size_t wanted = end - at < PIECE_BYTES ? (size_t)(end - at) : PIECE_BYTES;
		const ssize_t bytes = pread(from, piece, wanted, at);
		ssize_t done = 0;

		if (bytes <= 0)
			return bytes < 0 ? -errno : -EIO;
		while (done < bytes) {
			const ssize_t more =
				pwrite(to, piece + done, (size_t)(bytes - done), place + done);

			if (more < 0)
				return -errno;
			done += more;
		}
		at += bytes;
		place += bytes;
	}
	return 0;
}

int copy_all(int to, off_t place, int from, off_t at, off_t end)
{
	char *piece = memory_new(PIECE_BYTES, 1);
	const int error = copy_range(to, place, from, at, end, piece);

	free(piece);
	return error;
}

int copy_data(int to, off_t place, int from, off_t at, off_t end)
{
	const off_t distance = place - at;
	char *piece = memory_new(PIECE_BYTES, 1);
	int error = 0;

	while (!error && (at = lseek(from, at, SEEK_DATA)) >= 0 && at < end) {
		off_t hole = lseek(from, at, SEEK_HOLE);

		if (hole > end)
			hole = end;
		error = hole < 0 ? -errno : copy_range(to, at + distance, from, at, hole, piece);
		at = hole;
	}
	free(piece);
	return error;
}
