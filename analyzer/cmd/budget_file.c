/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/budget_file.h"

#include <stddef.h>
#include <sys/stat.h>

#include "analyzer/report/limits.h"

int budget_file_check(const char *path, struct err *err)
{
	struct limits old;
	struct stat status;
	int ret;

	if (!path || stat(path, &status))
		return 0;
	ret = limits_read(&old, path, NULL);
	limits_release(&old);
	return ret ? err_set(err, "%s is there and is no budget: it is not replaced", path) : 0;
}
