/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What plugin.c loads and unloads: it allocates when it comes, when it is called and when it goes.
 */
#include "controls/control.h"
#include "controls/lib/ledger.h"

void plugin_work(void);

static void *held;

SITE void *plugin_take(size_t bytes)
{
	return counted(malloc(bytes), bytes);
}

SITE __attribute__((constructor)) void plugin_begin(void)
{
	const int phase = ledger_phase;

	ledger_phase = 0;
	held = plugin_take(1000);
	ledger_phase = phase;
}

__attribute__((noinline)) void plugin_work(void)
{
	free(plugin_take(1 << 20));
}

SITE __attribute__((destructor)) void plugin_end(void)
{
	const int phase = ledger_phase;

	ledger_phase = 0;
	free(held);
	NEED(plugin_take(30));
	ledger_phase = phase;
}
