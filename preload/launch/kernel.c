/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/kernel.h"

#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "preload/launch/message.h"

#define MAJOR_MIN 5 /* MADV_POPULATE_WRITE: a full disk is an error, and no SIGBUS */
#define MINOR_MIN 14

void kernel_check(void)
{
	struct utsname name;
	int major, minor;

	if (access("/proc/self/stat", R_OK) < 0)
		message("there is no /proc: no helper compresses what CMD records, and how much "
			"memory was resident is not seen");
	if (uname(&name) < 0 || sscanf(name.release, "%d.%d", &major, &minor) != 2 ||
	    major > MAJOR_MIN || (major == MAJOR_MIN && minor >= MINOR_MIN))
		return;
	message("Linux %s is older than %d.%d, which recording needs: CMD may run unrecorded",
		name.release, MAJOR_MIN, MINOR_MIN);
}
