/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Another unwinder's library: it has the functions, too, and says how often they were called. */
#include <stdio.h>

void __register_frame(void *begin);
void __deregister_frame(void *begin);
const char *use(void);

static int calls;

void __register_frame(void *begin)
{
	calls += begin != NULL;
}

void __deregister_frame(void *begin)
{
	calls += begin ? 100 : 0;
}

const char *use(void)
{
	static char said[32];

	snprintf(said, sizeof(said), "calls %d", calls);
	return said;
}
