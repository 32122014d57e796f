/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/store/file_name.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>

#include "preload/store/file.h"
#include "preload/store/mapping.h"
#include "preload/sys/syscall.h"
#include "preload/sys/text.h"

static int is_its_name(const char *path, const struct file_identity *file)
{
	struct stat st;

	return sys_call2(SYS_stat, path, &st) == 0 && st.st_dev == file->dev &&
	       st.st_ino == file->ino;
}

void file_name_note(const char *path, struct file_identity *file)
{
	const long fd = sys_call4(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
	struct stat st;
	int error;

	if (sys_is_error(fd))
		return;
	if (sys_call2(SYS_fstat, fd, &st) == 0 && st.st_dev == file->dev && st.st_ino == file->ino)
		file->mapping = mapping_new((int)fd, 0, XT_PAGE_BYTES, MAPPING_WINDOW0, &error);
	sys_call1(SYS_close, fd);
}

static void add_hex(struct text *t, uint64_t value)
{
	char digit[2 * sizeof(value)];
	unsigned at = sizeof(digit);

	do
		digit[--at] = "0123456789abcdef"[value & 15];
	while (value >>= 4);
	text_add_bytes(t, digit + at, sizeof(digit) - at);
}

int file_name_check(char *path, uint64_t room, const struct file_identity *file)
{
	static char now[FILE_PATH_MAX]; /* the stack may be the program's */
	char link[64];
	struct text t = text_init(link, sizeof(link)), name;
	const uint64_t start = (uint64_t)(uintptr_t)file->mapping;
	long size;

	if (is_its_name(path, file))
		return 0;
	text_add(&t, "/proc/self/map_files/");
	add_hex(&t, start);
	text_add(&t, "-");
	add_hex(&t, start + XT_PAGE_BYTES);
	size = sys_call3(SYS_readlink, link, now, sizeof(now) - 1);
	if (size <= 0)
		return -ENOENT;
	now[size] = 0;
	if (now[0] != '/' || (uint64_t)size >= room || !is_its_name(now, file))
		return -ENOENT;
	name = text_init(path, room);
	text_add(&name, now);
	return 0;
}
