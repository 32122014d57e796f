/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A library that is loaded, used and unloaded, N times, and leaves a block behind each time: its
 * names must outlive it. How often the loader allocates for this cannot be derived. An allocator of
 * the control's own, controls/lib/ledger.c, counts it apart, and the control says it:
 *
 *   LOAD_…      in dlopen; frame by frame libc's and the loader's: `~`
 *   UNLOAD_…    in dlclose, and in a dlopen that says whether it has gone
 *   …_CALLS, …_BYTES, …_TEMPORARY, …_LEFT_CALLS, …_LEFT_BYTES    of blocks allocated there
 *   FREES, FAILED, MALLOC, CALLOC, REALLOC                       of both together
 *   …_PEAK_BYTES, …_PEAK_BLOCKS                                  live of them at the peak
 *
 * And what is the control's:
 *   load > plugin_begin      malloc(1000)                             1000 live
 *   plugin_work              malloc(1 MiB), freed: temporary          the peak: 1 MiB more
 *   unload > plugin_end      frees the 1000, malloc(30), kept           30 live
 *
 * 3 N calls, (1048576 + 1030) N bytes, 2 N frees. In round n the 1 MiB come upon 1000 + 30 (n - 1)
 * and what the loader holds. The peak is in the last round, unless the loader then holds less:
 * ROUNDS, which the control says, is how many rounds were over at the greatest.
 */
#include <dlfcn.h>

#include "controls/control.h"
#include "controls/lib/ledger.h"

static void say_phase(const char *name, int phase)
{
	static const char *const what[] = { "CALLS", "BYTES", "TEMPORARY", "LEFT_CALLS",
					    "LEFT_BYTES" };
	const struct ledger *l = &ledger[phase];
	const unsigned long number[] = { l->calls, l->bytes, l->temporary, l->live_calls,
					 l->live_bytes };
	char text[40];

	for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++) {
		snprintf(text, sizeof(text), "%s_%s", name, what[i]);
		control_say(text, number[i]);
	}
}

SITE void *load(void)
{
	void *library;

	ledger_phase = 1;
	library = dlopen("libplugin.so", RTLD_NOW | RTLD_LOCAL);
	ledger_phase = 0;
	NEED(library);
	return library;
}

SITE void unload(void *library)
{
	ledger_phase = 2;
	NEED(!dlclose(library) && !dlopen("libplugin.so", RTLD_NOW | RTLD_NOLOAD));
	ledger_phase = 0;
}

int main(int argc, char **argv)
{
	const unsigned long work = control_work(argc, argv);
	unsigned long most = 0, rounds = 0;
	struct ledger peak[LEDGER_PHASES] = { { 0 } };

	for (unsigned long i = 0; i < work; i++) {
		unsigned long live;
		void (*plugin_work)(void);
		void *library = load();

		*(void **)&plugin_work = dlsym(library, "plugin_work");
		NEED(plugin_work);
		live = ledger[0].live_bytes + ledger[1].live_bytes + ledger[2].live_bytes;
		if (live > most) {
			most = live;
			rounds = i;
			memcpy(peak, ledger, sizeof(peak));
		}
		plugin_work();
		unload(library);
	}
	say_phase("LOAD", 1);
	say_phase("UNLOAD", 2);
	control_say("LOAD_PEAK_BYTES", peak[1].live_bytes);
	control_say("LOAD_PEAK_BLOCKS", peak[1].live_calls);
	control_say("UNLOAD_PEAK_BYTES", peak[2].live_bytes);
	control_say("UNLOAD_PEAK_BLOCKS", peak[2].live_calls);
	control_say("FREES", ledger[1].frees + ledger[2].frees);
	control_say("FAILED", ledger[1].failed + ledger[2].failed);
	control_say("MALLOC", ledger[1].by_malloc + ledger[2].by_malloc);
	control_say("CALLOC", ledger[1].by_calloc + ledger[2].by_calloc);
	control_say("REALLOC", ledger[1].by_realloc + ledger[2].by_realloc);
	control_say("ROUNDS", rounds);
	atomic_store(&control_calls, ledger[0].calls);
	atomic_store(&control_bytes, ledger[0].bytes);
	return control_end();
}
