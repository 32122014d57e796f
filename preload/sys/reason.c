/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/sys/reason.h"

#include <errno.h>

const char *reason_text(long error)
{
	switch (-error) {
	case ENOENT:
		return "No such file or directory";
	case EACCES:
	case EPERM:
		return "Permission denied";
	case EROFS:
		return "Read-only file system";
	case ENOSPC:
		return "No space left on device";
	case EFBIG:
		return "RLIMIT_FSIZE is too small for a trace";
	case ENOMEM:
		return "no more memory for recording";
	case EMFILE:
	case ENFILE:
		return "Too many open files";
	case ENODEV:
		return "the file system has no shared mappings";
	case EISDIR:
		return "Is a directory";
	case ENOTDIR:
		return "Not a directory";
	case ENAMETOOLONG:
		return "File name too long";
	case EDQUOT:
		return "Disk quota exceeded";
	case EINVAL:
	case EOPNOTSUPP:
	case ENXIO:
		return "the file system cannot hold it";
	default:
		return "it cannot be created";
	}
}
